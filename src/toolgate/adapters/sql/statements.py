"""The statements that both databases share, written in Core and compiled once a dialect."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, NamedTuple

from sqlalchemy import Table, bindparam, select, text, tuple_
from sqlalchemy.dialects.postgresql.base import PGDialect
from sqlalchemy.dialects.sqlite.base import SQLiteDialect
from sqlalchemy.sql import ClauseElement, ColumnElement

from toolgate.adapters.sql.row import EventRow, InvocationRow, ResultRow, StoredOutcome
from toolgate.adapters.sql.tables import event_outbox, tool_execution_results, tool_invocations
from toolgate.adapters.sql.text import storable
from toolgate.errors import Kind
from toolgate.model.page import InvocationFilter

Dialect = Literal["sqlite", "postgresql"]


class Statement(NamedTuple):
    """SQL for the driver, the order in which it wants its values, and the values that never change."""

    sql: str
    names: tuple[str, ...]
    constants: Mapping[str, Any]

    def values(self, **by_name: Any) -> list[Any]:
        return [by_name[name] if name in by_name else self.constants[name] for name in self.names]


_TARGETS = {"sqlite": SQLiteDialect(paramstyle="qmark"), "postgresql": PGDialect(paramstyle="numeric_dollar")}


def compile_statement(clause: ClauseElement, *, dialect: Dialect) -> Statement:
    compiled: Any = clause.compile(dialect=_TARGETS[dialect])
    constants = {name: value for name, value in compiled.params.items() if value is not None}
    return Statement(str(compiled), tuple(compiled.positiontup or ()), constants)


def insert_of(table: Table, row: type[Any], *, dialect: Dialect) -> str:
    """An insert that takes the fields of `row`, in their order."""
    names: Sequence[str] = row._fields
    statement = compile_statement(table.insert().values({name: bindparam(name) for name in names}), dialect=dialect)
    if statement.names != tuple(names):
        raise TypeError(f"{row.__name__} is not in the order of {table.name}")
    return statement.sql


class RecordInserts(NamedTuple):
    invocation: str
    result: str
    event: str

    @classmethod
    def for_dialect(cls, dialect: Dialect) -> "RecordInserts":
        return cls(
            insert_of(tool_invocations, InvocationRow, dialect=dialect),
            insert_of(tool_execution_results, ResultRow, dialect=dialect),
            insert_of(event_outbox, EventRow, dialect=dialect),
        )


@lru_cache
def select_exists(dialect: Dialect) -> Statement:
    found = select(text("1")).where(tool_invocations.c.invocation_id == bindparam("invocation_id"))
    return compile_statement(found, dialect=dialect)


@lru_cache
def select_outcome(dialect: Dialect) -> Statement:
    wanted = tool_invocations.c.invocation_id == bindparam("invocation_id")
    return compile_statement(_outcomes().where(wanted), dialect=dialect)


def select_page(wanted: InvocationFilter, *, after: bool, dialect: Dialect) -> Statement:
    """A page of outcomes, newest first; `after` continues behind a cursor."""
    return _select_page(frozenset(filter_values(wanted)), wanted.kind in (None, Kind.SUCCESS), after, dialect)


def filter_values(wanted: InvocationFilter) -> dict[str, str]:
    """The columns to compare, with the values as they were stored."""
    asked = {name: getattr(wanted, name) for name in wanted.__struct_fields__}
    return {name: storable(value) for name, value in asked.items() if value is not None}


@lru_cache
def select_pending(dialect: Dialect) -> Statement:
    outbox = event_outbox.c
    pending = select(outbox.position, outbox.body).where(outbox.delivered_at.is_(None)).order_by(outbox.position)
    return compile_statement(pending.limit(bindparam("limit")), dialect=dialect)


@lru_cache
def _select_page(names: frozenset[str], with_successes: bool, after: bool, dialect: Dialect) -> Statement:
    key = (tool_invocations.c.started_at, tool_invocations.c.invocation_id)
    conditions: list[ColumnElement[bool]] = [tool_invocations.c[name] == bindparam(name) for name in sorted(names)]
    if not with_successes:
        # Said again in the words of the partial index, or neither database would use it.
        conditions.append(text("tool_invocations.kind <> 'success'"))  # pyright: ignore[reportArgumentType]
    if after:
        conditions.append(tuple_(*key) < tuple_(bindparam("started_at"), bindparam("after_id")))
    page = _outcomes().where(*conditions).order_by(*(column.desc() for column in key)).limit(bindparam("limit"))
    return compile_statement(page, dialect=dialect)


def _outcomes() -> Any:
    calls, results = tool_invocations, tool_execution_results
    columns = [calls.c[name] if name in calls.c else results.c[name] for name in StoredOutcome._fields]
    joined = calls.outerjoin(results, results.c.execution_id == calls.c.invocation_id)
    return select(*columns).select_from(joined)
