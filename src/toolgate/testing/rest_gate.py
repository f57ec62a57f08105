"""A gate that serves REST on a free port, in a thread of the test process: what the tests of the surface talk to."""

import shutil
import socket
import threading
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any

import httpx2
from starlette.routing import BaseRoute

from toolgate.app import Toolgate
from toolgate.permissions.operator_key import open_operator_key
from toolgate.surfaces.rest.app import create_app
from toolgate.surfaces.rest.server import RestServer, bind

AGENT: Mapping[str, Any] = {"agent_did": "did:example:agent", "tenant_id": "tenant-1"}
WAIT_SECONDS = 30


class RestGate:
    def __init__(self, gate: Toolgate, client: httpx2.Client, operator_key: str) -> None:
        self.gate = gate
        self.client = client
        self.operator_key = operator_key

    @property
    def address(self) -> tuple[str, int]:
        return self.client.base_url.host, self.client.base_url.port or 80

    @property
    def operator(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.operator_key}"}

    def token(self, tool_id: str, **changes: Any) -> str:
        return self.gate.parts.issuer.mint(tool_id, **{**AGENT, **changes})

    def agent(self, tool_id: str, **changes: Any) -> dict[str, str]:
        return {"authorization": f"Bearer {self.token(tool_id, **changes)}"}

    def invoke(self, tool_id: str, parameters: Mapping[str, Any] | None = None, **fields: Any) -> httpx2.Response:
        body = {"tool_id": tool_id, "parameters": dict(parameters or {}), **fields}
        return self.client.post("/v1/invocations", json=body, headers=self.agent(tool_id))

    def post(self, content: bytes, *, path: str = "/v1/invocations", **headers: str) -> httpx2.Response:
        plain = {"content-type": "application/json", **self.agent("echo")}
        return self.client.post(path, content=content, headers={**plain, **headers})

    def stored(self, invocation_id: str, view: str = "l03") -> dict[str, Any]:
        """What the gate kept of an invocation, as an operator sees it."""
        answer = self.client.get(f"/v1/invocations/{invocation_id}", params={"view": view}, headers=self.operator)
        assert answer.status_code == 200, answer.text
        document: dict[str, Any] = answer.json()
        return document

    def exchange(self, request: bytes) -> bytes:
        """Send raw bytes, and read until the server hangs up."""
        with socket.create_connection(self.address, timeout=WAIT_SECONDS) as line:
            line.sendall(request)
            return b"".join(iter(lambda: line.recv(65_536), b""))


@contextmanager
def serving(
    directory: Path,
    *,
    keys: Path,
    tools: Sequence[Callable[..., Any]] = (),
    settings: Mapping[str, Any] | None = None,
    routes: Sequence[BaseRoute] = (),
) -> Generator[RestGate]:
    """Serve a gate with these tools beside its own, on a real SQLite file."""
    data_dir = directory / "data"
    shutil.copytree(keys, data_dir)
    data_dir.chmod(0o700)
    gate = Toolgate(settings={"data_dir": str(data_dir), **(settings or {})})

    def prepare(opened: Toolgate) -> None:
        for function in tools:
            opened.add(function)

    announced: Queue[str] = Queue()
    server = RestServer(create_app(gate, routes=routes, prepare=prepare), bind("127.0.0.1", 0), announce=announced.put)
    thread = threading.Thread(target=server.run, name="rest-server")
    thread.start()
    try:
        url = announced.get(timeout=WAIT_SECONDS)
        with httpx2.Client(base_url=url, timeout=WAIT_SECONDS) as client:
            yield RestGate(gate, client, open_operator_key(data_dir))
    finally:
        server.should_exit = True
        thread.join(WAIT_SECONDS)
    assert not thread.is_alive()


def problem_of(answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """The problem document of an answer that must be one."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    problem: dict[str, Any] = answer.json()
    assert (problem["status"], problem["code"]) == (status, code)
    assert "Traceback" not in answer.text
    return problem
