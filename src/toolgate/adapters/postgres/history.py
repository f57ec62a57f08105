"""What happened before, from PostgreSQL."""

from collections.abc import AsyncIterable
from datetime import UTC, datetime, timedelta
from typing import Any

from toolgate.adapters.cursor import MAX_PAGE_BYTES, Cursor, check_limit, is_invocation_id
from toolgate.adapters.postgres.connection import postgres_errors_as_ours
from toolgate.adapters.sql.row import StoredOutcome
from toolgate.adapters.sql.rows import outcome_of
from toolgate.adapters.sql.statements import filter_values, select_exists, select_outcome, select_page
from toolgate.model.outcome import Outcome
from toolgate.model.page import InvocationFilter, Page

PREFETCH = 10
"""Rows a round trip: few, because a row may carry a whole output."""

_EPOCH = datetime.fromtimestamp(0, UTC)


class PostgresInvocationHistory:
    """Implements `InvocationHistory`."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._exists = select_exists("postgresql").sql
        self._outcome = select_outcome("postgresql").sql

    async def get(self, invocation_id: str) -> Outcome | None:
        if not is_invocation_id(invocation_id):
            return None
        with postgres_errors_as_ours():
            row = await self._pool.fetchrow(self._outcome, invocation_id)
        return None if row is None else outcome_of(_stored(row))

    async def exists(self, invocation_id: str) -> bool:
        if not is_invocation_id(invocation_id):
            return False
        with postgres_errors_as_ours():
            return await self._pool.fetchval(self._exists, invocation_id) is not None

    async def list(self, wanted: InvocationFilter, *, limit: int = 50, cursor: str | None = None) -> Page[Outcome]:
        limit, after = check_limit(limit), None if cursor is None else Cursor.decode(cursor)
        statement = select_page(wanted, after=after is not None, dialect="postgresql")
        key = {} if after is None else {"started_at": _moment(after), "after_id": after.invocation_id}
        values = statement.values(**filter_values(wanted), **key, limit=limit + 1)
        with postgres_errors_as_ours():
            async with self._pool.acquire() as connection, connection.transaction(readonly=True):
                return await _page(connection.cursor(statement.sql, *values, prefetch=PREFETCH), limit=limit)


async def _page(rows: AsyncIterable[Any], *, limit: int) -> Page[Outcome]:
    items: list[Outcome] = []
    size = 0
    async for row in rows:
        stored = _stored(row)
        size += len(stored.output_json or "")
        if len(items) == limit or (items and size > MAX_PAGE_BYTES):
            return Page(tuple(items), Cursor.of(items[-1]).encode())
        items.append(outcome_of(stored))
    return Page(tuple(items))


def _moment(cursor: Cursor) -> datetime:
    return _EPOCH + timedelta(microseconds=cursor.started_at_us)


def _stored(row: Any) -> StoredOutcome:
    stored = StoredOutcome._make(row)
    return stored._replace(invocation_id=str(stored.invocation_id))
