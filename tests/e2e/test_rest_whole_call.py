"""The short way of a call that arrives whole, and everything that must not notice that there is one."""

import asyncio
import json
import socket
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from queue import Queue
from typing import Any, BinaryIO

import httpx2
import pytest

from toolgate import Toolgate, tool
from toolgate.surfaces.rest.app import create_app
from toolgate.surfaces.rest.server import RestServer, bind
from toolgate.surfaces.rest.whole_call import WholeCall
from toolgate.testing.rest_gate import WAIT_SECONDS, RestGate, serving

LIMIT = 16 * 1024
begun = threading.Event()
may_end = threading.Event()


@tool(tool_id="waits", effect="pure")
def waits() -> str:
    """Wait until the test says so."""
    begun.set()
    return "waited" if may_end.wait(WAIT_SECONDS) else "in vain"


@tool(tool_id="hangs", effect="pure")
async def hangs() -> str:
    """Never return."""
    begun.set()
    await asyncio.Event().wait()
    return "never"


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory, signing_key_dir: Path) -> Generator[RestGate]:
    settings = {"server": {"max_body_bytes": LIMIT}}
    with serving(
        tmp_path_factory.mktemp("whole"), keys=signing_key_dir, tools=[waits, hangs], settings=settings
    ) as gate:
        yield gate


@pytest.fixture(autouse=True)
def reset() -> None:
    begun.clear()
    may_end.clear()


