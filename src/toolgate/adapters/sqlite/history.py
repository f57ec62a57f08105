"""What happened before, from SQLite."""

import sqlite3
from pathlib import Path

from toolgate.adapters.cursor import MAX_PAGE_BYTES, Cursor, check_limit, is_invocation_id
from toolgate.adapters.sql.row import StoredOutcome
from toolgate.adapters.sql.rows import outcome_of
from toolgate.adapters.sql.statements import (
    Statement,
    filter_values,
    select_exists,
    select_outcome,
    select_page,
)
from toolgate.adapters.sqlite.connection import connect_reader, sqlite_errors_as_ours
from toolgate.adapters.sqlite.readers import SqliteReaders
from toolgate.errors import StoreUnavailable
from toolgate.model.outcome import Outcome
from toolgate.model.page import InvocationFilter, Page


class SqliteInvocationHistory:
    """Implements `InvocationHistory`."""

    def __init__(self, path: Path, readers: SqliteReaders) -> None:
        self._readers = readers
        self._exists = select_exists("sqlite").sql
        self._outcome = select_outcome("sqlite").sql
        self._inline: sqlite3.Connection | None = connect_reader(path)

    async def get(self, invocation_id: str) -> Outcome | None:
        row = await self._readers.run(lambda connection: self._row(connection, invocation_id))
        return None if row is None else outcome_of(StoredOutcome._make(row))

    async def exists(self, invocation_id: str) -> bool:
        # Not in a thread: one look into an index takes a tenth of the way there and back, and in WAL mode no reader
        # waits for the writer.
        if self._inline is None:
            raise StoreUnavailable()
        if not is_invocation_id(invocation_id):
            return False
        with sqlite_errors_as_ours():
            return self._inline.execute(self._exists, (invocation_id,)).fetchone() is not None

    async def list(self, wanted: InvocationFilter, *, limit: int = 50, cursor: str | None = None) -> Page[Outcome]:
        limit, after = check_limit(limit), None if cursor is None else Cursor.decode(cursor)
        statement = select_page(wanted, after=after is not None, dialect="sqlite")
        key = {} if after is None else {"started_at": after.started_at, "after_id": after.invocation_id}
        values = statement.values(**filter_values(wanted), **key, limit=limit + 1)
        return await self._readers.run(lambda connection: _page(connection, statement, values, limit=limit))

    def close(self) -> None:
        if self._inline is not None:
            self._inline.close()
            self._inline = None

    def _row(self, connection: sqlite3.Connection, invocation_id: str) -> tuple[object, ...] | None:
        if not is_invocation_id(invocation_id):
            return None
        return connection.execute(self._outcome, (invocation_id,)).fetchone()


def _page(connection: sqlite3.Connection, statement: Statement, values: list[object], *, limit: int) -> Page[Outcome]:
    items: list[Outcome] = []
    size = 0
    for row in connection.execute(statement.sql, values):
        stored = StoredOutcome._make(row)
        size += len(stored.output_json or "")
        if len(items) == limit or (items and size > MAX_PAGE_BYTES):
            return Page(tuple(items), Cursor.of(items[-1]).encode())
        items.append(outcome_of(stored))
    return Page(tuple(items))
