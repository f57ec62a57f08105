"""The result-record specification's `ToolResult` (§4.1 to §4.4)."""

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.envelopes.tool_result import time_span, to_tool_result
from toolgate.errors import ToolExecutionFailed
from toolgate.model.identity import guid_of
from toolgate.model.outcome import Outcome
from toolgate.model.run import Usage
from toolgate.model.side_effect import SideEffect, SideEffectType

MakeOutcome = Callable[..., Outcome]


def result_of(outcome: Outcome) -> dict[str, Any]:
    result = to_tool_result(outcome)
    assert result is not None
    return result


def test_a_success_has_exactly_the_fields_of_the_specification(make_outcome: MakeOutcome) -> None:
    assert result_of(make_outcome(output_size_bytes=1)) == {
        "input": {"toolName": "add", "parameters": {"a": 1, "b": 2}},
        "metadata": {
            "executionId": "0190b2f0-0000-7000-8000-000000000001",
            "startedAt": "2025-11-15T03:06:40.000000Z",
            "completedAt": "2025-11-15T03:06:41.250000Z",
            "duration": "00:00:01.2500000",
            "outputSize": 1,
            "outputTruncated": False,
            "sandboxId": None,
            "resourceMetrics": None,
            "executionMetrics": {"attempts": 1},
            "agentId": guid_of("did:agent:a"),
            "userId": None,
            "batchId": None,
            "batchIndex": None,
            "correlationId": "c-1",
        },
        "output": 3,
        "status": 0,
        "statusName": "Success",
        "errorMessage": None,
        "errorCode": None,
        "sideEffects": None,
    }


def test_a_failure_captures_message_and_code(make_outcome: MakeOutcome) -> None:
    """§9, criterion 2; codes are SCREAMING_SNAKE_CASE (§4.1)."""
    result = result_of(make_outcome(error=ToolExecutionFailed(exception="ValueError"), output="half"))
    assert (result["status"], result["errorCode"]) == (30, "TOOL_EXECUTION_ERROR")
    assert result["errorMessage"] == "the tool failed with ValueError"
    assert result["output"] is None


def test_a_sandboxed_call_has_resource_metrics(make_outcome: MakeOutcome) -> None:
    metadata = result_of(make_outcome(sandbox_id="sb-1", usage=Usage(cpu_ms=5, memory_peak_mb=9)))["metadata"]
    assert metadata["sandboxId"] == "sb-1"
    assert (metadata["resourceMetrics"]["cpuTimeMs"], metadata["resourceMetrics"]["peakMemoryMb"]) == (5, 9)


def test_side_effects_are_listed_in_the_specifications_spelling(make_outcome: MakeOutcome) -> None:
    """§4.4."""
    effect = SideEffect(
        type=SideEffectType.EXTERNAL_API_CALLED,
        resource="https://example.org",
        timestamp="2026-01-01T00:00:00Z",
        is_reversible=True,
    )
    assert result_of(make_outcome(side_effects=(effect,)))["sideEffects"] == [
        {
            "type": "ExternalApiCalled",
            "resource": "https://example.org",
            "description": None,
            "previousValue": None,
            "newValue": None,
            "timestamp": "2026-01-01T00:00:00Z",
            "isReversible": True,
        }
    ]


@pytest.mark.parametrize("stored", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_parameters_that_cannot_be_read_are_not_shown(make_outcome: MakeOutcome, stored: bytes) -> None:
    assert result_of(make_outcome(invocation={"parameters": stored}))["input"]["parameters"] == {}


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "00:00:00.0000000"),
        (0.0001, "00:00:00.0000001"),
        (86_400_000, "1.00:00:00.0000000"),
        (359_999_999.9999, "4.03:59:59.9999999"),
    ],
)
def test_a_duration_is_written_like_a_time_span(milliseconds: float, text: str) -> None:
    assert time_span(milliseconds) == text


@given(st.integers(0, 10**12))
def test_a_time_span_can_be_read_back(milliseconds: int) -> None:
    clock, _, ticks = time_span(milliseconds).rpartition(".")
    days, _, rest = clock.rpartition(".")
    hours, minutes, seconds = (int(part) for part in rest.split(":"))
    total = ((int(days or 0) * 24 + hours) * 60 + minutes) * 60 + seconds
    assert total * 1000 + int(ticks) // 10_000 == milliseconds
