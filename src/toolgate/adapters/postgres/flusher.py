"""Group commit on PostgreSQL: two connections take turns, and each stores everything that waits in one statement.

While one waits for the server to flush, the other collects. Nobody is answered before the commit.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, NamedTuple, TypeAlias

import asyncpg

from toolgate.adapters.postgres.connection import CONNECT_TIMEOUT_SECONDS, DATABASE_ERRORS, connect
from toolgate.adapters.postgres.insert import INSERT_RECORDS, arrays_of
from toolgate.adapters.sql.row import RecordRows
from toolgate.errors import IdempotencyConflict, StoreUnavailable, ToolgateError

FLUSHERS = 2
MAX_BATCH = 1024
MIN_SHARE = 32
MAX_WAITING = 16_384

_Answer: TypeAlias = "asyncio.Future[None]"

# What one record can be guilty of: the driver cannot encode it, or the server cannot read it.
_RECORD_FAULTS = (asyncpg.DataError, asyncpg.exceptions.DataError, asyncpg.IntegrityConstraintViolationError)


class _Write(NamedTuple):
    rows: RecordRows
    answer: _Answer

    @property
    def invocation_id(self) -> str:
        return self.rows.invocation.invocation_id

    def succeed(self) -> None:
        if not self.answer.done():  # else its caller went away; the record stays
            self.answer.set_result(None)

    def fail(self, error: ToolgateError, *, cause: Exception | None = None) -> None:
        error.__cause__ = cause
        if not self.answer.done():
            self.answer.set_exception(error)


class GroupCommitFlusher:
    def __init__(self, url: str, *, max_waiting: int = MAX_WAITING) -> None:
        self.commits = 0
        self._url = url
        self._queue: asyncio.Queue[_Write | None] = asyncio.Queue(max_waiting + FLUSHERS)
        self._max_waiting = max_waiting
        self._closed = False
        self._idle = 0
        self._tasks = [asyncio.create_task(self._run(), name="toolgate-postgres-flusher") for _ in range(FLUSHERS)]

    async def store(self, rows: RecordRows) -> None:
        """Raises:
        IdempotencyConflict: a record with this invocation id exists.
        StoreUnavailable: it was not stored.
        """
        if self._closed or self._queue.qsize() >= self._max_waiting:
            raise StoreUnavailable()
        answer: _Answer = asyncio.get_running_loop().create_future()
        self._queue.put_nowait(_Write(rows, answer))
        await answer

    async def close(self) -> None:
        """Store what waits, then stop."""
        if not self._closed:
            self._closed = True
            for _ in self._tasks:
                self._queue.put_nowait(None)
        await asyncio.gather(*self._tasks)

    async def _run(self) -> None:
        session = _Session(self._url)
        open_for_more = True
        while open_for_more:
            batch, open_for_more = await self._take()
            if batch:
                await self._store(session, batch)
        await session.close()

    async def _store(self, session: "_Session", batch: Sequence[_Write]) -> None:
        """Store the batch; an id that occurs twice goes alone, for one statement could not say which one it took."""
        firsts: dict[str, _Write] = {}
        again = [write for write in batch if firsts.setdefault(write.invocation_id, write) is not write]
        await self._flush(session, [*firsts.values()])
        for write in again:
            await self._flush(session, [write])

    async def _take(self) -> tuple[list[_Write], bool]:
        """Wait for a record, then take a share of what waits; False once the end was asked for."""
        batch: list[_Write] = []
        self._idle += 1
        write = await self._queue.get()
        self._idle -= 1
        share = self._share()
        while write is not None:
            batch.append(write)
            if len(batch) >= share or self._queue.empty():
                return batch, True
            write = self._queue.get_nowait()
        return batch, False

    def _share(self) -> int:
        """All that waits; half of it if that is worth a batch and the other connection is free to take the rest."""
        waiting = self._queue.qsize() + 1
        return min(MAX_BATCH, waiting if not self._idle or waiting < 2 * MIN_SHARE else -(-waiting // 2))

    async def _flush(self, session: "_Session", batch: Sequence[_Write]) -> None:
        try:
            stored = await session.insert([write.rows for write in batch])
        except _RECORD_FAULTS as fault:
            await self._flush_one_by_one(session, batch, fault)
        except Exception as error:  # whatever it was, nobody may be left waiting and the next batch is served
            for write in batch:
                write.fail(StoreUnavailable(), cause=error)
        else:
            self.commits += 1
            for write in batch:
                if write.invocation_id in stored:
                    write.succeed()
                else:
                    write.fail(IdempotencyConflict(what="invocation_id"))

    async def _flush_one_by_one(self, session: "_Session", batch: Sequence[_Write], fault: Exception) -> None:
        if len(batch) == 1:
            batch[0].fail(StoreUnavailable(), cause=fault)
            return
        for write in batch:
            await self._flush(session, [write])

    def __repr__(self) -> str:
        state = "closed" if self._closed else f"{self._queue.qsize()} waiting"
        return f"GroupCommitFlusher({self.commits} commits, {state})"


class _Session:
    """A connection with the statement prepared on it; a lost one is replaced when it is next needed."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._connection: Any = None
        self._statement: Any = None

    async def insert(self, batch: Sequence[RecordRows]) -> set[str]:
        """Store the batch; the answer is the ids that were new."""
        if self._connection is None or self._connection.is_closed():
            self._connection = await connect(self._url)
            self._statement = await self._connection.prepare(INSERT_RECORDS)
        return {str(row[0]) for row in await self._statement.fetch(*arrays_of(batch))}

    async def close(self) -> None:
        if self._connection is not None:
            try:
                await self._connection.close(timeout=CONNECT_TIMEOUT_SECONDS)
            except DATABASE_ERRORS:
                self._connection.terminate()
