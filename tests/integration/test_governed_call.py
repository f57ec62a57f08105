"""One governed call through the Python face: what works, what is refused, and that every exit leaves a record."""

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from toolgate import MisuseError, Outcome, ToolContext, ToolFailure, Toolgate, ToolInvokeRequest, tool
from toolgate.config import ConfigurationError
from toolgate.errors import (
    DuplicateTool,
    InternalError,
    InvalidToken,
    Kind,
    PolicyUnavailable,
    TaskNotFound,
    TimeoutExceeded,
    ToolDeprecated,
    ToolgateError,
    ToolNotFound,
)
from toolgate.model.agent import AgentContext, ResourceLimits
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


async def test_a_tool_that_cancels_itself_and_returns_is_cancelled(gate: Toolgate) -> None:
    @tool
    async def suicidal(context: ToolContext) -> str:
        await asyncio.sleep(0)
        assert (await gate.cancel(context.invocation_id)).cancelled
        return "done"

    gate.add(suicidal)
    outcome = await gate.call("suicidal")
    assert (outcome.kind, outcome.output) == (Kind.CANCELLED, None)
    await asyncio.sleep(0)  # would raise if the cancellation had been left behind
    assert (await stored(gate, outcome)).kind is Kind.CANCELLED


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


# ---------------------------------------------------------------- tools that try to break their record


async def test_a_tool_whose_exception_cannot_be_logged_still_has_a_record(gate: Toolgate) -> None:
    gate.add(tool(raises(ValueError("\ud800")), tool_id="bad"))
    outcome = await gate.call("bad")
    assert (await stored(gate, outcome)).kind is Kind.FAILED


async def test_a_failure_that_is_no_text_still_has_a_record(gate: Toolgate) -> None:
    gate.add(tool(raises(ToolFailure({"a": 1})), tool_id="bad"))  # type: ignore[arg-type]
    outcome = await gate.call("bad")
    assert (await stored(gate, outcome)).kind is Kind.FAILED


@pytest.mark.parametrize("error", [InvalidToken(reason="x"), ToolDeprecated(), InternalError(), PolicyUnavailable()])
async def test_a_tool_cannot_speak_in_the_layers_name(gate: Toolgate, error: ToolgateError) -> None:
    gate.add(tool(raises(error), tool_id="liar"))
    outcome = await gate.call("liar")
    assert outcome.error is not None
    assert (outcome.kind, outcome.error.number) == (Kind.FAILED, "E3108")


async def test_a_side_effect_that_cannot_be_written_fails_the_tool_not_the_record(gate: Toolgate) -> None:
    @tool
    def odd(context: ToolContext) -> None:
        context.side_effect("created", "/x", new_value=object())

    gate.add(odd)
    outcome = await gate.call("odd")
    assert (await stored(gate, outcome)).kind is Kind.FAILED


async def test_a_flood_of_side_effects_is_cut_off(gate: Toolgate) -> None:
    @tool
    def busy(context: ToolContext) -> None:
        for number in range(1000):
            context.side_effect("created", f"/{number}")

    gate.add(busy)
    outcome = await gate.call("busy")
    assert outcome.kind is Kind.FAILED
    assert len((await stored(gate, outcome)).side_effects) == 100


async def test_what_a_failed_call_did_stays_on_record(gate: Toolgate) -> None:
    @tool
    def half(context: ToolContext) -> None:
        context.side_effect("created", "/x")
        raise ValueError

    gate.add(half)
    outcome = await gate.call("half")
    assert [effect.resource for effect in (await stored(gate, outcome)).side_effects] == ["/x"]


async def test_an_outcome_that_breaks_its_own_record_is_kept_as_an_internal_error(
    gate: Toolgate, monkeypatch: pytest.MonkeyPatch
) -> None:
    from toolgate.engine import ledger

    def broken(*_: Any, **__: Any) -> Any:
        raise KeyError("x")

    monkeypatch.setattr(ledger, "_record", broken)
    outcome = await gate.call("echo", text="x")
    assert (outcome.kind, outcome.output) == (Kind.INTERNAL, None)
    assert (await stored(gate, outcome)).kind is Kind.INTERNAL


