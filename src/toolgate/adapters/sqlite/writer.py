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

from toolgate.adapters.sql.row import RecordRows
from toolgate.adapters.sqlite.insert import create_intake, insert_records, is_one_statement
from toolgate.adapters.sqlite.write import Answer, Answerer, Done, Job, Write
from toolgate.errors import IdempotencyConflict, StoreUnavailable

MAX_BATCH = 1024
MIN_SHARE = 16
MAX_WAITING = 16_384


class GroupCommitWriter:
    def __init__(self, connect: Callable[[], sqlite3.Connection], *, max_waiting: int = MAX_WAITING) -> None:
        self.commits = 0
        self._connect = connect
        self._max_waiting = max_waiting
        self._queue: SimpleQueue[Write | None] = SimpleQueue()
        self._closed = False
        self._connection: sqlite3.Connection | None = None
        self._connected()
        self._done: Done | None = None
        self._last_size = 0
        self._answerer = Answerer()
        self._thread = threading.Thread(target=self._run, name="toolgate-sqlite-writer", daemon=True)
        self._thread.start()

    def store(self, rows: RecordRows) -> Answer:
        """Queue a record; the answer comes after its commit.

        Raises:
            IdempotencyConflict: a record with this invocation id exists.
            StoreUnavailable: it was not stored.
        """
        return self._put(rows, None)

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

    def _put(self, rows: RecordRows | None, job: Job | None) -> Answer:
        if self._closed or self._queue.qsize() >= self._max_waiting:
            raise StoreUnavailable()
        loop = asyncio.get_running_loop()
        answer: Answer = loop.create_future()
        self._queue.put(Write(rows, job, answer, loop))
        return answer

    def _refuse_stragglers(self) -> None:
        """Another thread may have passed the check for closed just before it was."""
        while not self._queue.empty():
            write = self._queue.get()
            if write is not None:
                Done([write], [StoreUnavailable()]).answer()

    # ------------------------------------------------------------ in the thread

    def _run(self) -> None:
        open_for_more = True
        while open_for_more:
            batch, open_for_more = self._take()
            if batch:
                errors = self._commit(batch)
                self._hand_over()  # in case this commit never came to it
                self._done = Done(batch, errors)
            self._answer_if_idle()
        self._hand_over()
        self._answerer.close()
        if self._connection is not None:
            self._connection.close()

    def _answer_if_idle(self) -> None:
        """With more to write, the answers wait until SQLite is busy with it: callers come back while it works."""
        if self._done is not None and self._queue.empty():
            self._done.answer()
            self._done = None

    def _hand_over(self) -> None:
        if self._done is not None:
            self._answerer.put(self._done)
            self._done = None

    def _take(self) -> tuple[list[Write], bool]:
        """Wait for a write, then take a share of what waits; False once the end was asked for."""
        batch: list[Write] = []
        write = self._queue.get()
        share = self._share()
        while write is not None:
            batch.append(write)
            if len(batch) >= share or self._queue.empty():
                self._last_size = len(batch)
                return batch, True
            write = self._queue.get()
        return batch, False

    def _share(self) -> int:
        """Half of all callers, if that is worth a batch: one half is served while the other is committed.

        Those of the last batch are on their way back, so they count.
        """
        callers = self._queue.qsize() + 1 + self._last_size
        return min(MAX_BATCH, max(MIN_SHARE, -(-callers // 2)))

    def _commit(self, batch: Sequence[Write]) -> Sequence[Exception | None]:
        """Store the batch; the answer says, write by write, what went wrong."""
        try:
            try:
                self._commit_together(batch)
            except _WRITE_FAULTS:
                return self._commit_one_by_one(batch)
            return [None] * len(batch)
        except Exception as error:  # whatever it was, nobody may be left waiting and the next batch is served
            return [_unavailable(error) for _ in batch]

    def _commit_together(self, batch: Sequence[Write]) -> None:
        records = [write.rows for write in batch if write.rows is not None]
        jobs = [write.job for write in batch if write.job is not None]
        if not jobs and is_one_statement(records):
            insert_records(self._connected(), records)
            self.commits += 1
            return
        with self._transaction() as connection:
            insert_records(connection, records)
            for job in jobs:
                job(connection)

    def _commit_one_by_one(self, batch: Sequence[Write]) -> Sequence[Exception | None]:
        with self._transaction() as connection:
            return [self._try(connection, write) for write in batch]

    def _try(self, connection: sqlite3.Connection, write: Write) -> Exception | None:
        connection.execute("SAVEPOINT one")
        try:
            if write.rows is not None:
                insert_records(connection, [write.rows])
            if write.job is not None:
                write.job(connection)
        except _WRITE_FAULTS as error:
            connection.execute("ROLLBACK TO one")
            return _conflict(error) if write.rows is not None and _is_duplicate(error) else _unavailable(error)
        finally:
            if connection.in_transaction:
                connection.execute("RELEASE one")
        return None

    @contextmanager
    def _transaction(self) -> Generator[sqlite3.Connection]:
        connection = self._connected()
        self._hand_over()
        try:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
        except BaseException:
            self._roll_back(connection)
            raise
        self.commits += 1

    def _connected(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = self._connect()
            create_intake(self._connection, on_start=self._hand_over)
        return self._connection

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
