"""The layer specification's answers (§4.1)."""

from collections.abc import Callable

import pytest

from toolgate.envelopes.l03 import to_response, to_status
from toolgate.errors import ConnectionTimeout, FieldError, InvalidParameters, Kind, RateLimitExceeded, TimeoutExceeded
from toolgate.model.effect import Effect
from toolgate.model.outcome import Outcome
from toolgate.model.response import CheckpointMetadata
from toolgate.model.run import Usage

MakeOutcome = Callable[..., Outcome]


def test_the_metadata_say_when_how_long_and_with_what(make_outcome: MakeOutcome) -> None:
    usage = Usage(cpu_ms=40, memory_peak_mb=12, network_bytes_sent=1, network_bytes_received=2)
    metadata = to_response(make_outcome(usage=usage)).execution_metadata
    assert metadata is not None
    assert (metadata.duration_ms, metadata.started_at) == (1250, "2025-11-15T03:06:40.000000Z")
    assert metadata.completed_at == "2025-11-15T03:06:41.250000Z"
    assert (metadata.cpu_used_millicore_seconds, metadata.memory_peak_mb) == (40, 12)
    assert (metadata.network_bytes_sent, metadata.network_bytes_received) == (1, 2)
    assert (metadata.tool_version, metadata.correlation_id, metadata.attempts) == ("1.0.0", "c-1", 1)


def test_details_carry_facts_faulty_fields_and_the_wait(make_outcome: MakeOutcome) -> None:
    error = InvalidParameters(errors=[FieldError("/a", "must be an integer", "InvalidType")], summary="/a")
    faulty = to_response(make_outcome(error=error)).error
    assert faulty is not None
    assert faulty.details == {
        "summary": "/a",
        "errors": [{"pointer": "/a", "message": "must be an integer", "code": "InvalidType"}],
    }
    limited = to_response(make_outcome(error=RateLimitExceeded(scope="add", retry_after_ms=250.2))).error
    assert limited is not None
    assert limited.details is not None
    assert (limited.details["retry_after_ms"], limited.details["scope"]) == (251, "add")


@pytest.mark.parametrize(
    ("effect", "key", "may_repeat"),
    [
        (Effect.PURE, None, True),
        (Effect.IDEMPOTENT_WRITE, "k", True),
        (Effect.IDEMPOTENT_WRITE, None, False),
        (Effect.NON_IDEMPOTENT_WRITE, "k", False),
        (Effect.EXTERNAL_SIDE_EFFECTS, "k", False),
    ],
)
def test_a_passing_failure_says_whether_this_call_may_be_sent_again(
    make_outcome: MakeOutcome, effect: Effect, key: str | None, may_repeat: bool
) -> None:
    call = {"effect": effect, "idempotency_key": key}
    error = to_response(make_outcome(error=TimeoutExceeded(timeout_seconds=1), invocation=call)).error
    assert error is not None
    assert error.details is not None
    assert (error.retryable, error.details["may_repeat"]) == (True, may_repeat)


def test_an_unfinished_call_says_where_to_ask_and_not_when_it_ended(make_outcome: MakeOutcome) -> None:
    response = to_response(make_outcome(kind=Kind.RUNNING, output=None))
    assert response.polling_info is not None
    assert response.polling_info.status_url == f"/v1/invocations/{response.invocation_id}"
    assert response.execution_metadata is not None
    assert response.execution_metadata.completed_at is None


def test_path_traversal_in_an_invocation_id_stays_in_its_segment(make_outcome: MakeOutcome) -> None:
    call = {"invocation_id": "../tools?x#y"}
    polling = to_response(make_outcome(kind=Kind.PENDING, invocation=call)).polling_info
    assert polling is not None
    assert polling.status_url == "/v1/invocations/..%2Ftools%3Fx%23y"


def test_the_last_checkpoint_is_the_one_to_resume_from(make_outcome: MakeOutcome) -> None:
    checkpoints = [
        CheckpointMetadata(checkpoint_id=f"cp-{n}", checkpoint_type="macro", timestamp=f"2026-01-01T00:00:0{n}Z")
        for n in range(2)
    ]
    outcome = make_outcome(error=ConnectionTimeout(service="s"), invocation={"checkpoints_created": checkpoints})
    assert to_response(outcome).checkpoint_ref == "cp-1"
    assert to_status(outcome).latest_checkpoint == checkpoints[1]


def test_the_output_of_a_call_that_failed_is_not_shown(make_outcome: MakeOutcome) -> None:
    outcome = make_outcome(error=TimeoutExceeded(timeout_seconds=1), output={"half": "done"})
    assert to_response(outcome).result is None
    assert to_status(outcome).result is None
