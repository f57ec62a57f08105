"""Counters and histograms for `/metrics`, in the Prometheus text format.

Labels come only from the registry and the status table, never from a caller: an unknown tool is counted as such.
"""

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from toolgate.errors import Kind
from toolgate.model.outcome import Outcome

_SECONDS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
_BYTES = (64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 10_485_760)
UNKNOWN_TOOL = "unknown"


class PrometheusMeter:
    """Implements `Meter`. One object a gate: two gates in one process do not share counters."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._invocations = Counter(
            "toolgate_invocations", "Invocations by outcome.", ("tool", "status", "code"), registry=self.registry
        )
        self._duration = Histogram(
            "toolgate_invocation_duration_seconds",
            "Time from the arrival of a call to its outcome.",
            ("tool",),
            buckets=_SECONDS,
            registry=self.registry,
        )
        self._output_size = Histogram(
            "toolgate_results_output_size_bytes",
            "Size of the encoded output.",
            buckets=_BYTES,
            registry=self.registry,
        )
        # Looking a child up by its labels takes a lock and a tuple; these are asked on every call.
        self._children: dict[tuple[str, Kind, str], tuple[Any, Any]] = {}

    def observe(self, outcome: Outcome) -> None:
        tool = outcome.invocation.tool_id if outcome.invocation.tool_version else UNKNOWN_TOOL
        code = outcome.error.code if outcome.error else ""
        key = (tool, outcome.kind, code)
        children = self._children.get(key)
        if children is None:
            children = (self._invocations.labels(tool, outcome.status.value, code), self._duration.labels(tool))
            self._children[key] = children
        children[0].inc()
        children[1].observe(outcome.duration_ms / 1000)
        if outcome.output_size_bytes is not None:
            self._output_size.observe(outcome.output_size_bytes)

    def render(self) -> bytes:
        return generate_latest(self.registry)
