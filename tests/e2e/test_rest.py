"""REST as a caller sees it: real HTTP, a real gate, a real SQLite file (DESIGN §2)."""

import asyncio
import json
import socket
import threading
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import Request
from starlette.routing import Route

from toolgate import tool
from toolgate.surfaces.rest import invoke
from toolgate.testing.rest_gate import WAIT_SECONDS, RestGate, problem_of, serving

started, stopped = threading.Event(), threading.Event()


@tool(tool_id="acme/text.shout", effect="pure")
def shout(text: str) -> str:
    """Say it louder."""
    return text.upper()


@tool(tool_id="acme/text.shout", version="2.0.0", effect="pure")
def shout_again(text: str) -> str:
    """Say it louder still."""
    return text.upper() + "!"


@tool(tool_id="acme/versions", effect="pure")
def versions() -> int:
    """A tool with the name of a sub-resource."""
    return 1


@tool(tool_id="wait.forever", effect="pure")
async def wait_forever() -> None:
    """Wait until somebody cancels."""
    started.set()
    try:
        await asyncio.Event().wait()
    finally:
        stopped.set()


async def explode(request: Request) -> None:
    raise RuntimeError("hunter2 is the password of /srv/secrets")


@pytest.fixture(scope="module")
def rest(tmp_path_factory: pytest.TempPathFactory, signing_key_dir: Path) -> Generator[RestGate]:
    tools = [shout, shout_again, versions, wait_forever]
    directory = tmp_path_factory.mktemp("rest")
    with serving(directory, keys=signing_key_dir, tools=tools, routes=[Route("/explode", explode)]) as gate:
        yield gate


# ---------------------------------------------------------------- invoking


def test_a_call_answers_the_layers_response(rest: RestGate) -> None:
    answer = rest.invoke("echo", {"text": "hello"})
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "application/json"
    response = answer.json()
    assert (response["status"], response["result"]) == ("success", "hello")
    assert answer.headers["location"] == f"/v1/invocations/{response['invocation_id']}"
    assert answer.headers["x-request-id"] == response["invocation_id"]
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert "server" not in answer.headers


def test_a_call_is_on_record_when_it_is_answered(rest: RestGate) -> None:
    answer = rest.invoke("echo", {"text": "kept"})
    location = answer.headers["location"]
    assert rest.client.get(location, headers=rest.operator).json() == answer.json()


@pytest.mark.parametrize(
    ("view", "key", "value"),
    [("l03", "status", "success"), ("envelope", "status", "Ok"), ("tool_result", "statusName", "Success")],
)
def test_a_view_is_answered_on_call_and_on_question(rest: RestGate, view: str, key: str, value: Any) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}}
    answer = rest.client.post("/v1/invocations", params={"view": view}, json=body, headers=rest.agent("echo"))
    assert answer.status_code == 200
    assert answer.json()[key] == value
    assert rest.client.get(answer.headers["location"], params={"view": view}, headers=rest.operator).json() == (
        answer.json()
    )


def test_the_document_view_is_markdown(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}}
    answer = rest.client.post("/v1/invocations?view=document", json=body, headers=rest.agent("echo"))
    assert answer.headers["content-type"] == "text/markdown; charset=utf-8"
    assert answer.text.startswith("---\nresult_type: tool_result\n")


def test_a_failure_is_a_problem_with_the_status_of_its_row(rest: RestGate) -> None:
    problem = problem_of(rest.invoke("echo", {"text": 5}), 422, "invalid_parameters")
    assert [error["pointer"] for error in problem["errors"]] == ["/text"]
    assert rest.stored(problem["invocation_id"])["error"]["code"] == "invalid_parameters"


def test_a_failure_in_an_explicit_view_keeps_the_view_and_the_status(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {}}
    answer = rest.client.post("/v1/invocations?view=envelope", json=body, headers=rest.agent("echo"))
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["status"] == "Error"


def test_a_question_about_a_failure_succeeds(rest: RestGate) -> None:
    failed = rest.invoke("echo", {})
    answer = rest.client.get(failed.headers["location"], headers=rest.agent("echo"))
    assert (answer.status_code, answer.json()["status"]) == (200, "error")


def test_the_token_may_be_in_the_body(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}, "capability_token": rest.token("echo")}
    assert rest.client.post("/v1/invocations", json=body).status_code == 200


def test_the_same_token_may_be_in_both(rest: RestGate) -> None:
    token = rest.token("echo")
    body = {"tool_id": "echo", "parameters": {"text": "x"}, "capability_token": token}
    answer = rest.client.post("/v1/invocations", json=body, headers={"authorization": f"bearer {token}"})
    assert answer.status_code == 200


