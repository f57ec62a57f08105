"""The envelope specification's result (`Ok | Error | Retryable`) and its back-off hints."""

from collections.abc import Callable
from typing import Any

import pytest

from toolgate.envelopes.envelope import CAUSE_DEPTH, to_envelope
from toolgate.errors import (
    CircuitOpen,
    ConcurrencyLimitExceeded,
    FieldError,
    InvalidParameters,
    RateLimitExceeded,
    RetriesExhausted,
    ToolgateError,
    ToolNotFound,
)
from toolgate.model.outcome import Outcome, PolicySnapshot

MakeOutcome = Callable[..., Outcome]


def envelope_of(outcome: Outcome) -> dict[str, Any]:
    envelope = to_envelope(outcome)
    assert envelope is not None
    return envelope


def error_of(make_outcome: MakeOutcome, error: ToolgateError, *, attempts: int = 0) -> dict[str, Any]:
    return envelope_of(make_outcome(error=error, invocation={"attempts": attempts}))["error"]


def test_a_success_has_exactly_the_fields_of_the_specification(make_outcome: MakeOutcome) -> None:
    snapshot = PolicySnapshot(timeout_seconds=2.5, max_attempts=3, rate_limit_ids=("tool:add",))
    assert envelope_of(make_outcome(policy_snapshot=snapshot, invocation={"redactions": ("/token",)})) == {
        "status": "Ok",
        "output": 3,
        "durationMs": 1250.0,
        "attempts": 1,
        "resolvedVersion": "1.0.0",
        "policySnapshot": {
            "timeoutMs": 2500,
            "retry": {"maxAttempts": 3},
            "rateLimitIds": ["tool:add"],
            "circuitState": "closed",
            "redactions": ["/token"],
        },
        "correlationId": "c-1",
        "origin": "local",
    }


def test_a_tool_that_returns_nothing_still_has_an_output(make_outcome: MakeOutcome) -> None:
    """`Ok` means: output present, error absent."""
    envelope = envelope_of(make_outcome(output=None))
    assert envelope["output"] is None
    assert "error" not in envelope


def test_a_refusal_counts_as_the_one_try_that_was_made(make_outcome: MakeOutcome) -> None:
    """`attempts` is at least 1 in this specification."""
    refused = make_outcome(error=ToolNotFound(tool_id="x"), invocation={"attempts": 0})
    assert envelope_of(refused)["attempts"] == 1


def test_a_rate_limit_hints_when_and_which_limiter(make_outcome: MakeOutcome) -> None:
    error = error_of(make_outcome, RateLimitExceeded(scope="provider:github", retry_after_ms=250))
    assert error["details"] == {"scope": "provider:github", "retryAfterMs": 250, "throttlingScope": "provider:github"}
    error = error_of(make_outcome, ConcurrencyLimitExceeded(scope="agent", limit=4))
    assert error["details"]["throttlingScope"] == "agent"


def test_a_missing_field_is_named(make_outcome: MakeOutcome) -> None:
    faults = [FieldError("/a", "is wrong", "InvalidType"), FieldError("/b", "is required", "RequiredMissing")]
    details = error_of(make_outcome, InvalidParameters(errors=faults, summary="/a, /b"))["details"]
    assert details["missingField"] == "/b"
    assert [fault["pointer"] for fault in details["errors"]] == ["/a", "/b"]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("half_open", "half-open"),
        ("open", "open"),
        ("forced_open", "open"),
        ("garbage", "open"),
        ("disabled", "closed"),
    ],
)
def test_circuit_states_are_spelt_the_other_way_and_unreadable_means_open(
    make_outcome: MakeOutcome, ours: str, theirs: str
) -> None:
    error = error_of(make_outcome, CircuitOpen(circuit="add", circuit_state=ours))
    assert error["details"]["circuitState"] == theirs
    snapshot = PolicySnapshot(timeout_seconds=1, circuit_state=ours)
    assert envelope_of(make_outcome(policy_snapshot=snapshot))["policySnapshot"]["circuitState"] == theirs


def test_a_policy_that_never_applied_is_not_claimed(make_outcome: MakeOutcome) -> None:
    refused = make_outcome(error=ToolNotFound(tool_id="x"), invocation={"attempts": 0, "timeout_seconds": 3.0})
    assert envelope_of(refused)["policySnapshot"] == {"timeoutMs": 3000, "redactions": []}


def test_an_endless_chain_of_causes_is_cut(make_outcome: MakeOutcome) -> None:
    cause: dict[str, Any] = {"code": "external_api_error", "message": "503"}
    cause["caused_by"] = cause
    error = error_of(make_outcome, RetriesExhausted(attempts=3, caused_by=cause), attempts=3)
    depth = 0
    while "causedBy" in error:
        error, depth = error["causedBy"], depth + 1
        assert error["message"] == "503"
    assert depth == CAUSE_DEPTH
