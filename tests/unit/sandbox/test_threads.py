"""Threads for blocking tools: order, bounds, and tools that never come back."""

import asyncio
import subprocess
import sys
import threading
import time

import pytest

from toolgate.errors import SandboxCreationFailed
from toolgate.sandbox.runners import threads
from toolgate.sandbox.runners.threads import ThreadPool, ToolRaised


@pytest.fixture
def pool() -> ThreadPool:
    return ThreadPool(2)


async def test_a_function_runs_in_another_thread_and_returns_its_value(pool: ThreadPool) -> None:
    assert await pool.run(threading.get_ident) != threading.get_ident()


@pytest.mark.parametrize("error", [ValueError("x"), SystemExit(3), StopIteration(1), KeyboardInterrupt()])
async def test_whatever_a_function_raises_arrives_in_an_envelope(pool: ThreadPool, error: BaseException) -> None:
    def fail() -> None:
        raise error

    with pytest.raises(ToolRaised) as raised:
        await pool.run(fail)
    assert raised.value.error is error


async def test_threads_are_reused(pool: ThreadPool) -> None:
    first = await pool.run(threading.get_ident)
    assert {await pool.run(threading.get_ident) for _ in range(5)} == {first}


async def test_no_more_calls_run_at_once_than_the_limit(pool: ThreadPool) -> None:
    inside, most, lock, gate = 0, 0, threading.Lock(), threading.Event()

    def work() -> None:
        nonlocal inside, most
        with lock:
            inside += 1
            most = max(most, inside)
            if inside == 2:
                gate.set()
        gate.wait(10)
        with lock:
            inside -= 1

    await asyncio.gather(*(pool.run(work) for _ in range(8)))
    assert most == 2


async def give_up_on(pool: ThreadPool, started: threading.Event, function: object) -> None:
    task = asyncio.create_task(pool.run(function))  # type: ignore[arg-type]
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_tool_that_never_returns_does_not_keep_its_place(pool: ThreadPool) -> None:
    never, done = threading.Event(), []
    for _ in range(4):  # twice the limit
        started = threading.Event()

        def hang(started: threading.Event = started) -> None:
            started.set()
            never.wait()

        await give_up_on(pool, started, hang)
    done.append(await pool.run(lambda: "still works"))
    never.set()
    assert done == ["still works"]


BUSY_LOOP = """
import asyncio, threading
from toolgate.sandbox.runners.threads import ThreadPool

started, thread = threading.Event(), []

def spin():
    thread.append(threading.current_thread())
    started.set()
    while True:
        pass

async def main():
    task = asyncio.create_task(ThreadPool(1).run(spin))
    await asyncio.to_thread(started.wait, 10)
    task.cancel()
    await asyncio.wait([task])
    await asyncio.to_thread(thread[0].join, 10)
    print(thread[0].is_alive())

asyncio.run(main())
"""


def test_a_busy_loop_is_interrupted_when_its_call_is_given_up() -> None:
    """In a process of its own, because nothing is interrupted in one that is traced, as this one may be."""
    done = subprocess.run([sys.executable, "-c", BUSY_LOOP], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("False\n", "")


async def test_nothing_is_raised_in_a_thread_while_the_process_is_traced(
    pool: ThreadPool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(threads.sys, "gettrace", lambda: object())
    never, started, interrupted = threading.Event(), threading.Event(), threading.Event()

    def wait() -> None:
        try:
            started.set()
            never.wait()
        except threads.StopTool:
            interrupted.set()

    await give_up_on(pool, started, wait)
    never.set()
    async with asyncio.timeout(10):
        while "lost=1" in repr(pool):  # noqa: ASYNC110 - the pool tells nobody
            await asyncio.sleep(0.001)
    assert not interrupted.is_set()


async def test_too_many_lost_threads_refuse_new_calls(pool: ThreadPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MAX_LOST", 1)
    never, started = threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        never.wait()

    await give_up_on(pool, started, hang)
    with pytest.raises(SandboxCreationFailed):
        await pool.run(lambda: None)
    never.set()


async def test_a_lost_thread_that_comes_back_frees_its_place(pool: ThreadPool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(threads, "MAX_LOST", 1)
    never, started = threading.Event(), threading.Event()

    def hang() -> None:
        started.set()
        never.wait()

    await give_up_on(pool, started, hang)
    never.set()
    async with asyncio.timeout(10):
        while "lost=1" in repr(pool):  # noqa: ASYNC110 - the pool tells nobody
            await asyncio.sleep(0.001)
    assert await pool.run(lambda: 1) == 1


async def test_a_waiting_call_that_is_cancelled_gives_its_turn_on(pool: ThreadPool) -> None:
    gate = threading.Event()
    running = [asyncio.create_task(pool.run(lambda: gate.wait(10))) for _ in range(2)]
    await asyncio.sleep(0)
    waiting = asyncio.create_task(pool.run(lambda: "never"))
    await asyncio.sleep(0)
    waiting.cancel()
    gate.set()
    await asyncio.gather(*running)
    assert await pool.run(lambda: time.thread_time() >= 0)
    assert "busy=0/2" in repr(pool)
