"""The wire envelope of the envelope specification: `Ok | Error | Retryable`, in its own spelling.

Two places where that specification leaves no room. There is no envelope until the invocation has ended, so an
unfinished outcome renders as None. And `attempts` is at least 1: a call that was refused before anything ran counts as
the one try that its caller made (the layer's view says 0).
"""

from collections.abc import Mapping
from typing import Any, Final, cast

from toolgate.envelopes.facts import camel, details_of, failure_of, plain, retry_after_ms, text
from toolgate.errors import Kind
from toolgate.model.outcome import Failure, Outcome
from toolgate.model.status import STATUS_TABLE, EnvelopeStatus

CAUSE_DEPTH: Final = 3

# The specification knows three states; the operator's states act like one of them.
_CIRCUIT_STATES: Final[Mapping[str, str]] = {
    "closed": "closed",
    "disabled": "closed",
    "metrics_only": "closed",
    "half_open": "half-open",
    "half-open": "half-open",
    "open": "open",
    "forced_open": "open",
}


def to_envelope(outcome: Outcome) -> dict[str, Any] | None:
    """Render the outcome as an envelope; None until it has ended."""
    if not STATUS_TABLE[outcome.kind].envelope:
        return None
    invocation = outcome.invocation
    return {
        "status": envelope_status(outcome),
        **_output_or_error(outcome),
        "durationMs": round(outcome.duration_ms, 3),
        "attempts": max(1, invocation.attempts),
        "resolvedVersion": invocation.tool_version or None,
        "policySnapshot": _policy_snapshot(outcome),
        "correlationId": invocation.correlation_id,
        "origin": invocation.origin,
    }


def envelope_status(outcome: Outcome) -> EnvelopeStatus:
    if outcome.ok:
        return "Ok"
    return "Retryable" if outcome.may_repeat else "Error"


def _output_or_error(outcome: Outcome) -> dict[str, Any]:
    failure = failure_of(outcome)
    if failure is None:
        return {"output": outcome.output}
    return {"error": _error(outcome, failure)}


def _error(outcome: Outcome, failure: Failure) -> dict[str, Any]:
    error: dict[str, Any] = {
        "code": failure.taxonomy_code,
        "message": text(failure.message),
        "details": _details(outcome, failure),
        "isRetryable": outcome.may_repeat,
        "origin": outcome.invocation.origin,
        "category": failure.category,
        "number": failure.number,
    }
    cause = _cause(failure.details.get("caused_by"), depth=CAUSE_DEPTH)
    if cause is not None:
        error["causedBy"] = cause
    return error


def _details(outcome: Outcome, failure: Failure) -> dict[str, Any]:
    facts = {camel(name): value for name, value in details_of(failure).items() if name != "caused_by"}
    missing = next((error.pointer for error in failure.errors if error.code == "RequiredMissing"), None)
    if missing is not None:
        facts["missingField"] = text(missing)
    return facts | _backoff_hints(outcome, failure)


def _backoff_hints(outcome: Outcome, failure: Failure) -> dict[str, Any]:
    hints: dict[str, Any] = {}
    wait = retry_after_ms(failure)
    if wait is not None:
        hints["retryAfterMs"] = wait
    if outcome.kind in {Kind.RATE_LIMITED, Kind.CONCURRENCY} and "scope" in failure.details:
        hints["throttlingScope"] = plain(failure.details["scope"])
    if outcome.kind is Kind.CIRCUIT_OPEN:
        hints["circuitState"] = circuit_state(str(failure.details.get("circuit_state", "open")))
    return hints


def _cause(cause: Any, *, depth: int) -> dict[str, Any] | None:
    """The fact `caused_by` (`{code, message, caused_by?}`), down to a limited depth."""
    if depth == 0 or not isinstance(cause, Mapping):
        return None
    facts = cast(Mapping[str, Any], cause)
    rendered = {name: plain(facts[name]) for name in ("code", "message", "number") if name in facts}
    inner = _cause(facts.get("caused_by"), depth=depth - 1)
    return rendered if inner is None else {**rendered, "causedBy": inner}


def _policy_snapshot(outcome: Outcome) -> dict[str, Any]:
    """The policy in force. A call that was refused before policies applied shows only what was known of it."""
    invocation, snapshot = outcome.invocation, outcome.policy_snapshot
    if snapshot is None:
        return {"timeoutMs": _milliseconds(invocation.timeout_seconds), "redactions": list(invocation.redactions)}
    return {
        "timeoutMs": _milliseconds(snapshot.timeout_seconds),
        "retry": {"maxAttempts": snapshot.max_attempts},
        "rateLimitIds": list(snapshot.rate_limit_ids),
        "circuitState": circuit_state(snapshot.circuit_state),
        "redactions": list(snapshot.redactions or invocation.redactions),
    }


def circuit_state(state: str) -> str:
    """The envelope's word for a circuit state. One that cannot be read counts as open."""
    return _CIRCUIT_STATES.get(state, "open")


def _milliseconds(seconds: float) -> int:
    return round(seconds * 1000)
