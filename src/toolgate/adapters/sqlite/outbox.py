"""Events that were committed with their record and still have to go out, from SQLite."""

from collections.abc import Sequence

from toolgate.adapters.sql.rows import event_of
from toolgate.adapters.sql.statements import select_pending
from toolgate.adapters.sqlite.readers import SqliteReaders
from toolgate.adapters.sqlite.writer import GroupCommitWriter
from toolgate.model.event import Event
from toolgate.model.timestamp import rfc3339

_MARK = "UPDATE event_outbox SET delivered_at = ? WHERE position = ? AND delivered_at IS NULL"


class SqliteOutbox:
    """Implements `Outbox`."""

    def __init__(self, writer: GroupCommitWriter, readers: SqliteReaders) -> None:
        self._writer = writer
        self._readers = readers
        self._pending = select_pending("sqlite")

    async def pending(self, *, limit: int = 100) -> Sequence[tuple[int, Event]]:
        values = self._pending.values(limit=limit)
        rows = await self._readers.run(lambda connection: connection.execute(self._pending.sql, values).fetchall())
        return [(position, event_of(body)) for position, body in rows]

    async def mark_delivered(self, positions: Sequence[int], *, now: float) -> None:
        marks = [(rfc3339(now), position) for position in positions]
        await self._writer.run(lambda connection: connection.executemany(_MARK, marks) and None)
