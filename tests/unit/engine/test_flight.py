"""How a running call is stopped: deadline, cancel, caller gone, and tools that do not listen."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import pytest

from toolgate.engine.flight import GRACE_SECONDS, Abandoned, Flight, drive
from toolgate.model.invocation import Invocation
from toolgate.model.proof import Permit
from toolgate.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


def flight(clock: FakeClock, timeout_seconds: float = 10) -> Flight:
    facts = Invocation(invocation_id="i", correlation_id="c", tool_id="t", started_at=clock.now())
    return Flight(facts, clock, timeout_seconds=timeout_seconds)


async def start(steps: Coroutine[Any, Any, Any], under: Flight) -> asyncio.Task[Any]:
    """Run the steps in a task up to their first wait."""

    async def run() -> Any:
        return await drive(steps, under)

    task = asyncio.create_task(run())
    await asyncio.sleep(0)
    return task


async def test_a_call_that_never_waits_sets_no_timer(clock: FakeClock) -> None:
    async def steps() -> int:
        return 3

    assert await drive(steps(), flight(clock)) == 3
    assert "timers=0" in repr(clock)


async def test_a_call_that_waits_returns_its_value(clock: FakeClock) -> None:
    async def steps() -> int:
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        return 4

    assert await drive(steps(), flight(clock)) == 4


async def test_an_exception_of_the_steps_comes_through(clock: FakeClock) -> None:
    async def steps() -> None:
        await asyncio.sleep(0)
        raise LookupError("x")

    with pytest.raises(LookupError):
        await drive(steps(), flight(clock))


async def test_the_deadline_stops_a_call_and_says_so(clock: FakeClock) -> None:
    under = flight(clock, timeout_seconds=5)
    task = await start(asyncio.Event().wait(), under)
    clock.advance(4.9)
    await asyncio.sleep(0)
    assert not task.done()
    clock.advance(0.1)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert under.stopped_by == "timeout"
    assert not under.caller_left


async def test_a_tighter_deadline_takes_over_and_a_later_one_does_not(clock: FakeClock) -> None:
    under = flight(clock, timeout_seconds=5)
    task = await start(asyncio.Event().wait(), under)
    under.tighten(60)
    under.tighten(2)
    clock.advance(2)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert under.stopped_by == "timeout"


async def test_a_cancel_is_told_apart_from_a_timeout(clock: FakeClock) -> None:
    under = flight(clock)
    task = await start(asyncio.Event().wait(), under)
    assert under.cancel("enough")
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (under.stopped_by, under.stop_reason, under.caller_left) == ("cancel", "enough", False)


async def test_only_the_first_stop_counts(clock: FakeClock) -> None:
    under = flight(clock, timeout_seconds=1)
    task = await start(asyncio.Event().wait(), under)
    assert under.cancel("first")
    assert not under.cancel("second")
    clock.advance(1)
    with pytest.raises(asyncio.CancelledError):
        await task
    assert under.stopped_by == "cancel"


async def test_a_finished_call_cannot_be_stopped(clock: FakeClock) -> None:
    under = flight(clock)
    task = await start(asyncio.sleep(0), under)
    await task
    assert not under.cancel("late")
    assert under.stopped_by is None


async def test_a_cancelled_caller_is_not_taken_for_a_stop_of_ours(clock: FakeClock) -> None:
    under = flight(clock)
    task = await start(asyncio.Event().wait(), under)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert under.stopped_by is None
    assert under.caller_left


async def test_a_stop_of_ours_leaves_no_cancellation_behind_in_the_caller(clock: FakeClock) -> None:
    async def caller(under: Flight) -> str:
        with pytest.raises(asyncio.CancelledError):
            await drive(asyncio.Event().wait(), under)
        await asyncio.sleep(0)  # would raise if the cancellation were still pending
        task = asyncio.current_task()
        assert task is not None
        assert task.cancelling() == 0
        return "alive"

    under = flight(clock)
    task = asyncio.create_task(caller(under))
    await asyncio.sleep(0)
    under.cancel("x")
    assert await task == "alive"


async def swallow(*, exits: int) -> None:
    """Ignores every cancellation, and being closed as often as it is told."""
    while True:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            continue
        except GeneratorExit:
            exits -= 1
            if exits < 0:
                raise


@pytest.mark.parametrize("exits", [0, 1])
async def test_a_tool_that_swallows_its_cancellation_is_left_behind(clock: FakeClock, exits: int) -> None:
    under = flight(clock, timeout_seconds=1)
    task = await start(swallow(exits=exits), under)
    clock.advance(1)
    await asyncio.sleep(0)
    assert not task.done()
    clock.advance(GRACE_SECONDS)
    with pytest.raises(Abandoned):
        await task
    assert under.stopped_by == "timeout"


async def test_clean_up_after_a_stop_may_wait_within_the_grace(clock: FakeClock) -> None:
    cleaned = asyncio.Event()
    door = asyncio.Event()

    async def steps() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            await door.wait()
            cleaned.set()

    under = flight(clock, timeout_seconds=1)
    task = await start(steps(), under)
    clock.advance(1)
    await asyncio.sleep(0)
    door.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert cleaned.is_set()


async def test_a_timeout_inside_the_tool_stays_the_tools_own(clock: FakeClock) -> None:
    async def steps() -> str:
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            return "handled"
        return "not reached"

    under = flight(clock)
    assert await drive(steps(), under) == "handled"
    assert under.stopped_by is None


async def test_what_a_flight_holds_is_released_once(clock: FakeClock) -> None:
    released: list[int] = []
    under = flight(clock)
    under.hold(Permit(lambda: released.append(1)))
    under.hold(Permit(lambda: released.append(2)))
    under.release()
    under.release()
    assert released == [2, 1]
