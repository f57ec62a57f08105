"""How everything here is measured: candidates take turns, round by round, and the median of their samples counts.

A shared machine speeds up and slows down by the second. Candidates that take turns feel it alike, so their ratio
means something where their absolute figures do not.
"""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from functools import partial
from statistics import median

Call = Callable[[], Awaitable[object]]
Sample = Callable[[], Awaitable[float]]
LoadSample = Callable[[], Awaitable["Load"]]


@dataclass(frozen=True, kw_only=True)
class Effort:
    """How much is measured. `quick` is for a look between two edits, not for the record."""

    is_quick: bool

    @property
    def rounds(self) -> int:
        return 5 if self.is_quick else 7

    @property
    def load_rounds(self) -> int:
        """Of what runs for a fixed time and not for a number of calls."""
        return 5

    @property
    def load_seconds(self) -> float:
        return 0.2 if self.is_quick else 0.8

    def calls(self, count: int) -> int:
        return max(50, count // 4) if self.is_quick else count


@dataclass(frozen=True)
class Load:
    """What callers who never pause got out of a candidate."""

    calls_per_second: float
    cpu_us: float


async def medians(samples: Mapping[str, Sample], *, rounds: int) -> dict[str, float]:
    """The median of every candidate, in turns."""
    taken: dict[str, list[float]] = {name: [] for name in samples}
    for _ in range(rounds):
        for name, sample in samples.items():
            gc.collect()  # so that nobody pays for the garbage of whoever went before
            taken[name].append(await sample())
    return {name: median(values) for name, values in taken.items()}


def cpu_us(call: Call, *, calls: int) -> Sample:
    """Microseconds of processor time a call, over all threads of this process."""

    async def sample() -> float:
        before = time.process_time()
        for _ in range(calls):
            await call()
        return (time.process_time() - before) / calls * 1e6

    return sample


async def median_loads(samples: Mapping[str, LoadSample], *, rounds: int) -> dict[str, Load]:
    """The median rate and processor time of every candidate, in turns."""
    taken: dict[str, list[Load]] = {name: [] for name in samples}
    for _ in range(rounds):
        for name, sample in samples.items():
            gc.collect()
            taken[name].append(await sample())
    return {name: _median_load(loads) for name, loads in taken.items()}


def load_of(call: Call, *, callers: int, seconds: float) -> LoadSample:
    """As many callers as given, each of whom calls again as soon as it is answered."""
    return partial(_load, call, callers=callers, seconds=seconds)


async def _load(call: Call, *, callers: int, seconds: float) -> Load:
    finished = 0
    began, cpu = time.perf_counter(), time.process_time()
    end = began + seconds

    async def caller() -> None:
        nonlocal finished
        while time.perf_counter() < end:
            await call()
            finished += 1

    await asyncio.gather(*(caller() for _ in range(callers)))
    elapsed, cpu = time.perf_counter() - began, time.process_time() - cpu
    return Load(finished / elapsed, cpu / finished * 1e6)


def _median_load(loads: list[Load]) -> Load:
    return Load(median(load.calls_per_second for load in loads), median(load.cpu_us for load in loads))
