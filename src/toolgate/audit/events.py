"""The events that an outcome gives rise to (layer specification §4.3). Pure: the outbox keeps them, a relay sends them.

Parameters arrive encoded and redacted and are spliced in as they are.
"""

from typing import Any

import msgspec
import orjson
from uuid_utils import uuid7

from toolgate.errors import Kind
from toolgate.model.event import Event
from toolgate.model.invocation import Invocation
from toolgate.model.names import (
    EVENT_TOOL_FAILED,
    EVENT_TOOL_INVOKED,
    EVENT_TOOL_SUCCEEDED,
    EVENT_TOOL_TIMEOUT,
)
from toolgate.model.outcome import Outcome

SUMMARY_LIMIT = 200


def events_of(outcome: Outcome, output: bytes | None, *, invoked: bool) -> tuple[Event, ...]:
    """In order: `tool.invoked` if the call got past its permission checks, then exactly one terminal event.

    A timeout is announced twice, as the failure it is and as `tool.timeout` for whoever watches only those.
    """
    if outcome.kind is Kind.SUCCESS:
        return (_invoked(outcome), _succeeded(outcome, output)) if invoked else (_succeeded(outcome, output),)
    start = (_invoked(outcome),) if invoked else ()
    failed = _failed(outcome, EVENT_TOOL_FAILED)
    if outcome.kind is Kind.TIMEOUT:
        return (*start, failed, _failed(outcome, EVENT_TOOL_TIMEOUT))
    return (*start, failed)


def _invoked(outcome: Outcome) -> Event:
    data = _subject(outcome.invocation)
    data["parameters"] = orjson.Fragment(outcome.invocation.parameters)
    data["async_mode"] = False
    data["priority"] = outcome.invocation.priority
    return _event(EVENT_TOOL_INVOKED, outcome.invocation, data, at=outcome.invocation.started_at)


def _succeeded(outcome: Outcome, output: bytes | None) -> Event:
    data = _subject(outcome.invocation)
    data["result_summary"] = _summary(output)
    data["execution_metadata"] = _metadata(outcome)
    return _event(EVENT_TOOL_SUCCEEDED, outcome.invocation, data, at=outcome.completed_at)


def _failed(outcome: Outcome, event_type: str) -> Event:
    data = _subject(outcome.invocation)
    data["error"] = _error(outcome)
    data["execution_metadata"] = _metadata(outcome)
    return _event(event_type, outcome.invocation, data, at=outcome.completed_at)


def _subject(invocation: Invocation) -> dict[str, Any]:
    return {
        "invocation_id": invocation.invocation_id,
        "correlation_id": invocation.correlation_id,
        "agent_did": invocation.agent_did,
        "tenant_id": invocation.tenant_id,
        "tool_id": invocation.tool_id,
        "tool_version": invocation.tool_version,
    }


def _error(outcome: Outcome) -> dict[str, Any] | None:
    error = outcome.error
    if error is None:
        return None
    return {"code": error.code, "number": error.number, "message": error.message, "retryable": error.retryable}


def _metadata(outcome: Outcome) -> dict[str, Any]:
    usage, invocation = outcome.usage, outcome.invocation
    metadata: dict[str, Any] = {
        "duration_ms": round(outcome.duration_ms),
        "cpu_used_millicore_seconds": usage.cpu_ms,
        "memory_peak_mb": usage.memory_peak_mb,
    }
    if invocation.documents_accessed:
        metadata["documents_accessed"] = msgspec.to_builtins(invocation.documents_accessed)
    if invocation.checkpoints_created:
        metadata["checkpoints_created"] = msgspec.to_builtins(invocation.checkpoints_created)
    return metadata


def _summary(output: bytes | None) -> str:
    if output is None:
        return ""
    if len(output) <= SUMMARY_LIMIT:
        return output.decode()
    return output[:SUMMARY_LIMIT].decode(errors="ignore") + "…"


def _event(event_type: str, invocation: Invocation, data: dict[str, Any], *, at: float) -> Event:
    return Event(
        event_id=str(uuid7()),
        event_type=event_type,
        tenant_id=invocation.tenant_id,
        invocation_id=invocation.invocation_id,
        occurred_at=at,
        data=data,
    )