@pytest.mark.parametrize("header", ["x-request-id", "x-correlation-id"])
def test_a_header_names_the_correlation(rest: RestGate, header: str) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}}
    answer = rest.client.post("/v1/invocations", json=body, headers={**rest.agent("echo"), header: "case-4711"})
    assert answer.json()["execution_metadata"]["correlation_id"] == "case-4711"


def test_the_bodys_correlation_outranks_the_headers_and_the_request_id_comes_back(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}, "correlation_id": "from-body"}
    headers = {**rest.agent("echo"), "x-request-id": "from-header"}
    answer = rest.client.post("/v1/invocations", json=body, headers=headers)
    assert answer.json()["execution_metadata"]["correlation_id"] == "from-body"
    assert answer.headers["x-request-id"] == "from-header"


def test_an_idempotency_key_in_the_header_agrees_with_the_body_or_is_refused(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}, "execution_options": {"idempotency_key": "k1"}}
    headers = {**rest.agent("echo"), "idempotency-key": "k1"}
    assert rest.client.post("/v1/invocations", json=body, headers=headers).status_code == 200
    headers["idempotency-key"] = "k2"
    problem_of(rest.client.post("/v1/invocations", json=body, headers=headers), 422, "invalid_parameters")


def test_an_unfit_idempotency_key_is_refused(rest: RestGate) -> None:
    body = json.dumps({"tool_id": "echo", "parameters": {"text": "x"}}).encode()
    problem_of(rest.post(body, **{"idempotency-key": "k" * 256}), 422, "invalid_parameters")


@pytest.mark.parametrize(
    "content_type", ["application/json; charset=utf-8", "application/vnd.acme+json", "APPLICATION/JSON"]
)
def test_json_may_be_announced_in_several_ways(rest: RestGate, content_type: str) -> None:
    body = json.dumps({"tool_id": "echo", "parameters": {"text": "x"}}).encode()
    assert rest.post(body, **{"content-type": content_type}).status_code == 200


def test_json_need_not_be_announced(rest: RestGate) -> None:
    body = json.dumps({"tool_id": "echo", "parameters": {"text": "x"}}).encode()
    assert rest.client.post("/v1/invocations", content=body, headers=rest.agent("echo")).status_code == 200


def test_a_dry_run_runs_nothing_and_says_that_there_is_none(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}}
    answer = rest.client.post("/v1/invocations?dry_run=true", json=body, headers=rest.agent("echo"))
    problem = problem_of(answer, 422, "invalid_parameters")
    assert "not available" in problem["errors"][0]["message"]
    assert rest.stored(problem["invocation_id"])["execution_metadata"]["attempts"] == 0


def test_a_client_that_leaves_takes_its_call_along(rest: RestGate) -> None:
    """The outcome is stored all the same."""
    body = json.dumps({"tool_id": "wait.forever", "correlation_id": "left"}).encode()
    head = f"POST /v1/invocations HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
    authorization = rest.agent("wait.forever")["authorization"]
    with socket.create_connection(rest.address, timeout=WAIT_SECONDS) as line:
        line.sendall(f"{head}Authorization: {authorization}\r\n\r\n".encode() + body)
        assert started.wait(WAIT_SECONDS)
    assert stopped.wait(WAIT_SECONDS)
    for _ in range(1000):
        page = rest.client.get("/v1/invocations?correlation_id=left", headers=rest.operator).json()
        if page["data"]:
            break
    assert [line["kind"] for line in page["data"]] == ["cancelled"]


# ---------------------------------------------------------------- looking back


def test_the_list_is_newest_first_and_comes_in_pages(rest: RestGate) -> None:
    ids = [rest.invoke("echo", {"text": str(n)}, correlation_id="paged").json()["invocation_id"] for n in range(5)]
    seen: list[str] = []
    cursor: dict[str, str] = {}
    while True:
        params = {"correlation_id": "paged", "limit": "2", **cursor}
        page = rest.client.get("/v1/invocations", params=params, headers=rest.operator).json()
        seen += [line["invocation_id"] for line in page["data"]]
        assert page["has_more"] is (page["next_cursor"] is not None)
        if not page["has_more"]:
            break
        cursor = {"cursor": page["next_cursor"]}
    assert seen == ids[::-1]


def test_the_list_can_be_narrowed(rest: RestGate) -> None:
    rest.invoke("echo", {"text": "x"}, correlation_id="narrow")
    rest.invoke("echo", {}, correlation_id="narrow")
    for narrowing, kinds in (
        ({"kind": "success"}, ["success"]),
        ({"status": "success"}, ["success"]),
        ({"kind": "invalid_input"}, ["invalid_input"]),
        ({"tool_id": "text.stats"}, []),
    ):
        params = {"correlation_id": "narrow", **narrowing}
        page = rest.client.get("/v1/invocations", params=params, headers=rest.operator).json()
        assert [line["kind"] for line in page["data"]] == kinds


