"""One governed call through the Python face: what works, what is refused, and that every exit leaves a record."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from toolgate import MisuseError, Outcome, ToolContext, ToolFailure, Toolgate, ToolInvokeRequest, tool
from toolgate.errors import Kind, TimeoutExceeded, ToolNotFound
from toolgate.model.agent import AgentContext
from toolgate.model.request import DocumentContext, ExecutionOptions
from toolgate.testing import FakeClock


@tool(effect="pure")
def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


async def stored(gate: Toolgate, outcome: Outcome) -> Outcome:
    """The record of an outcome, as a later reader finds it."""
    return await gate.parts.lookup.get(outcome.invocation_id)


async def events_of(gate: Toolgate) -> list[str]:
    return [event.event_type.removeprefix("ai.agent.") for _, event in await gate.parts.stores.outbox.pending()]


async def start(call: Awaitable[Outcome]) -> "asyncio.Task[Outcome]":
    task = asyncio.ensure_future(call)
    await asyncio.sleep(0)
    assert isinstance(task, asyncio.Task)
    return task


async def under_way(gate: Toolgate, tool_id: str) -> str:
    """The id of the one invocation that runs now."""
    async with asyncio.timeout(10):
        while True:
            for invocation_id in list(gate.parts.engine._flights):  # pyright: ignore[reportPrivateUsage]
                found = gate.parts.engine.running(invocation_id)
                if found is not None and found.attempts:
                    assert found.tool_id == tool_id
                    return invocation_id
            await asyncio.sleep(0.001)


# ---------------------------------------------------------------- success


async def test_a_call_returns_the_tools_output(gate: Toolgate) -> None:
    gate.add(add)
    outcome = await gate.call("add", a=1, b=2)
    assert (outcome.output, outcome.status, outcome.error) == (3, "success", None)
    assert outcome.raise_for_status() is outcome
    assert outcome.tool_version == "1.0.0"


async def test_parameters_may_come_as_one_mapping_with_options_beside(gate: Toolgate) -> None:
    gate.add(add)
    outcome = await gate.call("add", {"a": 1, "b": 2}, correlation_id="trace-1", timeout_seconds=5)
    assert outcome.output == 3
    assert outcome.invocation.correlation_id == "trace-1"
    assert outcome.invocation.timeout_seconds == 5


async def test_every_way_to_write_a_function_works(gate: Toolgate) -> None:
    @tool(tool_id="t.async")
    async def in_loop(x: int) -> int:
        await asyncio.sleep(0)
        return x + 1

    @tool(tool_id="t.thread")
    def in_thread(x: int) -> bool:
        return threading.current_thread() is not threading.main_thread()

    @tool(tool_id="t.inline", blocking=False)
    def inline(x: int) -> bool:
        return threading.current_thread() is threading.main_thread()

    for function in (in_loop, in_thread, inline):
        gate.add(function)
    assert (await gate.call("t.async", x=1)).output == 2
    assert (await gate.call("t.thread", x=1)).output is True
    assert (await gate.call("t.inline", x=1)).output is True


async def test_the_record_holds_what_happened(gate: Toolgate) -> None:
    gate.add(add)
    outcome = await gate.call("add", a=1, b=2)
    record = await stored(gate, outcome)
    assert record.kind is Kind.SUCCESS
    assert record.output == 3
    assert record.invocation.parameters == b'{"a":1,"b":2}'
    assert (record.invocation.agent_did, record.invocation.tenant_id) == ("did:toolgate:local", "local")
    assert await events_of(gate) == ["tool.invoked", "tool.succeeded"]


async def test_secrets_are_not_in_the_record_but_the_answer_is_whole(gate: Toolgate) -> None:
    @tool
    def login(user: str, password: str) -> dict[str, str]:
        return {"access_token": "s3cr3t-value", "user": user}

    gate.add(login)
    outcome = await gate.call("login", user="ann", password="hunter2")
    record = await stored(gate, outcome)
    assert outcome.output == {"access_token": "s3cr3t-value", "user": "ann"}
    assert record.output == {"access_token": "[REDACTED]", "user": "ann"}
    assert b"hunter2" not in record.invocation.parameters
    assert record.invocation.redactions == ("/password",)
    bodies = b"".join(event.body for _, event in await gate.parts.stores.outbox.pending())
    assert b"hunter2" not in bodies
    assert b"s3cr3t" not in bodies


async def test_a_tool_reports_its_side_effects(gate: Toolgate) -> None:
    @tool
    def write(path: str, context: ToolContext) -> None:
        context.side_effect("created", path, description="a file")

    gate.add(write)
    outcome = await gate.call("write", path="a.txt")
    assert [(effect.type, effect.resource) for effect in outcome.side_effects] == [("created", "a.txt")]
    assert (await stored(gate, outcome)).side_effects == outcome.side_effects


async def test_the_l03_face_answers_a_request_with_its_own_token(gate: Toolgate) -> None:
    gate.add(add)
    token = gate.parts.issuer.mint("add", agent_did="did:agent:x", tenant_id="acme")
    wanted = "0197f2a4-7c1e-7d1a-8f55-0123456789ab"
    request = ToolInvokeRequest(
        tool_id="add",
        tool_version="^1.0.0",
        invocation_id=wanted,
        agent_context=AgentContext(agent_did="did:agent:x", tenant_id="acme", session_id="s1"),
        parameters={"a": 20, "b": 22},
        capability_token=token,
    )
    response = await gate.invoke(request)
    assert (response.status, response.result, response.invocation_id) == ("success", 42, wanted)
    assert (await gate.status(wanted)).status == "success"


# ---------------------------------------------------------------- refusals


async def test_an_unknown_tool_is_an_outcome_with_a_record(gate: Toolgate) -> None:
    outcome = await gate.call("nope", a=1)
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.NOT_FOUND, "E3001")
    assert (await stored(gate, outcome)).kind is Kind.NOT_FOUND
    assert await events_of(gate) == ["tool.failed"]
    with pytest.raises(ToolNotFound):
        outcome.raise_for_status()


@pytest.mark.parametrize("tool_id", ["", " ", "a\x00b", "../etc", "x" * 10_000, "\ud800", "local::", "ünï"])
async def test_a_hostile_tool_id_is_an_outcome_with_a_record(gate: Toolgate, tool_id: str) -> None:
    outcome = await gate.call(tool_id)
    assert outcome.kind in {Kind.NOT_FOUND, Kind.DENIED, Kind.INVALID_INPUT}
    assert (await stored(gate, outcome)).kind is outcome.kind


async def test_wrong_parameters_name_each_fault_and_its_place(gate: Toolgate) -> None:
    gate.add(add)
    outcome = await gate.call("add", {"a": "one", "c": 1})
    assert outcome.error is not None
    assert outcome.kind is Kind.INVALID_INPUT
    assert {(fault.pointer, fault.code) for fault in outcome.error.errors} >= {
        ("/a", "InvalidType"),
        ("/b", "RequiredMissing"),
    }
    record = await stored(gate, outcome)
    assert record.error == outcome.error
    assert record.invocation.parameters == b'{"a":"one","c":1}'


async def test_headers_and_metadata_are_kept_for_audit_without_their_secrets(gate: Toolgate) -> None:
    gate.add(add)
    token = gate.parts.issuer.mint("add", agent_did="a", tenant_id="t")
    request = ToolInvokeRequest(
        tool_id="add",
        parameters={"a": 1, "b": 2},
        capability_token=token,
        headers={"locale": "de", "authorization": "Bearer abc"},
        metadata={"ticket": 7, "password": "x"},
    )
    response = await gate.invoke(request)
    kept = (await gate.parts.lookup.get(response.invocation_id)).invocation
    assert kept.headers == {"locale": "de", "authorization": "[REDACTED]"}
    assert kept.metadata == {"ticket": 7, "password": "[REDACTED]"}


async def test_no_token_no_call(gate: Toolgate) -> None:
    gate.add(add)
    response = await gate.invoke(ToolInvokeRequest(tool_id="add", parameters={"a": 1, "b": 2}))
    assert response.error is not None
    assert (response.status, response.error.number) == ("permission_denied", "E3207")
    assert (await gate.status(response.invocation_id)).status == "permission_denied"


async def test_a_caller_without_a_token_learns_nothing_about_which_tools_exist(gate: Toolgate) -> None:
    gate.add(add)
    known = await gate.invoke(ToolInvokeRequest(tool_id="add"))
    unknown = await gate.invoke(ToolInvokeRequest(tool_id="nope"))
    assert known.error == unknown.error


async def test_a_host_is_refused_until_it_is_allowed(gate: Toolgate) -> None:
    outcome = await gate.call("http.get", url="http://example.com/")
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.DENIED, "E3204")


async def test_an_invocation_id_is_used_once(gate: Toolgate) -> None:
    gate.add(add)
    token = gate.parts.issuer.mint("add", agent_did="a", tenant_id="t")
    request = ToolInvokeRequest(
        tool_id="add",
        invocation_id="0197f2a4-7c1e-7d1a-8f55-0123456789ab",
        parameters={"a": 1, "b": 2},
        capability_token=token,
    )
    first, second = await gate.invoke(request), await gate.invoke(request)
    assert first.status == "success"
    assert second.error is not None
    assert (second.error.number, second.invocation_id != first.invocation_id) == ("E3113", True)
    assert (await gate.status(first.invocation_id)).status == "success"
    assert (await gate.status(second.invocation_id)).status == "error"


async def test_two_calls_at_once_cannot_share_an_invocation_id(gate: Toolgate) -> None:
    ran: list[int] = []

    @tool
    async def slow() -> None:
        ran.append(1)
        await asyncio.sleep(0)

    gate.add(slow)
    token = gate.parts.issuer.mint("slow", agent_did="a", tenant_id="t")
    request = ToolInvokeRequest(
        tool_id="slow", invocation_id="0197f2a4-7c1e-7d1a-8f55-0123456789ab", capability_token=token
    )
    responses = await asyncio.gather(*(gate.invoke(request) for _ in range(5)))
    assert sorted(response.status for response in responses) == ["error"] * 4 + ["success"]
    assert len({response.invocation_id for response in responses}) == 5
    assert ran == [1]


@pytest.mark.parametrize(
    ("change", "number"),
    [
        ({"execution_options": ExecutionOptions(require_approval=True)}, "E3112"),
        ({"execution_options": ExecutionOptions(async_mode=True)}, None),
        ({"document_context": DocumentContext(document_refs=("doc://x",))}, "E3602"),
        ({"deadline": "2001-01-01T00:00:00Z"}, "E3114"),
        ({"deadline": "yesterday"}, None),
        ({"invocation_id": "not-a-uuid"}, None),
        ({"metadata": {"x": "y" * 20_000}}, None),
        ({"correlation_id": "\ud800"}, None),
        ({"tool_version": "^9.0.0"}, "E3006"),
        ({"tool_version": "9.0.0"}, "E3002"),
        ({"tool_version": "\x00garbage"}, "E3006"),
    ],
)
async def test_what_cannot_be_honoured_is_refused_not_ignored(
    gate: Toolgate, change: dict[str, Any], number: str | None
) -> None:
    gate.add(add)
    token = gate.parts.issuer.mint("add", agent_did="a", tenant_id="t")
    request = ToolInvokeRequest(tool_id="add", parameters={"a": 1, "b": 2}, capability_token=token, **change)
    response = await gate.invoke(request)
    assert response.error is not None
    assert response.error.number == number
    assert (await gate.status(response.invocation_id)).error is not None


async def test_a_sandboxed_tool_is_refused_where_there_is_no_sandbox(gate: Toolgate) -> None:
    @tool(sandbox=True)
    def risky() -> int:
        return 1

    gate.add(risky)
    outcome = await gate.call("risky")
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.SANDBOX, "E3101")


async def test_misuse_is_raised(gate: Toolgate) -> None:
    with pytest.raises(MisuseError, match="unknown option"):
        await gate.call("add", {"a": 1}, b=2)
    with pytest.raises(MisuseError):
        await Toolgate().call("add")


# ---------------------------------------------------------------- hostile tools


def raises(error: BaseException) -> Callable[[], Any]:
    def tool_that_raises() -> Any:
        raise error

    return tool_that_raises


class Strange(BaseException):
    pass


@pytest.mark.parametrize("blocking", [True, False])
@pytest.mark.parametrize(
    "error", [ValueError("secret=abc"), SystemExit(0), StopIteration(), Strange(), GeneratorExit(), RecursionError()]
)
async def test_a_tool_that_raises_anything_is_a_failed_outcome(
    gate: Toolgate, error: BaseException, blocking: bool
) -> None:
    gate.add(tool(raises(error), tool_id="bad", blocking=blocking))
    outcome = await gate.call("bad")
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.FAILED, "E3108")
    assert "abc" not in outcome.error.message
    assert (await stored(gate, outcome)).kind is Kind.FAILED


async def test_an_async_tool_that_raises_cancelled_by_itself_has_failed(gate: Toolgate) -> None:
    @tool
    async def bad() -> None:
        raise asyncio.CancelledError

    gate.add(bad)
    assert (await gate.call("bad")).kind is Kind.FAILED


async def test_a_tool_tells_its_caller_what_it_means_to_tell(gate: Toolgate) -> None:
    @tool
    def picky() -> None:
        raise ToolFailure("there is no such city; api_key=sk-live-1234567890abcdef1234")

    gate.add(picky)
    outcome = await gate.call("picky")
    assert outcome.error is not None
    assert outcome.error.message.startswith("there is no such city")
    assert "sk-live" not in outcome.error.message


@pytest.mark.parametrize(
    "output",
    [
        object(),
        float("nan"),
        {"x": float("inf")},
        b"bytes",
        {1: "a"},
        1 << 200,
        "\ud800",
        (x for x in "ab"),
        {"x": lambda: None},
    ],
)
async def test_an_output_that_json_cannot_carry_is_a_bad_output(gate: Toolgate, output: Any) -> None:
    gate.add(tool(lambda: output, tool_id="odd"))
    outcome = await gate.call("odd")
    assert outcome.kind is Kind.INVALID_OUTPUT
    assert (await stored(gate, outcome)).kind is Kind.INVALID_OUTPUT


async def test_a_cyclic_or_bottomless_output_is_a_bad_output(gate: Toolgate) -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    gate.add(tool(lambda: cycle, tool_id="cycle"))
    assert (await gate.call("cycle")).kind is Kind.INVALID_OUTPUT


async def test_a_tool_that_floods_its_output_is_a_bad_output(gate: Toolgate) -> None:
    gate.add(tool(lambda: "x" * 11_000_000, tool_id="flood"))
    outcome = await gate.call("flood")
    assert outcome.error is not None
    assert outcome.error.number == "E3509"


async def test_an_output_that_breaks_its_schema_is_a_bad_output(gate: Toolgate) -> None:
    @tool(blocking=False)
    def liar() -> int:
        return "three"  # type: ignore[return-value]

    gate.add(liar)
    outcome = await gate.call("liar")
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.INVALID_OUTPUT, "E3507")
    assert "three" not in str(outcome.error)


# ---------------------------------------------------------------- time and cancel


async def test_an_async_tool_that_never_returns_is_timed_out(gate: Toolgate, clock: FakeClock) -> None:
    @tool(effect="pure", timeout_seconds=7)
    async def forever() -> None:
        await asyncio.Event().wait()

    gate.add(forever)
    task = await start(gate.call("forever"))
    await under_way(gate, "forever")
    clock.advance(7)
    outcome = await task
    assert (outcome.kind, outcome.may_repeat) == (Kind.TIMEOUT, True)
    with pytest.raises(TimeoutExceeded):
        outcome.raise_for_status()
    assert (await stored(gate, outcome)).kind is Kind.TIMEOUT
    assert await events_of(gate) == ["tool.invoked", "tool.failed", "tool.timeout"]


async def test_a_thread_that_never_returns_is_timed_out_and_its_place_is_free_again(
    gate: Toolgate, clock: FakeClock
) -> None:
    never = threading.Event()

    @tool(timeout_seconds=7)
    def forever() -> None:
        never.wait()

    gate.add(forever)
    gate.add(add)
    task = await start(gate.call("forever"))
    await under_way(gate, "forever")
    clock.advance(7)
    outcome = await task
    never.set()
    assert (outcome.kind, outcome.may_repeat) == (Kind.TIMEOUT, False)
    assert (await gate.call("add", a=1, b=1)).output == 2


async def test_a_tool_that_swallows_its_timeout_does_not_hold_its_caller(gate: Toolgate, clock: FakeClock) -> None:
    @tool(timeout_seconds=7)
    async def deaf() -> None:
        while True:
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                continue

    gate.add(deaf)
    task = await start(gate.call("deaf"))
    await under_way(gate, "deaf")
    clock.advance(7)
    await asyncio.sleep(0)
    clock.advance(60)
    assert (await task).kind is Kind.TIMEOUT


async def test_a_late_answer_does_not_undo_a_timeout(gate: Toolgate, clock: FakeClock) -> None:
    @tool(timeout_seconds=7)
    async def late() -> str:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return "too late"
        return "not reached"

    gate.add(late)
    task = await start(gate.call("late"))
    await under_way(gate, "late")
    clock.advance(7)
    outcome = await task
    assert (outcome.kind, outcome.output) == (Kind.TIMEOUT, None)


async def test_a_cancel_is_not_a_timeout(gate: Toolgate) -> None:
    @tool(effect="pure")
    async def forever() -> None:
        await asyncio.Event().wait()

    gate.add(forever)
    task = await start(gate.call("forever"))
    invocation_id = await under_way(gate, "forever")
    assert (await gate.cancel(invocation_id, reason="not needed")).cancelled
    outcome = await task
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number, outcome.may_repeat) == (Kind.CANCELLED, "E3110", False)
    assert (await stored(gate, outcome)).kind is Kind.CANCELLED
    assert not (await gate.cancel(invocation_id)).cancelled
    assert await events_of(gate) == ["tool.invoked", "tool.failed"]


async def test_a_caller_that_goes_away_leaves_a_record(gate: Toolgate) -> None:
    @tool
    async def forever() -> None:
        await asyncio.Event().wait()

    gate.add(forever)
    task = await start(gate.call("forever"))
    invocation_id = await under_way(gate, "forever")
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await gate.status(invocation_id)).status == "cancelled"


async def test_a_bug_of_ours_is_an_internal_error_without_its_text(
    gate: Toolgate, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: Any) -> bytes:
        raise RuntimeError("a path of the host")

    monkeypatch.setattr(gate.parts.engine._components.parameters, "encode", broken)  # pyright: ignore
    outcome = await gate.call("echo", text="x")
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.INTERNAL, "E3999")
    assert "path" not in outcome.error.message
    assert (await stored(gate, outcome)).kind is Kind.INTERNAL


async def test_a_result_that_cannot_be_stored_is_withheld(gate: Toolgate, monkeypatch: pytest.MonkeyPatch) -> None:
    from toolgate.errors import StoreUnavailable

    async def broken(_: Any) -> None:
        raise StoreUnavailable

    monkeypatch.setattr(gate.parts.engine._ledger._store, "record", broken)  # pyright: ignore
    outcome = await gate.call("echo", text="x")
    assert (outcome.kind, outcome.output) == (Kind.INTERNAL, None)


async def test_a_thousand_calls_at_once_each_have_one_record(gate: Toolgate) -> None:
    gate.add(add)
    outcomes = await asyncio.gather(*(gate.call("add", a=n, b=0) for n in range(1000)))
    assert [outcome.output for outcome in outcomes] == list(range(1000))
    kept = {record.invocation_id for record in await gate.history(limit=200)}
    assert len(kept) == 200
    assert kept <= {outcome.invocation_id for outcome in outcomes}
