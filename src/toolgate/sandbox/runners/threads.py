"""Daemon threads for blocking Python tools.

`concurrent.futures` will not do: its threads are joined when the interpreter exits, and a tool that never returns
would take a place in the pool for good. Here a call that is given up takes its thread with it: the thread is told to
stop, is not counted any more, and a fresh one takes its place. Only so many can be lost before new calls are refused.
"""

import asyncio
import contextvars
import ctypes
import sys
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any

from toolgate.errors import SandboxCreationFailed

_Job = tuple[contextvars.Context, Callable[[], Any], asyncio.Future[Any]]

MAX_LOST = 64
"""Threads that may hang in tools that never returned before this process stops starting more."""


class StopTool(BaseException):
    """Raised inside a thread whose call was given up, so that a Python loop ends there."""


class _Worker:
    def __init__(self, pool: "ThreadPool", loop: asyncio.AbstractEventLoop) -> None:
        self._pool = pool
        self._loop = loop
        self.jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self.lost = False
        self.thread = threading.Thread(target=self._work, name="toolgate-tool", daemon=True)
        self.thread.start()

    def _work(self) -> None:
        try:
            self._work_until_told()
        except StopTool:
            pass  # it was sent for a tool that returned in the same moment

    def _work_until_told(self) -> None:
        while (job := self.jobs.get()) is not None:
            context, function, answer = job
            value, error = None, None
            try:
                value, error = _outcome_of(context, function)
            finally:  # even if StopTool arrives only now: the pool must hear that this thread is free
                del job, context, function
                heard = self._report(answer, value, error)
            if not heard or self.lost:
                return

    def _report(self, answer: asyncio.Future[Any], value: Any, error: BaseException | None) -> bool:
        try:
            self._loop.call_soon_threadsafe(self._pool.settle, self, answer, value, error)
        except RuntimeError:  # the loop is closed: nobody listens any more
            return False
        return True

    def give_up(self) -> None:
        """Ask the thread to stop. Python code obeys at its next instruction; a blocked system call does not."""
        self.lost = True
        self.jobs.put(None)
        if self.thread.ident is not None and not _is_traced():
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(self.thread.ident), ctypes.py_object(StopTool))


def _is_traced() -> bool:
    """True under a debugger, a profiler or coverage. A traced thread of CPython 3.11 spins, holding the interpreter,
    for as long as another thread has not taken the exception that was raised in it: one that waits never would.
    """
    return any((sys.gettrace(), sys.getprofile(), threading.gettrace(), threading.getprofile()))


def _outcome_of(context: contextvars.Context, function: Callable[[], Any]) -> tuple[Any, BaseException | None]:
    try:
        return context.run(function), None
    except BaseException as error:  # a tool may raise anything, SystemExit included; the caller decides
        return None, error


class ThreadPool:
    """At most `limit` calls at once; more wait their turn in order."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._busy = 0
        self._lost = 0
        self._idle: list[_Worker] = []
        self._turns: deque[asyncio.Future[None]] = deque()

    async def run(self, function: Callable[[], Any]) -> Any:
        """Call `function` in a thread; whatever it raises is raised here.

        Raises:
            SandboxCreationFailed: too many threads hang in tools that never returned.
        """
        await self._take_turn()
        try:
            worker = self._worker()
        except RuntimeError as error:  # the system gives us no more threads
            self._pass_turn()
            raise SandboxCreationFailed(reason="no thread could be started") from error
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        worker.jobs.put((contextvars.copy_context(), function, answer))
        try:
            return await answer
        except asyncio.CancelledError:
            if answer.cancelled():  # it was us who were cancelled, not the tool that raised this
                self._lose(worker)
            raise

    async def _take_turn(self) -> None:
        if self._lost >= MAX_LOST:
            raise SandboxCreationFailed(reason="too many tools have not returned from earlier calls")
        if self._busy < self._limit:
            self._busy += 1
            return
        turn: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._pass_turn()
            raise

    def _pass_turn(self) -> None:
        while self._turns:
            turn = self._turns.popleft()
            if not turn.done():
                turn.set_result(None)
                return
        self._busy -= 1

    def _worker(self) -> _Worker:
        return self._idle.pop() if self._idle else _Worker(self, asyncio.get_running_loop())

    def settle(self, worker: _Worker, answer: asyncio.Future[Any], value: Any, error: BaseException | None) -> None:
        """Called in the loop's thread when a worker has finished its job."""
        if worker.lost:
            self._lost -= 1
            return
        self._idle.append(worker)
        self._pass_turn()
        if answer.done():
            return
        if error is None:
            answer.set_result(value)
        else:
            answer.set_exception(_carry(error))

    def _lose(self, worker: _Worker) -> None:
        if worker in self._idle:
            return  # it finished in the same moment
        self._lost += 1
        worker.give_up()
        self._pass_turn()

    def close(self) -> None:
        for worker in self._idle:
            worker.jobs.put(None)
        self._idle.clear()

    def __repr__(self) -> str:
        return f"ThreadPool(busy={self._busy}/{self._limit}, lost={self._lost})"


class ToolRaised(Exception):
    """Carries what a tool raised across the thread border."""

    def __init__(self, error: BaseException) -> None:
        super().__init__(type(error).__name__)
        self.error = error


def _carry(error: BaseException) -> Exception:
    return ToolRaised(error)
