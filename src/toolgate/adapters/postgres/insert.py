"""One statement that stores a batch of records: invocations, their results and their events, or none of them.

Rows travel as one array a column. An invocation id that exists is skipped together with its result and its events;
the statement answers the ids that were new. One statement is one transaction, in one round trip.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Column, Table
from sqlalchemy.dialects.postgresql.base import PGDialect

from toolgate.adapters.sql.row import EventRow, InvocationRow, RecordRows, ResultRow
from toolgate.adapters.sql.tables import event_outbox, tool_execution_results, tool_invocations

_DIALECT = PGDialect()
_SENT_AS = {"UUID": "UUID", "BIGINT": "BIGINT", "INTEGER": "INTEGER", "BOOLEAN": "INTEGER"}

Arrays = list[Sequence[Any]]


def _type_name(column: Column[Any]) -> str:
    return column.type.compile(dialect=_DIALECT)


def _array_type(column: Column[Any]) -> str:
    """Timestamps and JSON travel as text: the server parses them faster than Python could convert them."""
    return _SENT_AS.get(_type_name(column), "TEXT")


def _insert(table: Table, names: Sequence[str], *, first: int, owned: bool = False) -> str:
    """An insert from arrays, the first of which is parameter `first`; `owned` rows bring their record's id along."""
    columns = [table.c[name] for name in names]
    arrays = [f"${number}::{_array_type(column)}[]" for number, column in enumerate(columns, start=first)]
    aliases = [*names]
    if owned:
        arrays.append(f"${first + len(names)}::UUID[]")
        aliases.append("owner")
    values = ", ".join(f"u.{column.name}::{_type_name(column)}" for column in columns)
    source = f"unnest({', '.join(arrays)}) WITH ORDINALITY AS u({', '.join(aliases)}, ordinality)"
    return f"INSERT INTO {table.name} ({', '.join(names)}) SELECT {values} FROM {source}"  # noqa: S608 - our own names


def _build() -> str:
    result_first = 1 + len(InvocationRow._fields)
    event_first = result_first + len(ResultRow._fields)
    invocations = _insert(tool_invocations, InvocationRow._fields, first=1)
    results = _insert(tool_execution_results, ResultRow._fields, first=result_first)
    events = _insert(event_outbox, EventRow._fields, first=event_first, owned=True)
    new_ids = "SELECT invocation_id FROM stored"
    stored = f"{invocations} ON CONFLICT (invocation_id) DO NOTHING RETURNING invocation_id"
    its_results = f"{results} WHERE u.execution_id IN ({new_ids})"
    its_events = f"{events} WHERE u.owner IN ({new_ids}) ORDER BY u.ordinality"
    return f"WITH stored AS ({stored}), results AS ({its_results}), events AS ({its_events}) {new_ids}"


INSERT_RECORDS = _build()


def arrays_of(batch: Sequence[RecordRows]) -> Arrays:
    """The parameters of `INSERT_RECORDS`."""
    # Sorted, so that two writers that share ids take their locks in the same order.
    invocations = sorted((rows.invocation for rows in batch), key=lambda row: row.invocation_id)
    results = [rows.result for rows in batch if rows.result is not None]
    events = [(*event, rows.invocation.invocation_id) for rows in batch for event in rows.events]
    return [
        *_columns(invocations, len(InvocationRow._fields)),
        *_columns(results, len(ResultRow._fields)),
        *_columns(events, len(EventRow._fields) + 1),
    ]


def _columns(rows: Sequence[tuple[Any, ...]], width: int) -> Arrays:
    return list(zip(*rows, strict=True)) if rows else [()] * width
