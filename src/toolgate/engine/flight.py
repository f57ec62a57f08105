"""One invocation under way: its deadline, how it is interrupted, and what it holds.

The pipeline runs in its caller's task. `drive` steps it by hand, which buys three things that `asyncio.timeout` does
not give: a call that never waits pays for no timer, a stop by deadline is told apart from a stop by cancel, and a
tool that swallows its cancellation is left behind instead of holding its caller for ever.
"""

import asyncio
import types
from collections.abc import Coroutine, Generator
from contextlib import suppress
from typing import Any, Literal, TypeVar

from toolgate.model.invocation import Invocation
from toolgate.model.proof import Permit
from toolgate.ports import Clock, Timer

T = TypeVar("T")

GRACE_SECONDS = 2.0
"""How long a stopped call may take to clean up before it is left behind."""


class Abandoned(Exception):
    """The call did not end within its grace after it was stopped."""


class Flight:
    """Facts and controls of a running invocation. `stopped_by` is None until the layer itself stops it;
    `caller_left` says that somebody else cancelled the task, who must hear of it.
    """

    __slots__ = (
        "_cancels",
        "_clock",
        "_deadline",
        "_foreign_cancels",
        "_permits",
        "_task",
        "_timer",
        "abandoned",
        "caller_left",
        "granted",
        "invocation",
        "is_interruption_due",
        "key",
        "started",
        "stop_reason",
        "stopped_by",
    )

    def __init__(self, invocation: Invocation, clock: Clock, *, timeout_seconds: float) -> None:
        self.invocation = invocation
        self.key = ""
        self.granted = False
        self.stopped_by: Literal["timeout", "cancel"] | None = None
        self.stop_reason = ""
        self.abandoned = False
        self.started = clock.monotonic()
        self._clock = clock
        self._deadline = self.started + timeout_seconds
        self._permits: list[Permit] = []
        self._task: asyncio.Task[Any] | None = None
        self._timer: Timer | None = None
        self._cancels = 0
        self._foreign_cancels = 0
        self.caller_left = False
        self.is_interruption_due = False

    def tighten(self, timeout_seconds: float) -> None:
        """Bring the deadline forward; a later one changes nothing."""
        deadline = self.started + timeout_seconds
        if deadline < self._deadline:
            self._deadline = deadline
            if self._timer is not None:
                self._set_timer()

    def end(self, now: float) -> None:
        """The call came to its end by itself; too late, if the deadline passed while nothing could interrupt it."""
        if now > self._deadline and self.stopped_by is None:
            self.stopped_by = "timeout"

    def hold(self, permit: Permit) -> Permit:
        """Remember to give the permit back, whatever happens."""
        self._permits.append(permit)
        return permit

    def release(self) -> None:
        while self._permits:
            self._permits.pop().release()

    def cancel(self, reason: str) -> bool:
        """Stop the call; False if it is past stopping."""
        return self._stop("cancel", reason)

    def watch(self) -> None:
        """The call has begun to wait: from here on it can be interrupted."""
        self._task = task = asyncio.current_task()
        self._foreign_cancels = task.cancelling() if task is not None else 0
        self._set_timer()

    def unwatch(self) -> None:
        """The call has ended: take back the interruptions that were ours."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        task, self._task = self._task, None
        while task is not None and self._cancels:
            self._cancels -= 1
            task.uncancel()
        self.caller_left = task is not None and task.cancelling() > self._foreign_cancels

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        delay = max(0.0, self._deadline - self._clock.monotonic())
        self._timer = self._clock.call_later(delay, self._expire)

    def _expire(self) -> None:
        self._stop("timeout", "deadline")

    def _stop(self, cause: Literal["timeout", "cancel"], reason: str) -> bool:
        if self.stopped_by is not None or self._task is None:
            return False
        self.stopped_by, self.stop_reason = cause, reason
        self._interrupt()
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._clock.call_later(GRACE_SECONDS, self._abandon)
        return True

    def _abandon(self) -> None:
        self.abandoned = True
        self._interrupt()

    def _interrupt(self) -> None:
        if self._task is not None:
            self._cancels += 1
            self.is_interruption_due = True
            self._task.cancel()

    def __repr__(self) -> str:
        return f"Flight({self.invocation.invocation_id}, stopped_by={self.stopped_by}, holds={len(self._permits)})"


@types.coroutine
def drive(steps: Coroutine[Any, Any, T], flight: Flight) -> Generator[Any, Any, T]:
    """Run `steps` in the current task to its end, or until the flight is stopped and its grace is over.

    Raises:
        Abandoned: the call was stopped and did not end in time; nothing waits for it any more.
    """
    try:
        signal = steps.send(None)
    except StopIteration as done:
        return done.value
    flight.watch()
    try:
        while True:
            try:
                value = yield signal
            except GeneratorExit:
                steps.close()
                raise
            except BaseException as interruption:
                flight.is_interruption_due = False
                if flight.abandoned:
                    _let_go(steps)
                    raise Abandoned from interruption
                signal = steps.throw(interruption)
            else:
                signal = steps.send(value)
    except StopIteration as done:
        if flight.is_interruption_due:  # asked for in the last step: the caller's next wait must not pay for it
            yield from _absorb_interruption()
        return done.value
    finally:
        flight.unwatch()


def _absorb_interruption() -> Generator[Any, Any, None]:
    with suppress(asyncio.CancelledError):
        yield


def _let_go(steps: Coroutine[Any, Any, Any]) -> None:
    try:
        steps.close()
    except RuntimeError:
        pass  # it ignores even this; the garbage collector will have to try again
