"""The one record of an invocation: whether it may be repeated, and how it is raised and stored."""

import msgspec
import pytest
from hypothesis import given

from toolgate.errors import (
    FieldError,
    InvalidParameters,
    Kind,
    PolicyUnavailable,
    RateLimitExceeded,
    TimeoutExceeded,
    ToolExecutionFailed,
    ToolgateError,
)
from toolgate.model.effect import Effect
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome
from toolgate.testing.strategies import outcomes


def outcome_of(error: ToolgateError | None, *, effect: Effect = Effect.PURE, attempts: int = 1) -> Outcome:
    call = Invocation(
        invocation_id="i", correlation_id="c", tool_id="t", started_at=0.0, effect=effect, attempts=attempts
    )
    kind = error.kind if error else Kind.SUCCESS
    return Outcome(
        invocation=call, kind=kind, completed_at=0.0, duration_ms=0.0, error=Failure.of(error) if error else None
    )


def test_a_refusal_may_always_be_repeated_because_nothing_ran() -> None:
    refused = outcome_of(RateLimitExceeded(scope="t"), effect=Effect.EXTERNAL_SIDE_EFFECTS, attempts=0)
    assert refused.may_repeat


def test_a_write_that_ran_is_not_repeated() -> None:
    assert not outcome_of(TimeoutExceeded(timeout_seconds=1), effect=Effect.NON_IDEMPOTENT_WRITE).may_repeat
    assert outcome_of(TimeoutExceeded(timeout_seconds=1), effect=Effect.PURE).may_repeat


def test_what_will_fail_again_is_not_repeated() -> None:
    assert not outcome_of(ToolExecutionFailed(exception="ValueError")).may_repeat
    assert not outcome_of(None).may_repeat


def test_a_denial_is_never_retryable_in_the_status_table() -> None:
    """Spec README §1: `Error` for every denial, also where the policy engine was only down."""
    assert not outcome_of(PolicyUnavailable(), attempts=0).may_repeat


@given(outcomes())
def test_only_a_passing_failure_may_be_repeated(outcome: Outcome) -> None:
    if outcome.may_repeat:
        assert outcome.error is not None
        assert outcome.error.retryable


def test_raise_for_status_raises_the_class_of_the_row() -> None:
    error = InvalidParameters(errors=[FieldError("/a", "is wrong", "InvalidType")], summary="/a")
    with pytest.raises(InvalidParameters) as caught:
        outcome_of(error).raise_for_status()
    assert caught.value.errors == error.errors
    succeeded = outcome_of(None)
    assert succeeded.raise_for_status() is succeeded


@given(outcomes())
def test_an_outcome_can_be_stored_and_read_back(outcome: Outcome) -> None:
    stored = msgspec.json.encode(outcome)
    assert msgspec.json.encode(msgspec.json.decode(stored, type=Outcome)) == stored
