"""Problem documents (RFC 9457)."""

from collections.abc import Callable

from toolgate.envelopes.problem import problem_of, to_problem
from toolgate.errors import FieldError, InvalidParameters, RateLimitExceeded, TaskNotFound
from toolgate.model.outcome import Outcome

MakeOutcome = Callable[..., Outcome]


def test_a_problem_has_the_standard_members_and_ours(make_outcome: MakeOutcome) -> None:
    outcome = make_outcome(error=RateLimitExceeded(scope="add", retry_after_ms=250), invocation={"attempts": 0})
    assert to_problem(outcome) == {
        "type": "urn:toolgate:error:E3303",
        "title": "Rate limit exceeded",
        "status": 429,
        "detail": "the rate limit of add is exhausted",
        "instance": "/v1/invocations/0190b2f0-0000-7000-8000-000000000001",
        "invocation_id": "0190b2f0-0000-7000-8000-000000000001",
        "code": "rate_limit_exceeded",
        "number": "E3303",
        "category": "PolicyError",
        "retryable": True,
        "may_repeat": True,
        "retry_after_ms": 250,
        "errors": [],
        "details": {"scope": "add", "retry_after_ms": 250},
    }


def test_a_success_is_no_problem(make_outcome: MakeOutcome) -> None:
    assert to_problem(make_outcome()) is None


def test_faulty_fields_are_listed_with_their_pointers() -> None:
    problem = problem_of(InvalidParameters(errors=[FieldError("/a", "is missing", "RequiredMissing")], summary="/a"))
    assert problem["type"] == "urn:toolgate:error:invalid_parameters"
    assert problem["errors"] == [{"pointer": "/a", "message": "is missing", "code": "RequiredMissing"}]
    assert "instance" not in problem


def test_a_failure_without_an_outcome_can_name_the_invocation() -> None:
    problem = problem_of(TaskNotFound(invocation_id="x/y"), invocation_id="x/y")
    assert problem["instance"] == "/v1/invocations/x%2Fy"
