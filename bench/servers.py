"""The HTTP servers that are compared, each a process of its own: `python -m bench.servers NAME STORE DIRECTORY`.

All run on uvicorn with one worker and the same settings. A server says where it is, and with which token it lets
callers in, in one line of JSON on its standard output.
"""

import json
import signal
import subprocess
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from tempfile import TemporaryDirectory
from typing import Any

import orjson
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from bench.invocation import mint
from bench.tools import add_inline

PATH = "/v1/invocations"
TOKEN_LENGTH = 1041  # like the real one; the echo servers only carry it


@dataclass(frozen=True)
class Server:
    """A server that runs."""

    url: str
    token: str
    pid: int


@contextmanager
def running(name: str, *, store: str = "memory://") -> Generator[Server]:
    """A server process, ended afterwards. `DIRECTORY` in the store's address stands for a temporary one.

    Raises:
        RuntimeError: it did not start.
    """
    with TemporaryDirectory(prefix="toolgate-bench-") as directory:
        command = [sys.executable, "-m", "bench.servers", name, store.replace("DIRECTORY", directory), directory]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        try:
            line = process.stdout.readline() if process.stdout else b""
            if not line:
                raise RuntimeError(f"the server {name} did not start")
            yield Server(**json.loads(line), pid=process.pid)
        finally:
            end(process)


def end(process: "subprocess.Popen[bytes]") -> None:
    """Ask it to stop; insist if it does not."""
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    for pipe in (process.stdout, process.stderr):
        if pipe is not None:
            pipe.close()


# ---------------------------------------------------------------- in the process


def serve_toolgate(store: str, directory: str) -> None:
    from toolgate import Toolgate
    from toolgate.config import build_settings
    from toolgate.surfaces.rest.server import serve

    tokens: list[str] = []

    def prepare(gate: Toolgate) -> None:
        gate.add(add_inline)
        tokens.append(mint(gate.parts.issuer))

    settings = build_settings({"data_dir": directory, "store": store})
    serve(settings, port=0, announce=lambda url: _announce(url, tokens[0]), prepare=prepare)


def serve_starlette(*_: str) -> None:
    async def echo(request: Request) -> Response:
        document = orjson.loads(await request.body())
        return Response(orjson.dumps(document), media_type="application/json")

    _serve(Starlette(routes=[Route(PATH, echo, methods=["POST"])]))


def serve_fastapi(*_: str) -> None:
    pydantic = import_module("pydantic")
    app = import_module("fastapi").FastAPI()

    agent = pydantic.create_model("Agent", agent_did=(str, ...), tenant_id=(str, ...), session_id=(str, ""))
    invocation: Any = pydantic.create_model(
        "Invocation",
        tool_id=(str, ...),
        tool_version=(str, ...),
        agent_context=(agent, ...),
        parameters=(dict[str, Any], ...),
        capability_token=(str, ...),
    )

    async def echo(body: Any) -> Any:
        return body

    echo.__annotations__ = {"body": invocation, "return": invocation}
    app.post(PATH)(echo)
    _serve(app)


def _serve(app: Any) -> None:
    config = uvicorn.Config(
        app,
        port=0,
        loop="auto",
        http="httptools",
        ws="none",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        backlog=2048,
    )
    _AnnouncingServer(config).run()


class _AnnouncingServer(uvicorn.Server):
    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        host, port = self.servers[0].sockets[0].getsockname()[:2]
        _announce(f"http://{host}:{port}", "x" * TOKEN_LENGTH)


def _announce(url: str, token: str) -> None:
    print(json.dumps({"url": url, "token": token}), flush=True)


SERVERS: dict[str, Callable[[str, str], None]] = {
    "toolgate": serve_toolgate,
    "starlette": serve_starlette,
    "fastapi": serve_fastapi,
}

if __name__ == "__main__":
    SERVERS[sys.argv[1]](sys.argv[2], sys.argv[3])