async def test_an_inline_tool_that_overruns_its_deadline_is_timed_out(gate: Toolgate, clock: FakeClock) -> None:
    @tool(blocking=False, timeout_seconds=1)
    def slow() -> str:
        clock.advance(2)
        return "too late"

    gate.add(slow)
    outcome = await gate.call("slow")
    assert (outcome.kind, outcome.output) == (Kind.TIMEOUT, None)


async def test_a_secret_in_the_name_of_a_parameter_is_not_in_the_record(gate: Toolgate) -> None:
    gate.add(add)
    outcome = await gate.call("add", {"a": 1, "AKIAIOSFODNN7EXAMPLE": 1})
    record = await stored(gate, outcome)
    assert "AKIAIOSFODNN7EXAMPLE" not in str(record.error)
    assert "AKIAIOSFODNN7EXAMPLE" not in str(outcome.error)


async def test_a_secret_that_a_tool_puts_into_its_exception_is_not_in_the_log(
    gate: Toolgate, caplog: pytest.LogCaptureFixture
) -> None:
    @tool
    def login(password: str) -> None:
        raise RuntimeError(f"cannot log in with {password}")

    gate.add(login)
    await gate.call("login", password="tr0ub4dor")
    assert "cannot log in" in caplog.text
    assert "tr0ub4dor" not in caplog.text


async def test_a_caller_cannot_rewrite_history_through_its_outcome(gate: Toolgate) -> None:
    outcome = await gate.call("echo", text="x")
    outcome.invocation.notices.append("forged")
    outcome.invocation.tool_id = "forged"
    record = await stored(gate, outcome)
    assert (record.invocation.notices, record.invocation.tool_id) == ([], "echo")


async def test_limits_that_nobody_enforces_are_announced(gate: Toolgate) -> None:
    gate.add(add)
    token = gate.parts.issuer.mint("add", agent_did="a", tenant_id="t")
    limits = ResourceLimits(memory_mb_limit=1)
    request = ToolInvokeRequest(
        tool_id="add", parameters={"a": 1, "b": 2}, capability_token=token, resource_limits=limits
    )
    response = await gate.invoke(request)
    assert response.execution_metadata is not None
    assert response.execution_metadata.notices == [
        "cpu, memory and bandwidth limits are not enforced for tools that run in process"
    ]


async def test_another_function_under_the_same_name_is_refused(gate: Toolgate) -> None:
    gate.add(tool(lambda: 1, tool_id="same"))
    with pytest.raises(DuplicateTool):
        gate.add(tool(lambda: 2, tool_id="same"))
    with pytest.raises(DuplicateTool):
        gate.add(tool(lambda: 1, tool_id="same", sandbox=True))


async def test_an_id_that_was_never_used_is_not_found(gate: Toolgate) -> None:
    with pytest.raises(TaskNotFound):
        await gate.cancel("0197f2a4-7c1e-7d1a-8f55-0123456789ab")
    with pytest.raises(TaskNotFound):
        await gate.status("0197f2a4-7c1e-7d1a-8f55-0123456789ab")


async def test_a_running_call_says_that_it_runs(gate: Toolgate) -> None:
    @tool
    async def forever() -> None:
        await asyncio.Event().wait()

    gate.add(forever)
    task = await start(gate.call("forever"))
    invocation_id = await under_way(gate, "forever")
    assert (await gate.status(invocation_id)).status == "running"
    await gate.cancel(invocation_id)
    await task


@pytest.mark.parametrize("option", [{"priority": "urgent"}, {"timeout_seconds": "5"}, {"metadata": 1}])
async def test_an_option_of_a_wrong_type_is_misuse(gate: Toolgate, option: dict[str, Any]) -> None:
    with pytest.raises(MisuseError):
        await gate.call("echo", {"text": "x"}, **option)


async def test_an_address_with_a_password_is_not_in_what_a_gate_says_of_itself() -> None:
    assert "s3cret" not in repr(Toolgate(settings={"store": "postgresql://u:s3cret@h/db"}))
    with pytest.raises(ConfigurationError) as refused:
        await Toolgate(settings={"store": "postgresql:u:s3cret@h/db"}).__aenter__()
    assert "s3cret" not in str(refused.value)
