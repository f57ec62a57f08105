"""An outcome as rows, and rows as the outcome: the only place that knows which value lies in which column. Pure.

Columns hold what is searched or reported; `details` holds the rest, so that nothing of an outcome is lost. Values are
the same on both databases: text for UUIDs, timestamps and JSON.
"""

from typing import Any, NamedTuple

import msgspec

from toolgate.adapters.cursor import is_invocation_id
from toolgate.adapters.sql.row import (
    Details,
    ErrorDetails,
    EventRow,
    InvocationRow,
    RecordRows,
    ResultRow,
    StoredOutcome,
)
from toolgate.adapters.sql.text import all_storable, json_text, storable, storable_json, storable_or_none
from toolgate.errors import Kind, StoreUnavailable
from toolgate.model.event import Event
from toolgate.model.identity import guid_of
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome, Record
from toolgate.model.response import CheckpointMetadata, DocumentAccess
from toolgate.model.run import NO_USAGE, Usage
from toolgate.model.side_effect import SideEffect
from toolgate.model.status import STATUS_TABLE
from toolgate.model.timestamp import rfc3339

ERROR_MESSAGE_LENGTH = 1024
ERROR_CODE_LENGTH = 64

# ---------------------------------------------------------------- a record becomes rows


def rows_of(record: Record) -> RecordRows:
    """Raises:
    StoreUnavailable: the record has no id that could be stored, or an event that cannot be written as JSON.
    """
    outcome = _storable_outcome(record.outcome)
    if not is_invocation_id(outcome.invocation.invocation_id):
        raise StoreUnavailable(reason="the invocation id is not a UUID")
    output = None if record.output is None else storable_json(record.output)
    words = _WORDS[outcome.kind]
    invocation = _invocation_row(outcome, output, words)
    try:
        events = [event_row(event) for event in record.events]
    except TypeError as error:
        raise StoreUnavailable(reason="an event cannot be written") from error
    result = None if words.result_status is None else _result_row(outcome, invocation, words.result_status)
    return RecordRows(invocation, result, events)


def event_row(event: Event) -> EventRow:
    names = (event.event_id, event.tenant_id, event.invocation_id)
    event_id, tenant_id, invocation_id = names if all_storable(*names) else map(storable, names)
    return EventRow(
        event_id, event.event_type, tenant_id, invocation_id, event.time, event.body.decode("utf-8", "replace")
    )


def event_of(body: str) -> Event:
    return Event.read(body.encode())


class _Words(NamedTuple):
    """How the tables spell a kind. Looked up once a record: an enumeration's own ways are many times slower."""

    kind: str
    status: str
    result_status: int | None

    @classmethod
    def of(cls, kind: Kind) -> "_Words":
        row = STATUS_TABLE[kind]
        return cls(kind.value, row.l03.value, None if row.result is None else int(row.result))


_WORDS = {kind: _Words.of(kind) for kind in STATUS_TABLE}


# The two widest rows are built by position, which takes half the time of keywords, on every call; a value of the wrong
# type in the wrong place does not pass the type checker, and the round trip through the rows is a test.


def _invocation_row(outcome: Outcome, output: str | None, words: _Words) -> InvocationRow:
    invocation, usage, error = outcome.invocation, outcome.usage, outcome.error
    checkpoints, completed_at = invocation.checkpoints_created, rfc3339(outcome.completed_at)
    parameters = storable_json(invocation.parameters)
    return InvocationRow(
        invocation.invocation_id,
        invocation.tool_id,
        invocation.tool_version,
        invocation.agent_did,
        invocation.tenant_id,
        invocation.session_id or None,
        parameters,
        output,
        words.status,
        error and error.code,
        error and error.message,
        rfc3339(invocation.started_at),
        completed_at,
        round(outcome.duration_ms),
        usage.cpu_ms,  # a millisecond of one core is a millicore-second
        usage.memory_peak_mb,
        usage.network_bytes_sent,
        usage.network_bytes_received,
        _json_or_none(invocation.documents_accessed),
        _json_or_none(checkpoints),
        storable(checkpoints[-1].checkpoint_id) if checkpoints else None,
        completed_at,  # created_at
        words.kind,
        invocation.correlation_id,
        invocation.causation_id,
        invocation.user_did,
        error and error.number,
        json_text(error.details) if error else None,
        invocation.attempts,
        json_text(_details(outcome, parameters if words.result_status is None else None)),
    )


def _result_row(outcome: Outcome, row: InvocationRow, status: int) -> ResultRow:
    invocation_id, agent_did, user_did = row.invocation_id, row.agent_did, row.user_did
    return ResultRow(
        invocation_id,
        invocation_id,
        row.tool_id,
        row.parameters,
        row.result,
        int(outcome.output_truncated),
        status,
        row.error_message and row.error_message[:ERROR_MESSAGE_LENGTH],
        row.error_code and row.error_code[:ERROR_CODE_LENGTH],
        json_text(outcome.side_effects) if outcome.side_effects else None,
        row.started_at,
        row.completed_at,
        row.duration_ms,
        outcome.output_size_bytes,
        outcome.sandbox_id,
        None if outcome.usage == NO_USAGE else json_text(outcome.usage),
        guid_of(agent_did) if agent_did else None,
        guid_of(user_did) if user_did else None,
        row.correlation_id,
    )