@pytest.fixture
def short_calls(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The bodies of the calls that take the short way from here on."""
    taken: list[bytes] = []
    begin = WholeCall.begin

    def note(self: WholeCall, loop: asyncio.AbstractEventLoop, headers: Any, body: bytes) -> None:
        taken.append(body)
        begin(self, loop, headers, body)

    monkeypatch.setattr(WholeCall, "begin", note)
    return taken


def body_of(rest: RestGate, tool_id: str = "echo", **parameters: Any) -> bytes:
    request = {"tool_id": tool_id, "parameters": parameters, "capability_token": rest.token(tool_id)}
    return json.dumps(request, separators=(",", ":")).encode()


def post(body: bytes, *headers: str, version: str = "1.1", target: str = "/v1/invocations") -> bytes:
    lines = [f"POST {target} HTTP/{version}", "Host: x", f"Content-Length: {len(body)}", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode() + body


def chunked(body: bytes, *trailers: str) -> bytes:
    head = b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    half = len(body) // 2
    pieces = b"".join(b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (body[:half], body[half:]))
    return head + pieces + b"0\r\n" + "".join(f"{line}\r\n" for line in trailers).encode() + b"\r\n"


class Line:
    """A connection on which answers are read one by one."""

    def __init__(self, line: socket.socket, incoming: BinaryIO) -> None:
        self._line = line
        self._read = incoming

    def send(self, data: bytes) -> None:
        self._line.sendall(data)

    def answer(self) -> tuple[int, dict[str, str], Any]:
        status = int(self._read.readline().split()[1])
        pairs = (line.decode().rstrip("\r\n").split(": ", 1) for line in iter(self._read.readline, b"\r\n"))
        headers = dict(pairs)
        return status, headers, json.loads(self._read.read(int(headers["content-length"])))

    def rest(self) -> bytes:
        return self._read.read()


@contextmanager
def line_to(rest: RestGate) -> Generator[Line]:
    with socket.create_connection(rest.address, timeout=WAIT_SECONDS) as line:
        line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with line.makefile("rb") as incoming:  # while it is open the line is too
            yield Line(line, incoming)


def until(condition: Callable[[], bool]) -> None:
    for _ in range(10_000):
        if condition():
            return
    raise AssertionError("it did not come to that")


def result_of(line: Line) -> Any:
    status, _, response = line.answer()
    assert status == 200, response
    return response["result"]


# ---------------------------------------------------------------- what takes the short way


def test_a_whole_call_takes_the_short_way_and_says_what_the_long_way_says(
    rest: RestGate, short_calls: list[bytes]
) -> None:
    body = body_of(rest, text="x")
    with line_to(rest) as line:
        line.send(post(body))
        short_status, short, _ = line.answer()
        assert short_calls == [body]
        line.send(post(body, target="/v1/invocations?view=l03"))
        long_status, long, _ = line.answer()
    assert short_calls == [body]
    assert (short_status, list(short)) == (long_status, list(long)) == (200, list(long))
    assert short["location"] == f"/v1/invocations/{short['x-request-id']}"
    assert {"date", "cache-control", "x-content-type-options", "content-type"} <= short.keys()


def test_a_connection_is_used_again_and_again(rest: RestGate, short_calls: list[bytes]) -> None:
    with line_to(rest) as line:
        for number in range(5):
            line.send(post(body_of(rest, text=str(number))))
            assert result_of(line) == str(number)
    assert len(short_calls) == 5


def test_a_chunked_body_in_one_piece_is_joined(rest: RestGate, short_calls: list[bytes]) -> None:
    body = body_of(rest, text="chunks")
    with line_to(rest) as line:
        line.send(chunked(body))
        assert result_of(line) == "chunks"
    assert short_calls == [body]


def test_a_trailer_is_no_header(rest: RestGate) -> None:
    """What comes behind the body cannot bring a credential."""
    body = json.dumps({"tool_id": "echo", "parameters": {"text": "x"}}).encode()
    with line_to(rest) as line:
        line.send(chunked(body, f"Authorization: Bearer {rest.token('echo')}"))
        assert line.answer()[0] == 401


def test_a_refused_call_leaves_the_connection_usable(rest: RestGate) -> None:
    with line_to(rest) as line:
        line.send(post(b"[]"))
        status, headers, problem = line.answer()
        assert (status, headers["content-type"]) == (422, "application/problem+json")
        assert rest.stored(problem["invocation_id"])["error"]["code"] == "invalid_parameters"
        line.send(post(body_of(rest, text="next")))
        assert result_of(line) == "next"


def test_a_body_over_the_limit_is_refused_on_the_short_way_too(rest: RestGate, short_calls: list[bytes]) -> None:
    with line_to(rest) as line:
        line.send(post(b"x" * (LIMIT + 1)))
        status, headers, problem = line.answer()
        assert (status, "connection" in headers) == (422, False)
        assert f"at most {LIMIT} bytes" in problem["detail"]
        line.send(post(body_of(rest, text="next")))
        assert result_of(line) == "next"


# ---------------------------------------------------------------- what does not


def test_a_body_in_two_reads_goes_the_long_way(rest: RestGate, short_calls: list[bytes]) -> None:
    body = body_of(rest, text="split")
    whole = post(body)
    with line_to(rest) as line:
        line.send(whole[:-40])
        with line_to(rest) as other:  # its answer shows that the server has read the first part
            other.send(post(body_of(rest, text="other")))
            other.answer()
        line.send(whole[-40:])
        status, _, response = line.answer()
        assert (status, response["result"]) == (200, "split")
        line.send(post(body_of(rest, text="next")))
        assert result_of(line) == "next"
    assert body not in short_calls


@pytest.mark.parametrize(("version", "headers"), [("1.0", ()), ("1.1", ("Connection: close",))])
def test_a_client_that_does_not_stay_goes_the_long_way(
    rest: RestGate, short_calls: list[bytes], version: str, headers: tuple[str, ...]
) -> None:
    answer = rest.exchange(post(body_of(rest, text="x"), *headers, version=version))
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert b"\r\nconnection: close\r\n" in answer
    assert short_calls == []


def test_a_client_that_asks_first_goes_the_long_way(rest: RestGate, short_calls: list[bytes]) -> None:
    answer = rest.exchange(post(body_of(rest, text="x"), "Expect: 100-continue", "Connection: close"))
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")
    assert short_calls == []


def test_an_upgrade_goes_the_long_way(rest: RestGate, short_calls: list[bytes]) -> None:
    rest.exchange(post(body_of(rest, text="x"), "Connection: upgrade, close", "Upgrade: websocket"))
    assert short_calls == []


# ---------------------------------------------------------------- more than one request, or less


def test_requests_in_one_packet_are_answered_in_their_order(rest: RestGate) -> None:
    bodies = [body_of(rest, text=str(number)) for number in range(6)]
    with line_to(rest) as line:
        line.send(b"".join(post(body) for body in bodies))
        assert [result_of(line) for _ in bodies] == [str(number) for number in range(6)]


def test_requests_that_are_sent_ahead_wait_for_the_call_under_way(rest: RestGate) -> None:
    with line_to(rest) as line:
        line.send(post(body_of(rest, "waits")))
        assert begun.wait(WAIT_SECONDS)
        line.send(post(body_of(rest, text="second")) + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
        may_end.set()
        assert result_of(line) == "waited"
        assert result_of(line) == "second"
        assert line.answer()[2] == {"status": "ok"}
        line.send(post(body_of(rest, text="later")))
        assert result_of(line) == "later"


def test_garbage_behind_a_call_ends_the_connection_and_not_the_server(rest: RestGate) -> None:
    answer = rest.exchange(post(body_of(rest, text="x")) + b"\x00garbage\r\n\r\n")
    assert answer.count(b"HTTP/1.1 ") == 1
    assert rest.invoke("echo", {"text": "still there"}).status_code == 200


def test_a_chunk_that_is_none_is_no_call(rest: RestGate, short_calls: list[bytes]) -> None:
    head = b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    assert rest.exchange(head + b"5\r\nhello\r\nzz\r\n").startswith(b"HTTP/1.1 400 ")
    assert short_calls == []


def test_a_client_that_leaves_has_its_call_cancelled(rest: RestGate, short_calls: list[bytes]) -> None:
    body = body_of(rest, "hangs")
    with line_to(rest) as line:
        line.send(post(body))
        assert begun.wait(WAIT_SECONDS)
    assert short_calls == [body]
    until(lambda: newest(rest, "hangs") == "cancelled")


def test_a_client_that_leaves_at_once_still_has_its_outcome_kept(rest: RestGate) -> None:
    before = count(rest)
    with line_to(rest) as line:
        line.send(post(body_of(rest, text="gone")))
    until(lambda: count(rest) == before + 1)


def listed(rest: RestGate, **query: str) -> list[dict[str, Any]]:
    answer = rest.client.get("/v1/invocations", params={"limit": "200", **query}, headers=rest.operator)
    items: list[dict[str, Any]] = answer.json()["data"]
    return items


def newest(rest: RestGate, tool_id: str) -> str | None:
    found = listed(rest, tool_id=tool_id)
    return found[0]["status"] if found else None


def count(rest: RestGate) -> int:
    return len(listed(rest))


# ---------------------------------------------------------------- a server that stops


@contextmanager
def stoppable(data_dir: Path, *, keep_alive_seconds: int = 5) -> Generator[tuple[RestGate, RestServer]]:
    gate = Toolgate(settings={"data_dir": str(data_dir), "store": "memory://"})
    announced: Queue[str] = Queue()
    app = create_app(gate, prepare=lambda opened: opened.add(waits))
    server = RestServer(app, bind("127.0.0.1", 0), announce=announced.put)
    server.config.timeout_keep_alive = keep_alive_seconds
    thread = threading.Thread(target=server.run)
    thread.start()
    try:
        with httpx2.Client(base_url=announced.get(timeout=WAIT_SECONDS)) as client:
            yield RestGate(gate, client, ""), server
    finally:
        server.should_exit = True
        thread.join(WAIT_SECONDS)
    assert not thread.is_alive()


def test_a_call_under_way_is_answered_by_a_server_that_stops(data_dir: Path, short_calls: list[bytes]) -> None:
    with stoppable(data_dir) as (rest, server), line_to(rest) as idle, line_to(rest) as line:
        idle.send(post(body_of(rest, text="idle")))
        assert result_of(idle) == "idle"
        line.send(post(body_of(rest, "waits")))
        assert begun.wait(WAIT_SECONDS)
        server.should_exit = True
        assert idle.rest() == b""  # a connection at rest is closed: the server has begun to stop
        may_end.set()
        status, headers, response = line.answer()
        assert (status, headers["connection"], response["result"]) == (200, "close", "waited")
        assert line.rest() == b""
    assert len(short_calls) == 2


def test_a_connection_that_rests_is_closed_in_time(data_dir: Path) -> None:
    with stoppable(data_dir, keep_alive_seconds=1) as (rest, _), line_to(rest) as line:
        for text in ("one", "two"):
            line.send(post(body_of(rest, text=text)))
            assert result_of(line) == text
        assert line.rest() == b""
