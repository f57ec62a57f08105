"""Reads, away from the event loop: a few threads, each with a connection of its own."""

import asyncio
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from toolgate.adapters.sqlite.connection import connect_reader, sqlite_errors_as_ours
from toolgate.errors import StoreUnavailable

T = TypeVar("T")

THREADS = 2


class SqliteReaders:
    def __init__(self, path: Path) -> None:
        self._path = path
        self._local = threading.local()
        self._connections: list[sqlite3.Connection] = []
        self._closed = False
        self._pool = ThreadPoolExecutor(THREADS, thread_name_prefix="toolgate-sqlite-reader")

    async def run(self, read: Callable[[sqlite3.Connection], T]) -> T:
        """Raises:
        StoreUnavailable: the database cannot be read.
        """
        if self._closed:
            raise StoreUnavailable()
        return await asyncio.get_running_loop().run_in_executor(self._pool, self._read, read)

    async def close(self) -> None:
        self._closed = True
        await asyncio.to_thread(self._pool.shutdown)
        while self._connections:
            self._connections.pop().close()

    def _read(self, read: Callable[[sqlite3.Connection], T]) -> T:
        with sqlite_errors_as_ours():
            return read(self._connection())

    def _connection(self) -> sqlite3.Connection:
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._local.connection = connect_reader(self._path)
            self._connections.append(connection)
        return connection
