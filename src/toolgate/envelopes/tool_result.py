"""The `ToolResult` record of the result-record specification, as System.Text.Json would write it (camelCase).

`duration` is a .NET TimeSpan in its constant format (`00:00:01.2500000`). Enumerations are written by name, with the
numeric status beside its name. Agents and users are GUIDs there: `model.identity` derives them.
"""

from collections.abc import Mapping
from typing import Any, Final, cast

import msgspec

from toolgate.envelopes.facts import failure_of, plain, text
from toolgate.model.identity import guid_of
from toolgate.model.outcome import Outcome
from toolgate.model.side_effect import SideEffect
from toolgate.model.status import STATUS_TABLE, ToolExecutionStatus
from toolgate.model.timestamp import rfc3339

PARAMETER_DEPTH: Final = 64
_TICKS_PER_SECOND: Final = 10_000_000
_STATUS_NAMES: Final[Mapping[ToolExecutionStatus, str]] = {
    status: "".join(word.capitalize() for word in status.name.split("_")) for status in ToolExecutionStatus
}


def to_tool_result(outcome: Outcome) -> dict[str, Any] | None:
    """Render the outcome as a result record; None while there is none (pending, running)."""
    status = STATUS_TABLE[outcome.kind].result
    if status is None:
        return None
    failure = failure_of(outcome)
    return {
        "input": {"toolName": text(outcome.invocation.tool_id), "parameters": parameters_of(outcome)},
        "metadata": _metadata(outcome),
        "output": outcome.output if outcome.ok else None,
        "status": status.value,
        "statusName": _STATUS_NAMES[status],
        "errorMessage": text(failure.message) if failure else None,
        "errorCode": failure.code.upper() if failure else None,
        "sideEffects": [_side_effect(effect) for effect in outcome.side_effects] or None,
    }


def parameters_of(outcome: Outcome) -> dict[str, Any]:
    """The parameters as they were kept: encoded and redacted. What cannot be read is not shown."""
    try:
        parameters = msgspec.json.decode(outcome.invocation.parameters)
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        return {}
    return cast(dict[str, Any], plain(parameters, depth=PARAMETER_DEPTH)) if isinstance(parameters, dict) else {}


def _metadata(outcome: Outcome) -> dict[str, Any]:
    invocation = outcome.invocation
    return {
        "executionId": invocation.invocation_id,
        "startedAt": rfc3339(invocation.started_at),
        "completedAt": rfc3339(outcome.completed_at),
        "duration": time_span(outcome.duration_ms),
        "outputSize": outcome.output_size_bytes,
        "outputTruncated": outcome.output_truncated,
        "sandboxId": outcome.sandbox_id,
        "resourceMetrics": _resource_metrics(outcome),
        "executionMetrics": {"attempts": invocation.attempts},
        "agentId": guid_of(invocation.agent_did) if invocation.agent_did else None,
        "userId": guid_of(invocation.user_did) if invocation.user_did else None,
        "batchId": None,
        "batchIndex": None,
        "correlationId": invocation.correlation_id,
    }


def _resource_metrics(outcome: Outcome) -> dict[str, int] | None:
    if outcome.sandbox_id is None:
        return None
    usage = outcome.usage
    return {
        "cpuTimeMs": usage.cpu_ms,
        "peakMemoryMb": usage.memory_peak_mb,
        "networkBytesSent": usage.network_bytes_sent,
        "networkBytesReceived": usage.network_bytes_received,
    }


def _side_effect(effect: SideEffect) -> dict[str, Any]:
    return {
        "type": "".join(word.capitalize() for word in effect.type.value.split("_")),
        "resource": text(effect.resource),
        "description": None if effect.description is None else text(effect.description),
        "previousValue": plain(effect.previous_value),
        "newValue": plain(effect.new_value),
        "timestamp": effect.timestamp,
        "isReversible": effect.is_reversible,
    }


def time_span(milliseconds: float) -> str:
    """A .NET TimeSpan: `[d.]hh:mm:ss.fffffff`, in ticks of 100 ns."""
    seconds, ticks = divmod(round(max(0.0, milliseconds) * _TICKS_PER_SECOND / 1000), _TICKS_PER_SECOND)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return (f"{days}." if days else "") + f"{hours:02}:{minutes:02}:{seconds:02}.{ticks:07}"
