"""Registered tools, in SQLite."""

import sqlite3
from collections.abc import Sequence

from toolgate.adapters.sql.definitions import DefinitionRows, StoredDefinition, definitions_of, rows_of_definition
from toolgate.adapters.sql.tool_statements import save_statements, select_definitions
from toolgate.adapters.sqlite.readers import SqliteReaders
from toolgate.adapters.sqlite.writer import GroupCommitWriter
from toolgate.model.manifest import ToolDefinition
from toolgate.model.timestamp import rfc3339


class SqliteToolStore:
    """Implements `ToolStore`. A version that a saved definition no longer lists is kept, marked as removed."""

    def __init__(self, writer: GroupCommitWriter, readers: SqliteReaders) -> None:
        self._writer = writer
        self._readers = readers

    async def save(self, definitions: Sequence[ToolDefinition], *, now: float) -> None:
        rows = [rows_of_definition(definition, now=now) for definition in definitions]
        await self._writer.run(lambda connection: _save(connection, rows, now=rfc3339(now)))

    async def load(self) -> tuple[ToolDefinition, ...]:
        return await self._readers.run(_load)


def _save(connection: sqlite3.Connection, saved: Sequence[DefinitionRows], *, now: str) -> None:
    statements = save_statements("sqlite")
    for definition, versions in saved:
        connection.execute(statements.definition.sql, definition)
        connection.execute(statements.removal.sql, statements.removal.values(of_tool_id=definition.tool_id, now=now))
        connection.executemany(statements.version.sql, versions)


def _load(connection: sqlite3.Connection) -> tuple[ToolDefinition, ...]:
    rows = connection.execute(select_definitions("sqlite").sql)
    return definitions_of(map(StoredDefinition._make, rows))
