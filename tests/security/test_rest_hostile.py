"""Attacks on the REST surface. Each one gets the status of its row, a problem document, and a stored outcome."""

import asyncio
import json
import re
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from toolgate import tool
from toolgate.testing.rest_gate import RestGate, problem_of, serving

LIMIT = 1024 * 1024


@tool(tool_id="bad.raises", effect="pure")
def raises() -> str:
    """Fail, with a secret in the text."""
    raise ValueError("password=hunter2 in /srv/secrets/key.pem")


@tool(tool_id="bad.garbage", effect="pure")
def garbage() -> Any:
    """Return what JSON does not know."""
    return object()


@tool(tool_id="bad.exits", effect="pure")
def exits() -> str:
    """Try to end the process."""
    sys.exit(3)


@tool(tool_id="bad.exits_inline", effect="pure", blocking=False)
def exits_inline() -> str:
    """Try to end the event loop."""
    raise SystemExit(3)


@tool(tool_id="bad.hangs", effect="pure")
async def hangs() -> str:
    """Never return."""
    await asyncio.Event().wait()
    return "never"


@tool(tool_id="bad.surrogate", effect="pure")
def surrogate() -> str:
    """Return text that is not Unicode."""
    return "\ud800"


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory, signing_key_dir: Path) -> Generator[RestGate]:
    tools = [raises, garbage, exits, exits_inline, hangs, surrogate]
    settings = {"server": {"max_body_bytes": LIMIT}}
    with serving(tmp_path_factory.mktemp("hostile"), keys=signing_key_dir, tools=tools, settings=settings) as gate:
        yield gate


def assert_refused(rest: RestGate, answer: httpx2.Response, status: int, code: str) -> dict[str, Any]:
    """The answer is the problem of this row, and the gate kept an outcome that says the same."""
    problem = problem_of(answer, status, code)
    kept = rest.stored(problem["invocation_id"])
    assert kept["error"]["code"] == code
    assert answer.headers["location"] == problem["instance"] == f"/v1/invocations/{problem['invocation_id']}"
    return problem


# ---------------------------------------------------------------- bodies that are no request

VALID = b'{"tool_id":"echo","parameters":{"text":"x"}}'

BODIES = {
    "empty": b"",
    "white space": b" \n\t",
    "malformed": b'{"tool_id": "echo",',
    "trailing garbage": VALID + b"x",
    "two documents": VALID + VALID,
    "a list": b"[]",
    "a string": b'"echo"',
    "null": b"null",
    "a number": b"5",
    "NaN": b'{"tool_id":"echo","parameters":{"text":NaN}}',
    "Infinity": b'{"tool_id":"echo","parameters":{"text":Infinity}}',
    "minus Infinity": b'{"tool_id":"echo","parameters":{"text":-Infinity}}',
    "1e9999": b'{"tool_id":"echo","parameters":{"text":1e9999}}',
    "an integer beyond 64 bits": b'{"tool_id":"echo","parameters":{"text":123456789012345678901234567890}}',
    "duplicate keys": b'{"tool_id":"text.stats","tool_id":"echo","parameters":{"text":"x"}}',
    "duplicate parameters": b'{"tool_id":"echo","parameters":{"text":"x","text":"y"}}',
    "duplicate keys, one escaped": b'{"tool_id":"text.stats","tool\\u005fid":"echo","parameters":{"text":"x"}}',
    "a lone surrogate": b'{"tool_id":"echo","parameters":{"text":"\\ud800"}}',
    "an encoded surrogate": b'{"tool_id":"echo","parameters":{"text":"\xed\xa0\x80"}}',
    "invalid UTF-8": b'{"tool_id":"echo","parameters":{"text":"\xff"}}',
    "a byte order mark": b"\xef\xbb\xbf" + VALID,
    "UTF-16": VALID.decode().encode("utf-16"),
    "a NUL byte": b'{"tool_id":"echo\x00","parameters":{"text":"x"}}',
    "single quotes": b"{'tool_id':'echo'}",
    "a comment": b'{"tool_id":"echo"/*x*/,"parameters":{"text":"x"}}',
    "a depth of 10000": b'{"tool_id":"echo","parameters":{"text":' + b"[" * 10_000 + b"]" * 10_000 + b"}}",
    "a depth of 10000 without an end": b'{"a":' * 10_000,
    "parameters that are a list": b'{"tool_id":"echo","parameters":[]}',
    "parameters that are text": b'{"tool_id":"echo","parameters":"text=x"}',
    "parameters that are null": b'{"tool_id":"echo","parameters":null}',
    "no tool": b'{"parameters":{"text":"x"}}',
    "a tool that is a number": b'{"tool_id":5,"parameters":{"text":"x"}}',
    "an unknown field": b'{"tool_id":"echo","parameters":{"text":"x"},"admin":true}',
    "an unknown field further down": b'{"tool_id":"echo","parameters":{"text":"x"},"execution_options":{"sudo":true}}',
    "a token that is a number": b'{"tool_id":"echo","parameters":{"text":"x"},"capability_token":5}',
    "options that are a list": b'{"tool_id":"echo","parameters":{"text":"x"},"execution_options":[]}',
    "an unknown priority": b'{"tool_id":"echo","parameters":{"text":"x"},"execution_options":{"priority":"root"}}',
    "a timeout that is text": b'{"tool_id":"echo","parameters":{"text":"x"},"resource_limits":{"timeout_seconds":"1"}}',
    "a timeout below zero": b'{"tool_id":"echo","parameters":{"text":"x"},"resource_limits":{"timeout_seconds":-1}}',
    "a deadline that is none": b'{"tool_id":"echo","parameters":{"text":"x"},"deadline":"tomorrow"}',
    "an invocation id that is none": b'{"tool_id":"echo","parameters":{"text":"x"},"invocation_id":"../../etc"}',
    "a correlation that is too long": b'{"tool_id":"echo","parameters":{"text":"x"},"correlation_id":"%s"}'
    % (b"x" * 65),
}


