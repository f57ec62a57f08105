"""Metrics: what was counted is what is rendered, and no caller can invent a label."""

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from toolgate.audit.metrics import SECONDS, PrometheusMeter, Tally
from toolgate.errors import Kind, ToolNotFound
from toolgate.model.invocation import Invocation
from toolgate.model.outcome import Failure, Outcome


def outcome(tool_id: str = "add", kind: Kind = Kind.SUCCESS, *, version: str = "1.0.0", ms: float = 2.0) -> Outcome:
    facts = Invocation(invocation_id="i", correlation_id="c", tool_id=tool_id, started_at=0.0, tool_version=version)
    error = None if kind is Kind.SUCCESS else Failure.of(ToolNotFound(tool_id=tool_id))
    return Outcome(invocation=facts, kind=kind, completed_at=1.0, duration_ms=ms, error=error, output_size_bytes=10)


LABELS = ("tool", "status", "code", "le")


def samples(meter: PrometheusMeter) -> dict[tuple[str, tuple[str, ...]], float]:
    return {
        (sample.name, tuple(sample.labels[name] for name in LABELS if name in sample.labels)): sample.value
        for family in text_string_to_metric_families(meter.render().decode())
        for sample in family.samples
    }


def test_outcomes_are_counted_by_tool_status_and_code() -> None:
    meter = PrometheusMeter()
    for _ in range(3):
        meter.observe(outcome())
    meter.observe(outcome(kind=Kind.NOT_FOUND))
    found = samples(meter)
    assert found["toolgate_invocations_total", ("add", "success", "")] == 3
    assert found["toolgate_invocations_total", ("add", "error", "tool_not_found")] == 1


def test_a_tool_that_does_not_exist_is_no_label_of_its_own() -> None:
    meter = PrometheusMeter()
    for number in range(100):
        meter.observe(outcome(f"invented-{number}", Kind.NOT_FOUND, version=""))
    assert samples(meter)["toolgate_invocations_total", ("unknown", "error", "tool_not_found")] == 100
    assert "invented" not in meter.render().decode()


def test_durations_are_cumulative_buckets_with_a_sum() -> None:
    meter = PrometheusMeter()
    for ms in (0.4, 2.0, 70_000.0):
        meter.observe(outcome(ms=ms))
    found = samples(meter)
    assert found["toolgate_invocation_duration_seconds_bucket", ("add", "0.0005")] == 1
    assert found["toolgate_invocation_duration_seconds_bucket", ("add", "0.0025")] == 2
    assert found["toolgate_invocation_duration_seconds_bucket", ("add", "+Inf")] == 3
    assert found["toolgate_invocation_duration_seconds_count", ("add",)] == 3


@given(st.lists(st.floats(0, 100)))
def test_a_tally_counts_every_value_once(values: list[float]) -> None:
    tally = Tally(SECONDS)
    for value in values:
        tally.add(value)
    counts = [count for _, count in tally.buckets()]
    assert counts == sorted(counts)
    assert counts[-1] == len(values)
    assert [count for _, count in tally.buckets()][:-1] == [sum(v <= bound for v in values) for bound in SECONDS]
