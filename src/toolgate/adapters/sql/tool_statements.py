"""The statements of the tool store: whole definitions in, whole definitions out."""

from functools import lru_cache
from typing import Any, NamedTuple

from sqlalchemy import Table, and_, bindparam, case, null, select, update
from sqlalchemy.dialects import postgresql, sqlite

from toolgate.adapters.sql.definitions import DefinitionRow, StoredDefinition, VersionRow
from toolgate.adapters.sql.statements import Dialect, Statement, compile_statement
from toolgate.adapters.sql.tables import tool_definitions, tool_versions


class SaveStatements(NamedTuple):
    """In this order a definition is saved: itself, all its versions taken for removed, the versions it lists."""

    definition: Statement
    removal: Statement
    version: Statement


@lru_cache
def save_statements(dialect: Dialect) -> SaveStatements:
    removal = update(tool_versions).where(
        tool_versions.c.tool_id == bindparam("of_tool_id"), tool_versions.c.removed_at.is_(None)
    )
    return SaveStatements(
        compile_statement(_definition_upsert(dialect), dialect=dialect),
        compile_statement(removal.values(removed_at=bindparam("now")), dialect=dialect),
        compile_statement(_version_upsert(dialect), dialect=dialect),
    )


@lru_cache
def select_definitions(dialect: Dialect) -> Statement:
    kept = and_(tool_versions.c.tool_id == tool_definitions.c.tool_id, tool_versions.c.removed_at.is_(None))
    columns = [tool_definitions.c[name] for name in StoredDefinition._fields if name != "manifest"]
    definitions = select(*columns, tool_versions.c.manifest).select_from(
        tool_definitions.outerjoin(tool_versions, kept)
    )
    return compile_statement(definitions.order_by(tool_definitions.c.tool_id, tool_versions.c.ordinal), dialect=dialect)


def _insert(table: Table, row: type[Any], *, dialect: Dialect) -> Any:
    insert: Any = sqlite.insert(table) if dialect == "sqlite" else postgresql.insert(table).inline()
    return insert.values({name: bindparam(name) for name in row._fields})


def _definition_upsert(dialect: Dialect) -> Any:
    insert = _insert(tool_definitions, DefinitionRow, dialect=dialect)
    kept = {"tool_id", "created_at", "deprecation_date"}
    changed = {name: insert.excluded[name] for name in DefinitionRow._fields if name not in kept}
    # The date is the day a tool left "active"; saving it again must not move it.
    first_date = case(
        (insert.excluded.deprecation_date.is_(None), null()),
        (tool_definitions.c.deprecation_date.is_not(None), tool_definitions.c.deprecation_date),
        else_=insert.excluded.deprecation_date,
    )
    return insert.on_conflict_do_update(index_elements=["tool_id"], set_={**changed, "deprecation_date": first_date})


def _version_upsert(dialect: Dialect) -> Any:
    insert = _insert(tool_versions, VersionRow, dialect=dialect)
    changed = {"manifest": insert.excluded.manifest, "ordinal": insert.excluded.ordinal, "removed_at": null()}
    return insert.on_conflict_do_update(index_elements=["tool_id", "version"], set_=changed)
