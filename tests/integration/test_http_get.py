"""`http.get` reaches granted hosts only, against a real server on loopback."""

import threading
from collections.abc import AsyncIterator, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from toolgate import Toolgate
from toolgate.errors import Kind


class Pages(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        if self.path == "/away":
            self.send_response(302)
            self.send_header("location", "http://169.254.169.254/latest/meta-data")
            self.end_headers()
            return
        if self.path == "/cut":
            self.send_response(200)
            self.send_header("content-length", "100")
            self.end_headers()
            self.wfile.write(b"short")
            self.close_connection = True
            return
        body = b"x" * 2_000_000 if self.path == "/flood" else b"hello"
        self.send_response(200)
        self.send_header("content-type", "text/plain")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class says so
        pass


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


@pytest.fixture
async def gate(data_dir: Path) -> AsyncIterator[Toolgate]:
    settings = {"store": "memory://", "local_agent": {"allowed_hosts": ["127.0.0.1", "localhost", "*.example"]}}
    async with Toolgate(data_dir=data_dir, settings=settings) as opened:
        yield opened


async def test_a_granted_host_is_read(gate: Toolgate, port: int) -> None:
    outcome = await gate.call("http.get", url=f"http://127.0.0.1:{port}/")
    assert outcome.output == {"status": 200, "content_type": "text/plain", "text": "hello"}


@pytest.mark.parametrize(
    "url",
    [
        "http://example.com/",
        "http://127.0.0.2/",
        "http://[::1]/",
        "http://2130706433/",
        "http://0x7f.1/",
        "http://127.0.0.1.evil.test/",
        "http://example/",
    ],
)
async def test_a_host_that_was_not_granted_is_denied(gate: Toolgate, url: str) -> None:
    outcome = await gate.call("http.get", url=url)
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.DENIED, "E3204")


async def test_a_granted_name_that_leads_inside_is_denied(gate: Toolgate, port: int) -> None:
    """A name is not an address: `localhost` was granted, 127.0.0.1 behind it is an inside address."""
    outcome = await gate.call("http.get", url=f"http://localhost:{port}/")
    assert outcome.error is not None
    assert outcome.error.number == "E3204"


async def test_a_redirect_is_answered_not_followed(gate: Toolgate, port: int) -> None:
    outcome = await gate.call("http.get", url=f"http://127.0.0.1:{port}/away")
    assert outcome.output["status"] == 302


async def test_a_flood_is_cut_off(gate: Toolgate, port: int) -> None:
    outcome = await gate.call("http.get", url=f"http://127.0.0.1:{port}/flood")
    assert outcome.error is not None
    assert outcome.error.number == "E3509"


async def test_a_connection_that_breaks_is_a_failure_that_may_be_repeated(gate: Toolgate, port: int) -> None:
    outcome = await gate.call("http.get", url=f"http://127.0.0.1:{port}/cut")
    assert outcome.error is not None
    assert (outcome.error.number, outcome.may_repeat) == ("E3306", True)


async def test_nobody_listens(gate: Toolgate) -> None:
    outcome = await gate.call("http.get", url="http://127.0.0.1:1/")
    assert outcome.error is not None
    assert outcome.error.number == "E3306"


@pytest.mark.parametrize(
    "url",
    ["file:///etc/passwd", "ftp://127.0.0.1/", "127.0.0.1", "http://", "http://u:p@127.0.0.1/", "http://127.0.0.1:x/"],
)
async def test_what_is_no_plain_web_address_is_refused(gate: Toolgate, url: str) -> None:
    outcome = await gate.call("http.get", url=url)
    assert outcome.kind is Kind.FAILED
    assert outcome.error is not None
    assert "u:p" not in outcome.error.message
