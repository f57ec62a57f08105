"""The store of an embedded Toolgate: one SQLite file, or of a server on one machine."""

import asyncio
from functools import partial
from pathlib import Path

from toolgate.adapters.sql.rows import rows_of
from toolgate.adapters.sqlite.connection import (
    BUSY_TIMEOUT_MS,
    Synchronous,
    connect_writer,
    prepare,
    sqlite_errors_as_ours,
)
from toolgate.adapters.sqlite.history import SqliteInvocationHistory
from toolgate.adapters.sqlite.outbox import SqliteOutbox
from toolgate.adapters.sqlite.readers import SqliteReaders
from toolgate.adapters.sqlite.tools import SqliteToolStore
from toolgate.adapters.sqlite.writer import MAX_WAITING, GroupCommitWriter
from toolgate.model.outcome import Record


class SqliteInvocationLog:
    """Implements `InvocationLog`."""

    def __init__(self, writer: GroupCommitWriter) -> None:
        self._writer = writer

    async def record(self, record: Record) -> None:
        await self._writer.store(rows_of(record))


class SqliteStore:
    def __init__(self, path: Path, writer: GroupCommitWriter) -> None:
        """Use a database that was prepared; `open` does everything."""
        self._path = path
        self._writer = writer
        self._readers = SqliteReaders(path)
        self.log = SqliteInvocationLog(writer)
        self.history = SqliteInvocationHistory(path, self._readers)
        self.tools = SqliteToolStore(writer, self._readers)
        self.outbox = SqliteOutbox(writer, self._readers)

    @classmethod
    async def open(
        cls,
        path: Path,
        *,
        synchronous: Synchronous = "FULL",
        busy_timeout_ms: int = BUSY_TIMEOUT_MS,
        max_waiting: int = MAX_WAITING,
    ) -> "SqliteStore":
        """Create the database if there is none, bring its schema up to date, and start the writer.

        Raises:
            StoreUnavailable: it cannot be opened.
        """
        await asyncio.to_thread(prepare, path)
        connect = partial(connect_writer, path, synchronous=synchronous, busy_timeout_ms=busy_timeout_ms)
        with sqlite_errors_as_ours():
            return cls(path, GroupCommitWriter(connect, max_waiting=max_waiting))

    @property
    def commits(self) -> int:
        """Transactions so far; records that waited together share one."""
        return self._writer.commits

    async def close(self) -> None:
        """Store what waits, then let go of the file. Closing twice is harmless."""
        await self._writer.close()
        await self._readers.close()
        self.history.close()

    def __repr__(self) -> str:
        return f"SqliteStore({self._path.name!r}, {self._writer!r})"
