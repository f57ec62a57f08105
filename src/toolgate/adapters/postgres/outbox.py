"""Events that were committed with their record and still have to go out, from PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from toolgate.adapters.postgres.connection import postgres_errors_as_ours
from toolgate.adapters.sql.rows import event_of
from toolgate.adapters.sql.statements import select_pending
from toolgate.model.event import Event
from toolgate.model.timestamp import rfc3339

_MARK = "UPDATE event_outbox SET delivered_at = $1 WHERE position = ANY($2::BIGINT[]) AND delivered_at IS NULL"


class PostgresOutbox:
    """Implements `Outbox`."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool
        self._pending = select_pending("postgresql")

    async def pending(self, *, limit: int = 100) -> Sequence[tuple[int, Event]]:
        with postgres_errors_as_ours():
            rows = await self._pool.fetch(self._pending.sql, *self._pending.values(limit=limit))
        return [(row["position"], event_of(row["body"])) for row in rows]

    async def mark_delivered(self, positions: Sequence[int], *, now: float) -> None:
        with postgres_errors_as_ours():
            await self._pool.execute(_MARK, datetime.fromisoformat(rfc3339(now)), list(positions))
