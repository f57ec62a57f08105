"""Records for the store suites: ordinary ones, made of nothing but what a test wants to say about them."""

from typing import Any, Protocol

import msgspec
from uuid_utils import uuid7

from toolgate.errors import Kind, TimeoutExceeded
from toolgate.model.effect import Effect
from toolgate.model.event import Event
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome, PolicySnapshot, Record
from toolgate.ports import InvocationHistory, InvocationLog, Outbox, ToolStore

NOON = 1_700_000_000.0


class Store(Protocol):
    """What the suites ask of a fixture: the four store ports over one set of data."""

    @property
    def log(self) -> InvocationLog: ...

    @property
    def history(self) -> InvocationHistory: ...

    @property
    def tools(self) -> ToolStore: ...

    @property
    def outbox(self) -> Outbox: ...

    async def close(self) -> None: ...


def invocation_of(**facts: Any) -> Invocation:
    invocation_id: str = facts.pop("invocation_id", None) or str(uuid7())
    defaults: dict[str, Any] = {
        "correlation_id": invocation_id,
        "tool_id": "calculator.add",
        "tool_version": "1.0.0",
        "started_at": NOON,
        "agent_did": "did:agent:alice",
        "tenant_id": "acme",
        "session_id": "session-1",
        "effect": Effect.PURE,
        "attempts": 1,
        "parameters": b'{"b":2,"a":1}',
    }
    return Invocation(invocation_id=invocation_id, **{**defaults, **facts})


def record_of(*, output: bytes | None = b'{"sum":3}', events: tuple[str, ...] = (), **facts: Any) -> Record:
    """A success of these facts, with events of these types."""
    invocation = invocation_of(**facts)
    outcome = Outcome(
        invocation=invocation,
        kind=Kind.SUCCESS,
        completed_at=invocation.started_at + 0.25,
        duration_ms=250.125,
        output_size_bytes=None if output is None else len(output),
        policy_snapshot=PolicySnapshot(timeout_seconds=30.0),
    )
    return Record(outcome=outcome, output=output, events=tuple(event_of(invocation, kind) for kind in events))


def failure_of(kind: Kind = Kind.TIMEOUT, **facts: Any) -> Record:
    error = Failure.of(TimeoutExceeded(timeout_seconds=30.0))
    invocation = invocation_of(**facts)
    completed_at = invocation.started_at + 30
    outcome = Outcome(invocation=invocation, kind=kind, completed_at=completed_at, duration_ms=30_000.0, error=error)
    return Record(outcome=outcome, output=None)


def event_of(invocation: Invocation, event_type: str) -> Event:
    return Event(
        event_id=str(uuid7()),
        event_type=event_type,
        tenant_id=invocation.tenant_id,
        invocation_id=invocation.invocation_id,
        occurred_at=invocation.started_at,
        data={"z": 1, "a": 2},
    )


def stored(record: Record) -> Outcome:
    """The outcome that history must answer for this record: its output is the stored, redacted one."""
    output = None if record.output is None else msgspec.json.decode(record.output)
    return msgspec.structs.replace(record.outcome, output=output)
