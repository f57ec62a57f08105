"""A clock that moves only when told to."""

import asyncio
import heapq
from collections.abc import Callable
from itertools import count


class _FakeTimer:
    def __init__(self, callback: Callable[[], None]) -> None:
        self._callback: Callable[[], None] | None = callback

    def cancel(self) -> None:
        self._callback = None

    def fire(self) -> None:
        callback, self._callback = self._callback, None
        if callback is not None:
            callback()


class FakeClock:
    """Implements `Clock`. `advance` moves both clocks and fires the timers that became due, in order."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now
        self._monotonic = 1_000.0
        self._order = count()
        self._timers: list[tuple[float, int, _FakeTimer]] = []

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._monotonic

    def call_later(self, seconds: float, callback: Callable[[], None]) -> _FakeTimer:
        timer = _FakeTimer(callback)
        heapq.heappush(self._timers, (self._monotonic + seconds, next(self._order), timer))
        return timer

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.get_running_loop().create_future()
        self.call_later(seconds, lambda: None if woken.done() else woken.set_result(None))
        await woken

    def advance(self, seconds: float) -> None:
        until = self._monotonic + seconds
        while self._timers and self._timers[0][0] <= until:
            due, _, timer = heapq.heappop(self._timers)
            self._move_to(max(due, self._monotonic))
            timer.fire()
        self._move_to(until)

    def _move_to(self, monotonic: float) -> None:
        self._now += monotonic - self._monotonic
        self._monotonic = monotonic

    def __repr__(self) -> str:
        return f"FakeClock(now={self._now}, timers={len(self._timers)})"
