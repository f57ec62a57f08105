"""Counters and histograms for `/metrics`, in the Prometheus text format.

Calls are tallied in plain integers and turned into metric families only when somebody scrapes: the client library's
own counters take a lock and several calls for each observation, which would be a tenth of a governed call.

Labels come only from the registry and the status table, never from a caller: an unknown tool is counted as such.
"""

from bisect import bisect_left
from collections.abc import Iterator

from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from toolgate.errors import Kind
from toolgate.model.outcome import Outcome
from toolgate.model.status import STATUS_TABLE

SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
BYTES = (64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 10_485_760)
UNKNOWN_TOOL = "unknown"


class Tally:
    """Observations sorted into buckets. One writer: the event loop's thread."""

    __slots__ = ("_bounds", "counts", "total")

    def __init__(self, bounds: tuple[float, ...]) -> None:
        self._bounds = bounds
        self.counts = [0] * (len(bounds) + 1)
        self.total = 0.0

    def add(self, value: float) -> None:
        self.counts[bisect_left(self._bounds, value)] += 1
        self.total += value

    def buckets(self) -> list[tuple[str, float]]:
        """Cumulative, as the format wants them."""
        seen, rows = 0, list[tuple[str, float]]()
        for bound, count in zip((*self._bounds, float("inf")), self.counts, strict=True):
            seen += count
            rows.append((_bound_text(bound), seen))
        return rows


def _bound_text(bound: float) -> str:
    return "+Inf" if bound == float("inf") else repr(float(bound))


class PrometheusMeter(Collector):
    """Implements `Meter`. One object a gate: two gates in one process do not share counters."""

    def __init__(self) -> None:
        self._outcomes: dict[tuple[str, Kind, str], int] = {}
        self._durations: dict[str, Tally] = {}
        self._output_sizes = Tally(BYTES)
        self._registry = CollectorRegistry()
        self._registry.register(self)

    def observe(self, outcome: Outcome) -> None:
        invocation = outcome.invocation
        tool = invocation.tool_id if invocation.tool_version else UNKNOWN_TOOL
        key = (tool, outcome.kind, outcome.error.code if outcome.error else "")
        self._outcomes[key] = self._outcomes.get(key, 0) + 1
        durations = self._durations.get(tool)
        if durations is None:
            durations = self._durations[tool] = Tally(SECONDS)
        durations.add(outcome.duration_ms / 1000)
        if outcome.output_size_bytes is not None:
            self._output_sizes.add(outcome.output_size_bytes)

    def collect(self) -> Iterator[Metric]:
        yield self._invocations()
        yield self._duration_seconds()
        sizes = HistogramMetricFamily("toolgate_results_output_size_bytes", "Size of the encoded output.")
        sizes.add_metric([], self._output_sizes.buckets(), self._output_sizes.total)
        yield sizes

    def _invocations(self) -> Metric:
        family = CounterMetricFamily(
            "toolgate_invocations", "Invocations by outcome.", labels=("tool", "status", "code")
        )
        by_label: dict[tuple[str, str, str], int] = {}
        for (tool, kind, code), count in self._outcomes.items():
            label = (tool, STATUS_TABLE[kind].l03.value, code)
            by_label[label] = by_label.get(label, 0) + count
        for label, count in by_label.items():
            family.add_metric(label, count)
        return family

    def _duration_seconds(self) -> Metric:
        family = HistogramMetricFamily(
            "toolgate_invocation_duration_seconds",
            "Time from the arrival of a call to its outcome.",
            labels=("tool",),
        )
        for tool, tally in self._durations.items():
            family.add_metric([tool], tally.buckets(), tally.total)
        return family

    def render(self) -> bytes:
        return generate_latest(self._registry)