@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES.keys())
def test_a_body_that_is_no_request_is_bad_input(rest: RestGate, body: bytes) -> None:
    assert_refused(rest, rest.post(body), 422, "invalid_parameters")


@hypothesis_settings(max_examples=60)
@given(body=st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_no_body_whatever_breaks_the_server(rest: RestGate, body: bytes) -> None:
    assert_refused(rest, rest.post(body), 422, "invalid_parameters")


def test_a_parameter_is_never_repeated_in_a_problem(rest: RestGate) -> None:
    body = json.dumps({"tool_id": "echo", "parameters": {"text": ["hunter2"], "hunter3": 1}}).encode()
    assert "hunter2" not in rest.post(body).text


def test_ten_megabytes_of_parameters_are_bad_input(rest: RestGate) -> None:
    body = json.dumps({"tool_id": "echo", "parameters": {"text": "x" * 10 * 1024 * 1024}}).encode()
    problem = problem_of(rest.post(body), 422, "invalid_parameters")
    assert "bytes" in problem["detail"]


def test_a_body_without_a_length_has_the_same_limit(rest: RestGate) -> None:
    """Chunked: nothing tells beforehand how much will come."""

    def chunks() -> Iterator[bytes]:
        yield b'{"tool_id":"echo","parameters":{"text":"'
        for _ in range(2 * LIMIT // 65_536):
            yield b"x" * 65_536
        yield b'"}}'

    answer = rest.client.post("/v1/invocations", content=chunks(), headers=rest.agent("echo"))
    assert_refused(rest, answer, 422, "invalid_parameters")


def test_a_body_that_never_ends_is_cut_off(rest: RestGate) -> None:
    head = b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
    chunk = b"10000\r\n" + b"x" * 65_536 + b"\r\n"
    answer = rest.exchange(head + chunk * (5 * LIMIT // 65_536 + 1))
    assert answer.startswith(b"HTTP/1.1 422 ")
    assert b"\r\nconnection: close\r\n" in answer


def test_a_length_beyond_all_bounds_is_refused_before_the_body_is_read(rest: RestGate) -> None:
    answer = rest.exchange(b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 999999999999\r\n\r\n{")
    assert answer.startswith(b"HTTP/1.1 422 ")
    assert b"\r\nconnection: close\r\n" in answer


def test_a_client_that_asks_first_is_not_told_to_send_what_is_too_large(rest: RestGate) -> None:
    head = f"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: {LIMIT + 1}\r\nExpect: 100-continue\r\n\r\n"
    answer = rest.exchange(head.encode())
    assert answer.startswith(b"HTTP/1.1 422 ")


def test_a_client_that_asks_first_is_told_to_go_on(rest: RestGate) -> None:
    head = (
        f"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: {len(VALID)}\r\nExpect: 100-continue\r\n"
        f"Authorization: {rest.agent('echo')['authorization']}\r\nConnection: close\r\n\r\n"
    )
    answer = rest.exchange(head.encode() + VALID)
    assert answer.startswith(b"HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n")


@pytest.mark.parametrize(
    "content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "x/json", ""]
)
def test_a_body_that_is_announced_as_something_else_is_not_read(rest: RestGate, content_type: str) -> None:
    """What a browser can send to another site without asking is among these."""
    assert_refused(rest, rest.post(VALID, **{"content-type": content_type}), 415, "invalid_parameters")


@pytest.mark.parametrize(
    "query",
    [
        "dry_run=true",
        "dry_run=false",
        "debug=1",
        "view=raw",
        "view=",
        "view=l03&view=document",
        "view=l03&x=",
        "=",
        "%00=1",
        "view=%ff",
    ],
)
def test_a_query_that_is_not_known_runs_nothing(rest: RestGate, query: str) -> None:
    problem = assert_refused(rest, rest.post(VALID, path=f"/v1/invocations?{query}"), 422, "invalid_parameters")
    assert rest.stored(problem["invocation_id"])["execution_metadata"]["attempts"] == 0


# ---------------------------------------------------------------- tokens


@pytest.mark.parametrize("token", [b"x", b"a.b.c", b"tgo_guess", b"\xff" * 20, b"x" * 20_000, b"a b", b"null"])
def test_a_token_that_is_none_is_denied(rest: RestGate, token: bytes) -> None:
    headers = [(b"authorization", b"Bearer " + token)]
    answer = rest.client.post("/v1/invocations", content=VALID, headers=headers)
    problem = assert_refused(rest, answer, 401, "permission_denied")
    assert problem["number"] == "E3201"
    assert answer.headers["www-authenticate"] == "Bearer"
    assert len(answer.content) < 2000


def test_a_token_for_another_tool_does_not_tell_whether_the_tool_exists(rest: RestGate) -> None:
    for tool_id in ("text.stats", "no.such.tool"):
        body = json.dumps({"tool_id": tool_id, "parameters": {}}).encode()
        problem = assert_refused(rest, rest.post(body), 403, "permission_denied")
        assert problem["number"] == "E3209"


def test_an_unknown_tool_is_not_found_by_its_own_token(rest: RestGate) -> None:
    problem = assert_refused(rest, rest.invoke("no.such.tool"), 404, "tool_not_found")
    assert problem["number"] == "E3001"


def test_two_different_tokens_are_one_too_many(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}, "capability_token": rest.token("echo")}
    answer = rest.client.post("/v1/invocations", json=body, headers=rest.agent("echo"))
    problem = assert_refused(rest, answer, 401, "permission_denied")
    assert problem["number"] == "E3201"


def test_two_authorization_headers_are_one_too_many(rest: RestGate) -> None:
    token = rest.agent("echo")["authorization"]
    twice = [("authorization", token), ("authorization", token)]
    assert_refused(rest, rest.client.post("/v1/invocations", content=VALID, headers=twice), 401, "permission_denied")
    problem_of(rest.client.get("/v1/tools", headers=twice), 401, "permission_denied")


def test_another_header_twice_is_bad_input(rest: RestGate) -> None:
    twice = [("idempotency-key", "a"), ("idempotency-key", "b"), *rest.agent("echo").items()]
    assert_refused(rest, rest.client.post("/v1/invocations", content=VALID, headers=twice), 422, "invalid_parameters")


def test_the_operator_key_in_the_body_does_not_invoke_either(rest: RestGate) -> None:
    body = json.dumps({"tool_id": "echo", "parameters": {"text": "x"}, "capability_token": rest.operator_key}).encode()
    answer = rest.client.post("/v1/invocations", content=body)
    assert_refused(rest, answer, 403, "permission_denied")
    assert rest.operator_key not in answer.text


def test_a_request_id_that_could_split_a_header_is_not_repeated(rest: RestGate) -> None:
    body = json.dumps(
        {"tool_id": "echo", "parameters": {"text": "x"}, "correlation_id": "a\r\nset-cookie: x=1"}
    ).encode()
    answer = rest.post(body, **{"x-request-id": "x" * 65})
    problem = assert_refused(rest, answer, 422, "invalid_parameters")
    assert "set-cookie" not in answer.headers
    assert answer.headers["x-request-id"] == problem["invocation_id"]


# ---------------------------------------------------------------- tools that misbehave


@pytest.mark.parametrize(
    ("tool_id", "status", "code"),
    [
        ("bad.raises", 502, "tool_execution_error"),
        ("bad.exits", 502, "tool_execution_error"),
        ("bad.exits_inline", 502, "tool_execution_error"),
        ("bad.garbage", 502, "invalid_output"),
        ("bad.surrogate", 502, "invalid_output"),
    ],
)
def test_a_tool_that_misbehaves_is_a_bad_gateway(rest: RestGate, tool_id: str, status: int, code: str) -> None:
    answer = rest.invoke(tool_id)
    assert_refused(rest, answer, status, code)
    assert "hunter2" not in answer.text
    assert "/srv" not in answer.text
    assert rest.client.get("/readyz").status_code == 200


def test_a_tool_that_never_returns_times_out(rest: RestGate) -> None:
    answer = rest.invoke("bad.hangs", resource_limits={"timeout_seconds": 0.05})
    problem = assert_refused(rest, answer, 504, "timeout")
    assert (problem["number"], problem["retryable"]) == ("E3103", True)


# ---------------------------------------------------------------- paths and heads


@pytest.mark.parametrize(
    "path",
    [
        "/v1/tools/../invocations",
        "/v1/tools/..",
        "/v1/tools/%2e%2e/%2e%2e/etc/passwd",
        "/v1/tools/%00",
        "/v1/tools/echo%00",
        "/v1/tools/echo%0d%0aset-cookie:x",
        "/v1/tools/%ff%fe",
        "/v1/tools//echo",
        "/v1/tools/echo/",
        "/v1/tools/%2565cho",
        "/v1/invocations/%2e%2e",
        "/v1/invocations/%00",
        "/v1/invocations/01a1dd5d-a71e-709d-9ce9-ea1cc5b22792%00",
        "/v1/invocations/' OR 1=1 --".replace(" ", "%20"),
        "/v1/tools/" + "x" * 5000,
        "//v1/tools",
        "/V1/tools",
    ],
)
def test_a_path_trick_finds_nothing(rest: RestGate, path: str) -> None:
    headers = f"Host: x\r\nConnection: close\r\nAuthorization: {rest.operator['authorization']}"
    request = f"GET {path} HTTP/1.1\r\n{headers}\r\n\r\n"
    head, _, body = rest.exchange(request.encode()).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 404 ")
    assert b"content-type: application/problem+json" in head
    assert b"set-cookie" not in head
    assert json.loads(body)["status"] == 404


@pytest.mark.parametrize(
    "request_bytes",
    [
        b"NONSENSE\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nA: b\x00c\r\n\r\n",
    ],
)
def test_what_is_not_http_gets_a_problem_and_no_second_chance(rest: RestGate, request_bytes: bytes) -> None:
    head, _, body = rest.exchange(request_bytes).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 ")
    assert b"content-type: application/problem+json" in head
    assert json.loads(body)["code"] == "bad_request"


@pytest.mark.parametrize("size", [65_536 + 1, 200_000])
def test_a_huge_head_is_refused(rest: RestGate, size: int) -> None:
    answer = rest.exchange(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Padding: " + b"x" * size)
    assert answer.startswith(b"HTTP/1.1 431 ")


def test_a_huge_head_that_is_complete_is_refused(rest: RestGate) -> None:
    answer = rest.exchange(b"GET /healthz HTTP/1.1\r\nHost: x\r\nX-Padding: " + b"x" * 70_000 + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 431 ")


def test_a_large_head_within_the_limit_is_read(rest: RestGate) -> None:
    answer = rest.exchange(
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-Padding: " + b"x" * 30_000 + b"\r\n\r\n"
    )
    assert answer.startswith(b"HTTP/1.1 200 ")


def test_pipelined_requests_are_answered_in_order(rest: RestGate) -> None:
    one = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
    last = b"GET /nowhere HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = rest.exchange(one * 3 + last)
    assert re.findall(rb"HTTP/1\.1 (\d{3})", answer) == [b"200", b"200", b"200", b"404"]


def test_a_refused_body_leaves_the_connection_usable(rest: RestGate) -> None:
    """Were the body left unread, the next request would be read as a part of it."""
    refused = f"POST /v1/invocations?x=1 HTTP/1.1\r\nHost: x\r\nContent-Length: {len(VALID)}\r\n\r\n".encode() + VALID
    last = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    answer = rest.exchange(refused + last)
    assert re.findall(rb"HTTP/1\.1 (\d{3})", answer) == [b"422", b"200"]