@pytest.mark.parametrize(
    "query",
    [
        "limit=0",
        "limit=201",
        "limit=-1",
        "limit=1.5",
        "limit=٣",
        "cursor=forged",
        "kind=nonsense",
        "status=error",
        "kind=success&status=success",
        "order=asc",
        "limit=1&limit=2",
        "tool_id=%ff",
        "&&",
    ],
)
def test_a_query_that_cannot_be_meant_is_refused(rest: RestGate, query: str) -> None:
    answer = rest.client.get(f"/v1/invocations?{query}", headers=rest.operator)
    problem_of(answer, 422, "invalid_parameters")


def test_an_agent_sees_its_own_invocations_only(rest: RestGate) -> None:
    mine = rest.invoke("echo", {"text": "mine"}, correlation_id="owned").json()["invocation_id"]
    path = f"/v1/invocations/{mine}"
    assert rest.client.get(path, headers=rest.agent("text.stats")).status_code == 200
    for stranger in ({"agent_did": "did:example:other"}, {"tenant_id": "tenant-2"}):
        headers = rest.agent("echo", **stranger)
        problem_of(rest.client.get(path, headers=headers), 404, "task_not_found")
        page = rest.client.get("/v1/invocations?correlation_id=owned", headers=headers).json()
        assert page == {"data": [], "next_cursor": None, "has_more": False}


def test_an_unknown_invocation_and_somebody_elses_look_alike(rest: RestGate) -> None:
    mine = rest.invoke("echo", {"text": "mine"}).json()["invocation_id"]
    unknown = "01a1dd5d-a71e-709d-9ce9-ea1cc5b22792"
    headers = rest.agent("echo", agent_did="did:example:other")
    problems = [rest.client.get(f"/v1/invocations/{each}", headers=headers).text for each in (mine, unknown)]
    assert problems[0].replace(mine, "") == problems[1].replace(unknown, "")


# ---------------------------------------------------------------- tools


def test_an_operator_sees_all_tools_in_pages(rest: RestGate) -> None:
    whole = rest.client.get("/v1/tools", headers=rest.operator).json()
    ids = [summary["tool_id"] for summary in whole["data"]]
    assert ids == sorted(ids)
    assert {"echo", "acme/text.shout"} <= set(ids)
    first = rest.client.get("/v1/tools?limit=1", headers=rest.operator).json()
    assert first["has_more"]
    rest_of_them = rest.client.get("/v1/tools", params={"cursor": first["next_cursor"]}, headers=rest.operator).json()
    assert first["data"] + rest_of_them["data"] == whole["data"]


def test_an_agent_sees_the_tool_its_token_covers(rest: RestGate) -> None:
    page = rest.client.get("/v1/tools", headers=rest.agent("echo")).json()
    assert [summary["tool_id"] for summary in page["data"]] == ["echo"]
    assert rest.client.get("/v1/tools/echo", headers=rest.agent("echo")).status_code == 200
    hidden = rest.client.get("/v1/tools/text.stats", headers=rest.agent("echo"))
    missing = rest.client.get("/v1/tools/text.stuts", headers=rest.agent("echo"))
    assert problem_of(hidden, 404, "tool_not_found").keys() == problem_of(missing, 404, "tool_not_found").keys()


@pytest.mark.parametrize(
    "path", ["acme/text.shout", "acme%2Ftext.shout", "acme%2ftext%2Eshout", "local::acme/text.shout"]
)
def test_a_tool_id_may_have_slashes_and_dots(rest: RestGate, path: str) -> None:
    definition = rest.client.get(f"/v1/tools/{path}", headers=rest.agent("acme/text.shout")).json()
    assert definition["tool_id"] == "acme/text.shout"
    assert [manifest["version"] for manifest in definition["versions"]] == ["1.0.0", "2.0.0"]
    page = rest.client.get(f"/v1/tools/{path}/versions", headers=rest.operator).json()
    assert [(line["version"], line["latest"]) for line in page["data"]] == [("1.0.0", False), ("2.0.0", True)]


def test_an_encoded_slash_tells_a_tool_from_a_sub_resource(rest: RestGate) -> None:
    answer = rest.client.get("/v1/tools/acme%2Fversions", headers=rest.operator)
    assert answer.json()["tool_id"] == "acme/versions"
    problem_of(rest.client.get("/v1/tools/acme/versions", headers=rest.operator), 404, "tool_not_found")


