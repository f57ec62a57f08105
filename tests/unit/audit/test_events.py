"""Events are CloudEvents 1.0 documents; every invocation has exactly one that ends it (layer specification §4.3)."""

import orjson
from hypothesis import given

from toolgate.audit.events import SUMMARY_LIMIT, events_of
from toolgate.errors import Kind, TimeoutExceeded
from toolgate.model.event import Event
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome
from toolgate.model.status import UNFINISHED
from toolgate.testing.strategies import outcomes

TERMINAL = {"ai.agent.tool.succeeded", "ai.agent.tool.failed"}


def outcome(kind: Kind = Kind.SUCCESS, error: Failure | None = None, tenant_id: str = "acme") -> Outcome:
    invocation = Invocation(
        invocation_id="0197f2a4-7c1e-7d1a-8f55-0123456789ab",
        correlation_id="c",
        tool_id="add",
        tool_version="1.0.0",
        agent_did="did:agent:x",
        tenant_id=tenant_id,
        started_at=1_800_000_000.25,
        parameters=b'{"a":1}',
    )
    return Outcome(
        invocation=invocation, kind=kind, completed_at=1_800_000_001.5, duration_ms=1250.0, output=3, error=error
    )


def documents(events: tuple[Event, ...]) -> list[dict[str, object]]:
    return [orjson.loads(event.body) for event in events]


def test_a_success_is_announced_as_invoked_and_succeeded() -> None:
    invoked, succeeded = documents(events_of(outcome(), b"3", invoked=True))
    assert invoked["type"] == "ai.agent.tool.invoked"
    assert invoked["time"] == "2027-01-15T08:00:00.250000Z"
    assert invoked["data"] == {
        "invocation_id": "0197f2a4-7c1e-7d1a-8f55-0123456789ab",
        "correlation_id": "c",
        "agent_did": "did:agent:x",
        "tenant_id": "acme",
        "tool_id": "add",
        "tool_version": "1.0.0",
        "parameters": {"a": 1},
        "async_mode": False,
        "priority": "normal",
    }
    assert succeeded["type"] == "ai.agent.tool.succeeded"
    assert succeeded["data"]["result_summary"] == "3"  # type: ignore[index]
    assert succeeded["data"]["execution_metadata"]["duration_ms"] == 1250  # type: ignore[index]


def test_a_document_has_the_required_attributes_and_lower_case_extensions() -> None:
    for document in documents(events_of(outcome(), b"3", invoked=True)):
        assert document["specversion"] == "1.0"
        assert {"id", "source", "type", "time", "datacontenttype", "subject", "data"} <= document.keys()
        assert document["partitionkey"] == "acme"
        assert all(name.isalnum() and name == name.lower() for name in document)


def test_a_caller_without_a_tenant_gets_no_empty_partition_key() -> None:
    (document,) = documents(events_of(outcome(tenant_id=""), b"3", invoked=False))
    assert "partitionkey" not in document


def test_a_timeout_is_announced_twice_and_ends_once() -> None:
    failure = Failure.of(TimeoutExceeded(timeout_seconds=1))
    types = [event.event_type for event in events_of(outcome(Kind.TIMEOUT, failure), None, invoked=True)]
    assert types == ["ai.agent.tool.invoked", "ai.agent.tool.failed", "ai.agent.tool.timeout"]


def test_every_event_has_an_id_of_its_own() -> None:
    events = events_of(outcome(), b"3", invoked=True)
    assert len({event.event_id for event in events} | {outcome().invocation_id}) == 3


def test_a_long_output_is_summarised() -> None:
    (event,) = events_of(outcome(), b'"' + "ä".encode() * 1000 + b'"', invoked=False)
    summary = event.data["result_summary"]
    assert summary.endswith("…")
    assert len(summary) <= SUMMARY_LIMIT + 1


@given(outcomes())
def test_every_ended_invocation_has_exactly_one_terminal_event(found: Outcome) -> None:
    if found.kind in UNFINISHED:
        return
    events = events_of(found, None, invoked=True)
    assert sum(event.event_type in TERMINAL for event in events) == 1
    assert all(event.invocation_id == found.invocation_id for event in events)


@given(outcomes())
def test_an_event_survives_being_written_and_read(found: Outcome) -> None:
    for event in events_of(found, b"1", invoked=True):
        assert orjson.loads(Event.read(event.body).body) == orjson.loads(event.body)
