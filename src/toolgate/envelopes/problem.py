"""A failure as an HTTP problem document (RFC 9457).

The type is a URN, because a problem type names the row of the error table (docs/errors.md) and not a host.
"""

from typing import Any

from toolgate.envelopes.facts import details_of, failure_of, field_errors, retry_after_ms, text
from toolgate.envelopes.links import invocation_path
from toolgate.errors import ToolgateError
from toolgate.model.outcome import Failure, Outcome

MEDIA_TYPE = "application/problem+json"


def to_problem(outcome: Outcome) -> dict[str, Any] | None:
    """Render a failed outcome; None if it did not fail."""
    failure = failure_of(outcome)
    if failure is None:
        return None
    problem = _problem(failure, invocation_id=outcome.invocation_id)
    if failure.retryable:
        problem["may_repeat"] = outcome.may_repeat
    return problem


def problem_of(error: ToolgateError, *, invocation_id: str | None = None) -> dict[str, Any]:
    """Render a failure that no outcome stands for (a bad request body, an unknown id)."""
    return _problem(Failure.of(error), invocation_id=invocation_id)


def _problem(failure: Failure, *, invocation_id: str | None) -> dict[str, Any]:
    problem: dict[str, Any] = {
        "type": f"urn:toolgate:error:{failure.number or failure.code}",
        "title": failure.code.replace("_", " ").capitalize(),
        "status": failure.http_status,
        "detail": text(failure.message),
        "code": failure.code,
        "number": failure.number,
        "category": failure.category,
        "retryable": failure.retryable,
        "retry_after_ms": retry_after_ms(failure),
        "errors": field_errors(failure.errors),
        "details": {name: value for name, value in details_of(failure).items() if name != "errors"},
    }
    if invocation_id is not None:
        problem["instance"] = invocation_path(invocation_id)
        problem["invocation_id"] = text(invocation_id)
    return problem
