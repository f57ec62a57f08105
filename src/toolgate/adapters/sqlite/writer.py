"""The one thread that writes. Whatever waits when it comes round shares a transaction and its disk flush.

Nobody is answered before the commit. A record that cannot be stored fails alone, and a caller that goes away does
not take its record along. The queue is bounded: more callers than that are refused at once.
"""

import asyncio
import sqlite3
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from typing import NamedTuple, TypeAlias

from toolgate.adapters.sql.row import RecordRows
from toolgate.adapters.sql.statements import RecordInserts
from toolgate.errors import IdempotencyConflict, StoreUnavailable

MAX_BATCH = 1024
MAX_WAITING = 16_384

Job: TypeAlias = Callable[[sqlite3.Connection], None]
_Answer: TypeAlias = "asyncio.Future[None]"


class _Write(NamedTuple):
    """Either the rows of a record or another job, and who waits for it."""

    rows: RecordRows | None
    job: Job | None
    answer: _Answer
    loop: asyncio.AbstractEventLoop


class GroupCommitWriter:
    def __init__(self, connect: Callable[[], sqlite3.Connection], *, max_waiting: int = MAX_WAITING) -> None:
        self.commits = 0
        self._connect = connect
        self._max_waiting = max_waiting
        self._inserts = RecordInserts.for_dialect("sqlite")
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._closed = False
        self._connection: sqlite3.Connection | None = connect()
        self._thread = threading.Thread(target=self._run, name="toolgate-sqlite-writer", daemon=True)
        self._thread.start()

    async def store(self, rows: RecordRows) -> None:
        """Raises:
        IdempotencyConflict: a record with this invocation id exists.
        StoreUnavailable: it was not stored.
        """
        await self._put(rows, None)

    async def run(self, job: Job) -> None:
        """Run another write in the same thread, in a transaction of its own or shared."""
        await self._put(None, job)

    async def close(self) -> None:
        """Store what waits, then stop."""
        if not self._closed:
            self._closed = True
            self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        self._refuse_stragglers()

    def _put(self, rows: RecordRows | None, job: Job | None) -> _Answer:
        if self._closed or self._queue.qsize() >= self._max_waiting:
            raise StoreUnavailable()
        loop = asyncio.get_running_loop()
        answer: _Answer = loop.create_future()
        self._queue.put(_Write(rows, job, answer, loop))
        return answer

    def _refuse_stragglers(self) -> None:
        """Another thread may have passed the check for closed just before it was."""
        while not self._queue.empty():
            write = self._queue.get()
            if write is not None:
                _answer([write], [StoreUnavailable()])

    # ------------------------------------------------------------ in the thread

    def _run(self) -> None:
        open_for_more = True
        while open_for_more:
            batch, open_for_more = self._take()
            if batch:
                _answer(batch, self._commit(batch))
        if self._connection is not None:
            self._connection.close()

    def _take(self) -> tuple[list[_Write], bool]:
        """Wait for a write, then take all that wait with it; False once the end was asked for."""
        batch: list[_Write] = []
        write = self._queue.get()
        while write is not None:
            batch.append(write)
            if len(batch) == MAX_BATCH or self._queue.empty():
                return batch, True
            write = self._queue.get()
        return batch, False

    def _commit(self, batch: Sequence[_Write]) -> Sequence[Exception | None]:
        """Store the batch; the answer says, write by write, what went wrong."""
        try:
            try:
                return self._commit_together(batch)
            except _WRITE_FAULTS:
                return self._commit_one_by_one(batch)
        except Exception as error:  # whatever it was, nobody may be left waiting and the next batch is served
            return [_unavailable(error) for _ in batch]

    def _commit_together(self, batch: Sequence[_Write]) -> Sequence[None]:
        with self._transaction() as connection:
            self._insert(connection, [write.rows for write in batch if write.rows is not None])
            for write in batch:
                if write.job is not None:
                    write.job(connection)
        return [None] * len(batch)

    def _commit_one_by_one(self, batch: Sequence[_Write]) -> Sequence[Exception | None]:
        with self._transaction() as connection:
            return [self._try(connection, write) for write in batch]

    def _try(self, connection: sqlite3.Connection, write: _Write) -> Exception | None:
        connection.execute("SAVEPOINT one")
        try:
            if write.rows is not None:
                self._insert(connection, [write.rows])
            if write.job is not None:
                write.job(connection)
        except _WRITE_FAULTS as error:
            connection.execute("ROLLBACK TO one")
            return _conflict(error) if write.rows is not None and _is_duplicate(error) else _unavailable(error)
        finally:
            if connection.in_transaction:
                connection.execute("RELEASE one")
        return None

    def _insert(self, connection: sqlite3.Connection, records: Sequence[RecordRows]) -> None:
        connection.executemany(self._inserts.invocation, [rows.invocation for rows in records])
        connection.executemany(self._inserts.result, [rows.result for rows in records if rows.result is not None])
        connection.executemany(self._inserts.event, [event for rows in records for event in rows.events])

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        connection = self._connection = self._connection or self._connect()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise
        self.commits += 1

    def _roll_back(self, connection: sqlite3.Connection) -> None:
        try:
            if connection.in_transaction:  # a full disk ends the transaction by itself
                connection.execute("ROLLBACK")
        except sqlite3.Error:
            with suppress(sqlite3.Error):
                connection.close()
            self._connection = None  # the next batch tries with a new one

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self._queue.qsize()} waiting"
        return f"GroupCommitWriter({self.commits} commits, {state})"


# What one write can be guilty of. Everything else that SQLite raises is the database's trouble, and everybody's.
_WRITE_FAULTS = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.InterfaceError,
    sqlite3.ProgrammingError,
    OverflowError,
    ValueError,
)


def _is_duplicate(error: Exception) -> bool:
    return getattr(error, "sqlite_errorname", None) == "SQLITE_CONSTRAINT_PRIMARYKEY"


def _conflict(error: Exception) -> IdempotencyConflict:
    conflict = IdempotencyConflict(what="invocation_id")
    conflict.__cause__ = error
    return conflict


def _unavailable(error: Exception) -> StoreUnavailable:
    unavailable = StoreUnavailable()
    unavailable.__cause__ = error
    return unavailable


def _answer(batch: Sequence[_Write], errors: Sequence[Exception | None]) -> None:
    """Wake the callers: one call into each event loop, however many wait there."""
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Answer, Exception | None]]] = {}
    for write, error in zip(batch, errors, strict=True):
        by_loop.setdefault(write.loop, []).append((write.answer, error))
    for loop, answers in by_loop.items():
        with suppress(RuntimeError):  # the loop is closed: nobody waits there any more
            loop.call_soon_threadsafe(_resolve, answers)


def _resolve(answers: Sequence[tuple[_Answer, Exception | None]]) -> None:
    for answer, error in answers:
        if answer.done():
            continue  # its caller went away; the record stays
        if error is None:
            answer.set_result(None)
        else:
            answer.set_exception(error)