def _details(outcome: Outcome, input_json: str | None) -> Details:
    invocation, error = outcome.invocation, outcome.error
    return Details(
        invocation.started_at,
        outcome.completed_at,
        outcome.duration_ms,
        invocation.requested_version,
        invocation.origin,
        invocation.effect,
        invocation.idempotency_key,
        invocation.priority,
        invocation.timeout_seconds,
        invocation.redactions,
        invocation.notices,
        invocation.headers,
        invocation.metadata,
        outcome.policy_snapshot,
        error and _error_details(error),
        input_json,
    )


def _error_details(error: Failure) -> ErrorDetails:
    return ErrorDetails(
        category=error.category,
        taxonomy_code=error.taxonomy_code,
        http_status=error.http_status,
        retryable=error.retryable,
        errors=error.errors,
    )


def _json_or_none(value: Any) -> str | None:
    return None if value is None else json_text(value)


def _storable_outcome(outcome: Outcome) -> Outcome:
    """The outcome itself, or, if a hostile name is in it, a copy that can be stored."""
    invocation, error = outcome.invocation, outcome.error
    names = (
        invocation.tool_id,
        invocation.tool_version,
        invocation.agent_did,
        invocation.tenant_id,
        invocation.session_id,
        invocation.correlation_id,
        invocation.causation_id,
        invocation.user_did,
        outcome.sandbox_id,
    )
    if all_storable(*names) and (error is None or all_storable(error.code, error.message)):
        return outcome
    return msgspec.structs.replace(
        outcome,
        invocation=_storable_invocation(invocation),
        sandbox_id=storable_or_none(outcome.sandbox_id),
        error=error and msgspec.structs.replace(error, **_storable_error_text(error)),
    )


def _storable_invocation(invocation: Invocation) -> Invocation:
    return msgspec.structs.replace(
        invocation,
        tool_id=storable(invocation.tool_id),
        tool_version=storable(invocation.tool_version),
        agent_did=storable(invocation.agent_did),
        tenant_id=storable(invocation.tenant_id),
        session_id=storable(invocation.session_id),
        correlation_id=storable(invocation.correlation_id),
        causation_id=storable_or_none(invocation.causation_id),
        user_did=storable_or_none(invocation.user_did),
    )


def _storable_error_text(error: Failure) -> dict[str, str]:
    return {"code": storable(error.code, length=100), "message": storable(error.message, length=len(error.message))}


# ---------------------------------------------------------------- rows become an outcome

_decode_details = msgspec.json.Decoder(Details).decode
_decode_side_effects = msgspec.json.Decoder(tuple[SideEffect, ...]).decode
_decode_documents = msgspec.json.Decoder(list[DocumentAccess]).decode
_decode_checkpoints = msgspec.json.Decoder(list[CheckpointMetadata]).decode


def outcome_of(row: StoredOutcome) -> Outcome:
    """The outcome that these rows were made of, with the output as it was stored: redacted."""
    details = _decode_details(row.details)
    return Outcome(
        invocation=_invocation_of(row, details),
        kind=Kind(row.kind),
        completed_at=details.completed_at,
        duration_ms=details.duration_ms,
        output=None if row.output_json is None else msgspec.json.decode(row.output_json),
        output_size_bytes=row.output_size_bytes,
        output_truncated=bool(row.output_truncated),
        error=_failure_of(row, details.error),
        usage=_usage_of(row),
        side_effects=() if row.side_effects_json is None else _decode_side_effects(row.side_effects_json),
        sandbox_id=row.sandbox_id,
        policy_snapshot=details.policy_snapshot,
    )


def _invocation_of(row: StoredOutcome, details: Details) -> Invocation:
    documents, checkpoints = row.documents_accessed, row.checkpoints_created
    return Invocation(
        invocation_id=row.invocation_id,
        correlation_id=row.correlation_id,
        tool_id=row.tool_id,
        started_at=details.started_at,
        requested_version=details.requested_version,
        causation_id=row.causation_id,
        tool_version=row.tool_version,
        origin=details.origin,
        effect=details.effect,
        agent_did=row.agent_did,
        tenant_id=row.tenant_id,
        user_did=row.user_did,
        session_id=row.session_id or "",
        idempotency_key=details.idempotency_key,
        priority=details.priority,
        timeout_seconds=details.timeout_seconds,
        attempts=row.attempts,
        parameters=(row.input_json or details.input_json or "{}").encode(),
        redactions=details.redactions,
        notices=details.notices,
        headers=details.headers,
        metadata=details.metadata,
        documents_accessed=None if documents is None else _decode_documents(documents),
        checkpoints_created=None if checkpoints is None else _decode_checkpoints(checkpoints),
    )


def _failure_of(row: StoredOutcome, details: ErrorDetails | None) -> Failure | None:
    if details is None:
        return None
    return Failure(
        code=row.error_code or "",
        message=row.error_message or "",
        category=details.category,
        taxonomy_code=details.taxonomy_code,
        http_status=details.http_status,
        number=row.error_number,
        retryable=details.retryable,
        details=msgspec.json.decode(row.error_details or "{}"),
        errors=details.errors,
    )


def _usage_of(row: StoredOutcome) -> Usage:
    return Usage(
        cpu_ms=row.cpu_used_millicore_seconds,
        memory_peak_mb=row.memory_peak_mb,
        network_bytes_sent=row.network_bytes_sent,
        network_bytes_received=row.network_bytes_received,
    )
