"""The layer specification's answers (§4.1): `ToolInvokeResponse` and `ToolStatusResponse`.

`retryable` is the row's own flag: was this kind of failure passing? Whether *this* call may be sent again without
doing something twice is `details.may_repeat`, which is there whenever `retryable` is true.
"""

from typing import Any

from toolgate.envelopes.facts import details_of, failure_of, retry_after_ms, text
from toolgate.envelopes.links import invocation_path
from toolgate.errors import Kind
from toolgate.model.outcome import Failure, Outcome
from toolgate.model.response import (
    ExecutionMetadata,
    PollingInfo,
    ToolError,
    ToolInvocationStatus,
    ToolInvokeResponse,
    ToolStatusResponse,
)
from toolgate.model.status import UNFINISHED
from toolgate.model.timestamp import rfc3339


def to_response(outcome: Outcome) -> ToolInvokeResponse:
    """Render the outcome as the answer to `tool.invoke`."""
    if outcome.kind is Kind.SUCCESS:
        invocation = outcome.invocation
        return ToolInvokeResponse(
            invocation_id=invocation.invocation_id,
            status=ToolInvocationStatus.SUCCESS,
            result=outcome.output,
            execution_metadata=_metadata(outcome),
            checkpoint_ref=None if invocation.checkpoints_created is None else _checkpoint_ref(outcome),
        )
    return ToolInvokeResponse(
        invocation_id=outcome.invocation_id,
        status=outcome.status,
        error=_error(outcome),
        execution_metadata=_metadata(outcome),
        checkpoint_ref=_checkpoint_ref(outcome),
        polling_info=_polling(outcome),
    )


def to_status(outcome: Outcome) -> ToolStatusResponse:
    """Render the outcome as the answer to `tool.status`; once it has ended, with its result."""
    checkpoints = outcome.invocation.checkpoints_created
    return ToolStatusResponse(
        invocation_id=outcome.invocation_id,
        status=outcome.status,
        progress_percent=100 if outcome.ok else None,
        error=_error(outcome),
        latest_checkpoint=checkpoints[-1] if checkpoints else None,
        result=outcome.output if outcome.ok else None,
    )


def _metadata(outcome: Outcome) -> ExecutionMetadata:
    invocation, usage = outcome.invocation, outcome.usage
    return ExecutionMetadata(
        duration_ms=round(outcome.duration_ms),
        started_at=rfc3339(invocation.started_at),
        completed_at=None if outcome.kind in UNFINISHED else rfc3339(outcome.completed_at),
        # One CPU for one second is 1000 millicore-seconds, so a CPU millisecond is exactly one.
        cpu_used_millicore_seconds=usage.cpu_ms,
        memory_peak_mb=usage.memory_peak_mb,
        network_bytes_sent=usage.network_bytes_sent,
        network_bytes_received=usage.network_bytes_received,
        documents_accessed=invocation.documents_accessed,
        checkpoints_created=invocation.checkpoints_created,
        tool_version=invocation.tool_version or None,
        correlation_id=invocation.correlation_id,
        attempts=invocation.attempts,
        notices=invocation.notices or None,
    )


def _error(outcome: Outcome) -> ToolError | None:
    failure = failure_of(outcome)
    if failure is None:
        return None
    return ToolError(
        code=failure.code,
        message=text(failure.message),
        details=_details(outcome, failure) or None,
        retryable=failure.retryable,
        number=failure.number,
        category=failure.category,
    )


def _details(outcome: Outcome, failure: Failure) -> dict[str, Any]:
    details = details_of(failure)
    wait = retry_after_ms(failure)
    if wait is not None:
        details["retry_after_ms"] = wait
    if failure.retryable:
        details["may_repeat"] = outcome.may_repeat
    return details


def _checkpoint_ref(outcome: Outcome) -> str | None:
    checkpoints = outcome.invocation.checkpoints_created
    return checkpoints[-1].checkpoint_id if checkpoints else None


def _polling(outcome: Outcome) -> PollingInfo | None:
    if outcome.kind not in UNFINISHED:
        return None
    return PollingInfo(status_url=invocation_path(outcome.invocation_id))
