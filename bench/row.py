"""What a benchmark says: a value, perhaps a ratio to something measured beside it, and the bar that one of them must
meet.
"""

from dataclasses import dataclass, field
from typing import Literal


@dataclass(frozen=True)
class Bar:
    """A limit that was set before anything was measured."""

    sense: Literal["at most", "at least", "within"]
    limit: float
    unit: str = "×"

    def is_met(self, value: float) -> bool:
        match self.sense:
            case "at most":
                return value <= self.limit
            case "at least":
                return value >= self.limit
            case "within":
                return abs(value - 1) <= self.limit

    def __str__(self) -> str:
        if self.sense == "within":
            return f"1.00 ± {self.limit:.2f}"
        sign = {"at most": "≤", "at least": "≥"}[self.sense]
        return f"{sign} {self.limit:g}{self.unit if self.unit == '×' else ' ' + self.unit}"


@dataclass(frozen=True, kw_only=True)
class Row:
    """`against` names what the ratio is to. Where it is set the bar is on the ratio, else on the value."""

    name: str
    value: float | None = None
    unit: str = ""
    ratio: float | None = None
    against: str = ""
    bar: Bar | None = None
    note: str = ""

    @property
    def is_met(self) -> bool | None:
        """None where there is no bar, or nothing was measured that could meet it."""
        judged = self.ratio if self.against else self.value
        if self.bar is None or judged is None:
            return None
        return self.bar.is_met(judged)

    @property
    def verdict(self) -> str:
        if self.bar is None:
            return ""
        return {True: "PASS", False: "MISS", None: "not measured"}[self.is_met]


@dataclass(frozen=True, kw_only=True)
class Section:
    """One subject: what was done, in a sentence or two, and its rows."""

    title: str
    method: str
    rows: list[Row] = field(default_factory=list[Row])


def quotient(value: float | None, reference: float | None) -> float | None:
    return None if value is None or not reference else value / reference
