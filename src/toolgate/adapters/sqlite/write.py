"""What waits to be written, and how those who wait for it are answered."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from queue import SimpleQueue
from typing import NamedTuple, TypeAlias

from toolgate.adapters.sql.row import RecordRows

Job: TypeAlias = Callable[[sqlite3.Connection], None]
Answer: TypeAlias = "asyncio.Future[None]"


class Write(NamedTuple):
    """Either the rows of a record or another job, and who waits for it."""

    rows: RecordRows | None
    job: Job | None
    answer: Answer
    loop: asyncio.AbstractEventLoop


class Done(NamedTuple):
    """A batch that was committed or refused; the errors say, write by write, what went wrong."""

    batch: Sequence[Write]
    errors: Sequence[Exception | None]

    def answer(self) -> None:
        """Wake the callers: one call into each event loop, however many wait there."""
        by_loop: dict[asyncio.AbstractEventLoop, list[tuple[Answer, Exception | None]]] = {}
        for write, error in zip(self.batch, self.errors, strict=True):
            by_loop.setdefault(write.loop, []).append((write.answer, error))
        for loop, answers in by_loop.items():
            with suppress(RuntimeError):  # the loop is closed: nobody waits there any more
                loop.call_soon_threadsafe(_resolve, answers)


class Answerer:
    """A thread that answers, so that the writer need not: a woken loop takes the interpreter from whoever wakes it."""

    def __init__(self) -> None:
        self._queue: SimpleQueue[Done | None] = SimpleQueue()
        threading.Thread(target=self._run, name="toolgate-sqlite-answers", daemon=True).start()

    def put(self, done: Done) -> None:
        self._queue.put(done)

    def close(self) -> None:
        """Stop once everything that was put has been answered."""
        self._queue.put(None)

    def _run(self) -> None:
        while (done := self._queue.get()) is not None:
            done.answer()


def _resolve(answers: Sequence[tuple[Answer, Exception | None]]) -> None:
    for answer, error in answers:
        if answer.done():
            continue  # its caller went away; the record stays
        if error is None:
            answer.set_result(None)
        else:
            answer.set_exception(error)
