"""Registered tools, in PostgreSQL."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec

from toolgate.adapters.postgres.connection import postgres_errors_as_ours
from toolgate.adapters.sql.definitions import (
    DefinitionRow,
    DefinitionRows,
    StoredDefinition,
    VersionRow,
    definitions_of,
    rows_of_definition,
)
from toolgate.adapters.sql.tool_statements import save_statements, select_definitions
from toolgate.model.manifest import ToolDefinition
from toolgate.model.timestamp import rfc3339

_TIMESTAMPS = ("created_at", "updated_at", "deprecation_date")


class PostgresToolStore:
    """Implements `ToolStore`. A version that a saved definition no longer lists is kept, marked as removed."""

    def __init__(self, pool: Any) -> None:
        self._pool = pool

    async def save(self, definitions: Sequence[ToolDefinition], *, now: float) -> None:
        # Sorted, so that two instances that save the same tools take their locks in the same order.
        rows = sorted(rows_of_definition(definition, now=now) for definition in definitions)
        with postgres_errors_as_ours():
            async with self._pool.acquire() as connection, connection.transaction():
                for one in rows:
                    await _save(connection, one, now=_moment(rfc3339(now)))

    async def load(self) -> tuple[ToolDefinition, ...]:
        with postgres_errors_as_ours():
            rows = await self._pool.fetch(select_definitions("postgresql").sql)
        return definitions_of(map(StoredDefinition._make, rows))


async def _save(connection: Any, rows: DefinitionRows, *, now: datetime) -> None:
    statements = save_statements("postgresql")
    definition, versions = rows
    await connection.execute(statements.definition.sql, *_native(definition))
    removal = statements.removal.values(of_tool_id=definition.tool_id, now=now)
    await connection.execute(statements.removal.sql, *removal)
    await connection.executemany(statements.version.sql, [_native(version) for version in versions])


def _native(row: DefinitionRow | VersionRow) -> list[Any]:
    """The values as the driver wants them: timestamps and the tags are not text here."""
    values = row._asdict()
    for name in _TIMESTAMPS:
        if values.get(name) is not None:
            values[name] = _moment(values[name])
    if "tags" in values:
        values["tags"] = msgspec.json.decode(values["tags"])
    return list(values.values())


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text)
