"""One statement that stores a batch of records, transaction and flush included.

Python's driver lets go of the interpreter around every step of a statement and has to win it back after each, from an
event loop that is busy with the next calls. With a statement a row the two would take turns; with one a batch the loop
runs while SQLite works. So each record goes, as one wide row, into a view that only this connection has, and the view's
trigger files it into the tables.
"""

import sqlite3
from bisect import bisect_left
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import chain
from operator import itemgetter
from typing import Any

from toolgate.adapters.sql.row import EventRow, InvocationRow, RecordRows, ResultRow
from toolgate.adapters.sql.statements import RecordInserts

MAX_ROWS = 128
EVENTS_IN_ROW = 2
"""As many as a call has. A record with more is stored too, in a transaction of several statements."""

RESULT_REPEATS = {
    "id": "invocation_id",
    "execution_id": "invocation_id",
    "tool_name": "tool_id",
    "input_json": "parameters",
    "output_json": "result",
    "started_at": "started_at",
    "completed_at": "completed_at",
    "duration_ms": "duration_ms",
    "correlation_id": "correlation_id",
}
"""What a result has from its invocation, column by column: it is sent once."""

# A statement is prepared once for each of these sizes. A batch takes the next one up and leaves the last rows empty.
_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, MAX_ROWS)

_RESULT_OWN = [name for name in ResultRow._fields if name not in RESULT_REPEATS]
_EVENT_PREFIXES = [f"event{number}_" for number in range(EVENTS_IN_ROW)]
_COLUMNS = [
    *InvocationRow._fields,
    *(f"result_{name}" for name in _RESULT_OWN),
    *(prefix + name for prefix in _EVENT_PREFIXES for name in EventRow._fields),
]

_own_values: Callable[[ResultRow], tuple[Any, ...]] = itemgetter(*map(ResultRow._fields.index, _RESULT_OWN))
_NO_RESULT = (None,) * len(_RESULT_OWN)
_MISSING_EVENTS = [(None,) * len(EventRow._fields) * missing for missing in range(EVENTS_IN_ROW + 1)]
_EXTRA_EVENT = RecordInserts.for_dialect("sqlite").event


def create_intake(connection: sqlite3.Connection, *, on_start: Callable[[], None]) -> None:
    """Give this connection the view that batches go into; nothing of it is kept in the database.

    `on_start` is called when SQLite has all the values of a batch and is about to work without the interpreter.
    """

    def started(value: Any) -> Any:
        on_start()
        return value

    connection.create_function("started", 1, started)
    connection.execute(f"CREATE TEMP VIEW intake AS SELECT {', '.join(f'NULL AS {name}' for name in _COLUMNS)}")
    connection.execute(f"CREATE TEMP TRIGGER file_record INSTEAD OF INSERT ON intake BEGIN {_filing()} END")


def _filing() -> str:
    own = {name: f"result_{name}" for name in _RESULT_OWN}
    statements = [
        _file("tool_invocations", {name: name for name in InvocationRow._fields}, key="invocation_id"),
        _file("tool_execution_results", RESULT_REPEATS | own, key="result_status"),
        *(
            _file("event_outbox", {name: prefix + name for name in EventRow._fields}, key=f"{prefix}event_id")
            for prefix in _EVENT_PREFIXES
        ),
    ]
    return " ".join(statements)


def _file(table: str, columns: dict[str, str], *, key: str) -> str:
    values = ", ".join(f"NEW.{name}" for name in columns.values())
    return f"INSERT INTO {table} ({', '.join(columns)}) SELECT {values} WHERE NEW.{key} IS NOT NULL;"


def is_one_statement(records: Sequence[RecordRows]) -> bool:
    """True if these records need no transaction around them."""
    return 0 < len(records) <= MAX_ROWS and all(len(record.events) <= EVENTS_IN_ROW for record in records)


def insert_records(connection: sqlite3.Connection, records: Sequence[RecordRows]) -> None:
    for first in range(0, len(records), MAX_ROWS):
        _insert_batch(connection, records[first : first + MAX_ROWS])
    extra = [event for record in records for event in record.events[EVENTS_IN_ROW:]]
    if extra:
        connection.executemany(_EXTRA_EVENT, extra)


def _insert_batch(connection: sqlite3.Connection, batch: Sequence[RecordRows]) -> None:
    size = _SIZES[bisect_left(_SIZES, len(batch))]
    parts: list[Sequence[Any]] = []
    for invocation, result, events in batch:
        parts += (invocation, _NO_RESULT if result is None else _own_values(result))
        parts += events if len(events) == EVENTS_IN_ROW else _event_parts(events)
    parts.append((None,) * (len(_COLUMNS) * (size - len(batch))))
    connection.execute(_insert(size), tuple(chain.from_iterable(parts)))


def _event_parts(events: Sequence[EventRow]) -> list[Sequence[Any]]:
    return [*events[:EVENTS_IN_ROW], _MISSING_EVENTS[max(0, EVENTS_IN_ROW - len(events))]]


@lru_cache
def _insert(size: int) -> str:
    others = ", ?" * (len(_COLUMNS) - 1)
    rows = [f"(started(?){others})", *[f"(?{others})"] * (size - 1)]
    return f"INSERT INTO intake VALUES {', '.join(rows)}"  # noqa: S608 - our own names
