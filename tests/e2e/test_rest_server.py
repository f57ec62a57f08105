"""The server process: where it listens, how it starts and how it stops."""

import os
import signal
import socket
import subprocess
import sys
import textwrap
import threading
from pathlib import Path

import httpx2
import pytest

from toolgate.config import ConfigurationError, build_settings
from toolgate.surfaces.rest.server import BindError, bind, serve, url_of

WAIT_SECONDS = 30


def test_port_zero_takes_a_free_port_and_says_which() -> None:
    with bind("127.0.0.1", 0) as listener:
        assert url_of(listener) == f"http://127.0.0.1:{listener.getsockname()[1]}"


def test_an_ipv6_address_is_written_in_brackets() -> None:
    try:
        listener = bind("::1", 0)
    except BindError:
        return  # this machine has no IPv6; the error itself is tested below
    with listener:
        assert url_of(listener).startswith("http://[::1]:")


def test_a_port_that_is_taken_is_named() -> None:
    with bind("127.0.0.1", 0) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BindError, match=rf"cannot listen on 127\.0\.0\.1:{port}: Address already in use"):
            bind("127.0.0.1", port)


@pytest.mark.parametrize(("host", "port"), [("no such host", 0), ("127.0.0.1", 70_000), ("203.0.113.1", 0)])
def test_an_address_that_cannot_be_is_named(host: str, port: int) -> None:
    with pytest.raises(BindError, match=f"cannot listen on {host}:{port}: "):
        bind(host, port)


def test_a_gate_that_cannot_open_ends_the_server_with_its_own_error(data_dir: Path) -> None:
    settings = build_settings({"data_dir": str(data_dir), "store": "carrier-pigeon://coop"})
    with pytest.raises(ConfigurationError, match="carrier-pigeon:// is not known"):
        serve(settings, port=0)


PROGRAM = """
    import socket, sys
    from toolgate import tool
    from toolgate.config import build_settings
    from toolgate.surfaces.rest.server import serve

    @tool(tool_id="wait.for.word", effect="pure")
    def wait_for_word(port: int) -> str:
        "Wait until the test says so."
        with socket.create_connection(("127.0.0.1", port)) as line:
            return line.recv(10).decode()

    def prepare(gate):
        gate.add(wait_for_word)
        print(gate.parts.issuer.mint("wait.for.word", agent_did="did:example:a", tenant_id="t"))

    settings = build_settings({"data_dir": sys.argv[1]})
    serve(settings, port=0, announce=lambda url: print(url, flush=True), prepare=prepare)
"""


def test_a_stopped_server_finishes_what_is_under_way(data_dir: Path) -> None:
    """SIGTERM: no new connections, the call under way is answered, then the process ends."""
    command = [sys.executable, "-c", textwrap.dedent(PROGRAM), str(data_dir)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        token, url = process.stdout.readline().strip(), process.stdout.readline().strip()
        with socket.create_server(("127.0.0.1", 0)) as listener:
            listener.settimeout(WAIT_SECONDS)
            answers: list[httpx2.Response] = []
            body = {"tool_id": "wait.for.word", "parameters": {"port": listener.getsockname()[1]}}
            headers = {"authorization": f"Bearer {token}"}

            def call() -> None:
                answers.append(httpx2.post(f"{url}/v1/invocations", json=body, headers=headers, timeout=WAIT_SECONDS))

            caller = threading.Thread(target=call)
            caller.start()
            line, _ = listener.accept()
            process.send_signal(signal.SIGTERM)
            await_refusal(url)
            line.sendall(b"word")
            line.close()
            caller.join(WAIT_SECONDS)
        assert (answers[0].status_code, answers[0].json()["result"]) == (200, "word")
        assert process.wait(WAIT_SECONDS) == -signal.SIGTERM
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def await_refusal(url: str) -> None:
    """Return once the server takes no more connections."""
    host, port = url.removeprefix("http://").split(":")
    for _ in range(100_000):
        try:
            socket.create_connection((host, int(port)), timeout=WAIT_SECONDS).close()
        except ConnectionError:
            return
        os.sched_yield()
    raise AssertionError("the server still takes connections")
