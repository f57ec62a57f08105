"""The shapes that rows have on their way in and out. The field names are column names and drive the statements."""

from typing import Any, NamedTuple

import msgspec

from toolgate.errors import FieldError
from toolgate.model.effect import Effect
from toolgate.model.outcome import PolicySnapshot
from toolgate.model.request import Priority


class InvocationRow(NamedTuple):
    """`tool_invocations`, in insert order."""

    invocation_id: str
    tool_id: str
    tool_version: str
    agent_did: str
    tenant_id: str
    session_id: str | None
    parameters: str
    result: str | None
    status: str
    error_code: str | None
    error_message: str | None
    started_at: str
    completed_at: str
    duration_ms: int
    cpu_used_millicore_seconds: int
    memory_peak_mb: int
    network_bytes_sent: int
    network_bytes_received: int
    documents_accessed: str | None
    checkpoints_created: str | None
    checkpoint_ref: str | None
    created_at: str
    kind: str
    correlation_id: str
    causation_id: str | None
    user_did: str | None
    error_number: str | None
    error_details: str | None
    attempts: int
    details: str


class ResultRow(NamedTuple):
    """`tool_execution_results`, in insert order."""

    id: str
    execution_id: str
    tool_name: str
    input_json: str
    output_json: str | None
    output_truncated: int
    status: int
    error_message: str | None
    error_code: str | None
    side_effects_json: str | None
    started_at: str
    completed_at: str
    duration_ms: int
    output_size_bytes: int | None
    sandbox_id: str | None
    resource_metrics_json: str | None
    agent_id: str | None
    user_id: str | None
    correlation_id: str


class EventRow(NamedTuple):
    """`event_outbox`, in insert order; the database gives the position."""

    event_id: str
    event_type: str
    tenant_id: str
    invocation_id: str
    time: str
    body: str


class RecordRows(NamedTuple):
    """Everything one record becomes. A call that has not ended has no result yet."""

    invocation: InvocationRow
    result: ResultRow | None
    events: list[EventRow]


class StoredOutcome(NamedTuple):
    """What is read back of an outcome, in select order: columns of `tool_invocations`, then of its result."""

    invocation_id: str
    tool_id: str
    tool_version: str
    agent_did: str
    tenant_id: str
    session_id: str | None
    error_code: str | None
    error_message: str | None
    cpu_used_millicore_seconds: int
    memory_peak_mb: int
    network_bytes_sent: int
    network_bytes_received: int
    documents_accessed: str | None
    checkpoints_created: str | None
    kind: str
    correlation_id: str
    causation_id: str | None
    user_did: str | None
    error_number: str | None
    error_details: str | None
    attempts: int
    details: str
    input_json: str | None
    output_json: str | None
    output_truncated: bool | None
    side_effects_json: str | None
    output_size_bytes: int | None
    sandbox_id: str | None


class ErrorDetails(msgspec.Struct, kw_only=True, omit_defaults=True):
    category: str
    taxonomy_code: str
    http_status: int
    retryable: bool = False
    errors: tuple[FieldError, ...] = ()


class Details(msgspec.Struct, omit_defaults=True, gc=False):
    """What no column holds exactly. Floats are here because columns round them."""

    started_at: float
    completed_at: float
    duration_ms: float
    requested_version: str | None = None
    origin: str = "local"
    effect: Effect = Effect.NON_IDEMPOTENT_WRITE
    idempotency_key: str | None = None
    priority: Priority = "normal"
    timeout_seconds: float = 30.0
    redactions: tuple[str, ...] = ()
    notices: list[str] = []
    headers: dict[str, str] | None = None
    metadata: dict[str, Any] | None = None
    policy_snapshot: PolicySnapshot | None = None
    error: ErrorDetails | None = None
    input_json: str | None = None  # the exact text, of a call that has no result row to hold it yet