def test_a_tool_that_has_not_changed_is_not_sent_again(rest: RestGate) -> None:
    first = rest.client.get("/v1/tools/echo", headers=rest.operator)
    etag = first.headers["etag"]
    for condition in (etag, f'"other", W/{etag}', "*"):
        again = rest.client.get("/v1/tools/echo", headers={**rest.operator, "if-none-match": condition})
        assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", etag)
    changed = rest.client.get("/v1/tools/echo", headers={**rest.operator, "if-none-match": '"other"'})
    assert changed.status_code == 200


# ---------------------------------------------------------------- who may what

EVERY_READ = [
    "/v1/invocations",
    "/v1/invocations/x",
    "/v1/tools",
    "/v1/tools/echo",
    "/v1/tools/echo/versions",
    "/metrics",
    "/openapi.json",
]


@pytest.mark.parametrize("path", EVERY_READ)
def test_nothing_but_health_is_open(rest: RestGate, path: str) -> None:
    for headers in (
        {},
        {"authorization": "Bearer"},
        {"authorization": "Bearer nonsense"},
        {"authorization": "Basic eDp5"},
        {"authorization": "Bearer tgo_guess"},
    ):
        answer = rest.client.get(path, headers=headers)
        problem_of(answer, 401, "permission_denied")
        assert answer.headers["www-authenticate"] == "Bearer"


def test_health_is_open(rest: RestGate) -> None:
    assert rest.client.get("/healthz").json() == {"status": "ok"}
    assert rest.client.get("/readyz").json() == {"status": "ready"}


def test_metrics_are_for_the_operator(rest: RestGate) -> None:
    rest.invoke("echo", {"text": "x"})
    answer = rest.client.get("/metrics", headers=rest.operator)
    assert answer.headers["content-type"].startswith("text/plain")
    assert 'toolgate_invocations_total{code="",status="success",tool="echo"}' in answer.text
    problem_of(rest.client.get("/metrics", headers=rest.agent("echo")), 403, "permission_denied")


def test_the_description_is_for_everybody_who_is_known(rest: RestGate) -> None:
    for headers in (rest.operator, rest.agent("echo")):
        assert rest.client.get("/openapi.json", headers=headers).json()["openapi"] == "3.1.0"


def test_a_call_without_a_token_is_challenged(rest: RestGate) -> None:
    answer = rest.client.post("/v1/invocations", json={"tool_id": "echo", "parameters": {"text": "x"}})
    problem = problem_of(answer, 401, "permission_denied")
    assert problem["number"] == "E3207"
    assert answer.headers["www-authenticate"] == "Bearer"


def test_an_operator_key_does_not_invoke(rest: RestGate) -> None:
    body = {"tool_id": "echo", "parameters": {"text": "x"}}
    answer = rest.client.post("/v1/invocations", json=body, headers=rest.operator)
    problem = problem_of(answer, 403, "permission_denied")
    assert "toolgate token mint" in problem["detail"]
    assert rest.stored(problem["invocation_id"])["status"] == "permission_denied"


# ---------------------------------------------------------------- everything else is a problem


def test_an_unknown_path_is_a_problem(rest: RestGate) -> None:
    for path in ("/", "/v1", "/v2/tools", "/v1/tools/", "/v1/invocations/", "/healthz/"):
        answer = rest.client.get(path, headers=rest.operator)
        assert answer.status_code == 404, path
        assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/v1/invocations", "GET, HEAD, POST"),
        ("OPTIONS", "/v1/invocations", "GET, HEAD, POST"),
        ("DELETE", "/v1/tools/echo", "GET, HEAD"),
        ("POST", "/healthz", "GET, HEAD"),
        ("TRACE", "/v1/tools", "GET, HEAD"),
    ],
)
def test_a_method_that_a_path_does_not_take_is_a_problem(rest: RestGate, method: str, path: str, allowed: str) -> None:
    answer = rest.client.request(method, path, headers=rest.operator)
    problem_of(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == allowed


def test_head_answers_like_get_without_a_body(rest: RestGate) -> None:
    answer = rest.client.head("/v1/tools/echo", headers=rest.operator)
    assert (answer.status_code, answer.content) == (200, b"")
    assert int(answer.headers["content-length"]) > 0
    assert rest.client.get("/healthz").status_code == 200


def test_our_own_bug_tells_nothing_but_its_number(rest: RestGate) -> None:
    answer = rest.client.get("/explode", headers={"x-request-id": "find-me"})
    problem = problem_of(answer, 500, "internal_error")
    assert problem["number"] == "E3999"
    assert answer.headers["x-request-id"] == "find-me"
    assert "hunter2" not in answer.text


def test_a_bug_on_the_hot_route_is_a_problem_too(rest: RestGate, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> None:
        raise RuntimeError("hunter2")

    monkeypatch.setattr(invoke, "answer_call", broken)
    answer = rest.invoke("echo", {"text": "x"})
    problem_of(answer, 500, "internal_error")
    assert "hunter2" not in answer.text
