"""The store of a Toolgate with many instances: PostgreSQL."""

import asyncio
from typing import Any

from toolgate.adapters.postgres.connection import (
    CONNECT_TIMEOUT_SECONDS,
    open_pool,
    postgres_errors_as_ours,
    prepare,
)
from toolgate.adapters.postgres.flusher import MAX_WAITING, GroupCommitFlusher
from toolgate.adapters.postgres.history import PostgresInvocationHistory
from toolgate.adapters.postgres.outbox import PostgresOutbox
from toolgate.adapters.postgres.tools import PostgresToolStore
from toolgate.adapters.sql.rows import rows_of
from toolgate.model.outcome import Record


class PostgresInvocationLog:
    """Implements `InvocationLog`."""

    def __init__(self, flusher: GroupCommitFlusher) -> None:
        self._flusher = flusher

    async def record(self, record: Record) -> None:
        await self._flusher.store(rows_of(record))


class PostgresStore:
    """Belongs to the event loop it was opened in."""

    def __init__(self, pool: Any, flusher: GroupCommitFlusher) -> None:
        self._pool = pool
        self._flusher = flusher
        self.log = PostgresInvocationLog(flusher)
        self.history = PostgresInvocationHistory(pool)
        self.tools = PostgresToolStore(pool)
        self.outbox = PostgresOutbox(pool)

    @classmethod
    async def open(cls, url: str, *, max_waiting: int = MAX_WAITING) -> "PostgresStore":
        """Bring the schema up to date and connect.

        Raises:
            StoreUnavailable: the database cannot be reached.
        """
        await prepare(url)
        with postgres_errors_as_ours():
            pool = await open_pool(url)
        return cls(pool, GroupCommitFlusher(url, max_waiting=max_waiting))

    @property
    def commits(self) -> int:
        """Transactions of records so far; records that waited together share one."""
        return self._flusher.commits

    async def close(self) -> None:
        """Store what waits, then disconnect. Closing twice is harmless."""
        await self._flusher.close()
        if self._pool.is_closing():
            return
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_SECONDS):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    def __repr__(self) -> str:
        return f"PostgresStore({self._flusher!r})"  # never the URL: it carries a password
