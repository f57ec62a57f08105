"""A database in which a great many invocations are stored already.

One real call is made and its rows are copied, under new ids and times and spread over tools, agents and tenants,
through the statements with which the adapter itself inserts.
"""

import gc
import os
import sqlite3
from collections.abc import Generator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from uuid_utils import uuid7

from toolgate.adapters.sql.row import EventRow, InvocationRow, ResultRow
from toolgate.adapters.sql.statements import RecordInserts
from toolgate.model.timestamp import rfc3339

TOOLS, AGENTS, TENANTS = 500, 200, 20
_BATCH = 10_000
_SECONDS_APART = 0.5

T = TypeVar("T")


class Copies(NamedTuple):
    invocation: InvocationRow
    result: ResultRow
    events: list[EventRow]


def fill(path: Path, *, count: int, until: float) -> None:
    """Add `count` invocations, the last of which ended at `until`. There must be one to copy."""
    gc.disable()  # millions of tuples, and not a cycle among them
    try:
        _insert(path, count=count, until=until)
    finally:
        gc.enable()
    with path.open("rb+") as file:
        os.fsync(file.fileno())  # or it would be written back while others are measured


def _insert(path: Path, *, count: int, until: float) -> None:
    inserts = RecordInserts.for_dialect("sqlite")
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        original = _original(connection)
        # Nothing here needs to survive a crash, and the adapter switches back when it opens the file.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA cache_size = -524288")
        copies = _copies(original, count=count, until=until)
        while batch := list(islice(copies, _BATCH)):
            connection.execute("BEGIN")
            connection.executemany(inserts.invocation, [copy.invocation for copy in batch])
            connection.executemany(inserts.result, [copy.result for copy in batch])
            connection.executemany(inserts.event, [event for copy in batch for event in copy.events])
            connection.execute("COMMIT")


def _original(connection: sqlite3.Connection) -> Copies:
    (invocation,) = _rows(connection, "tool_invocations", InvocationRow)[:1]
    (result,) = _rows(connection, "tool_execution_results", ResultRow)[:1]
    events = _rows(connection, "event_outbox", EventRow)
    return Copies(invocation, result, [event for event in events if event.invocation_id == invocation.invocation_id])


def _rows(connection: sqlite3.Connection, table: str, shape: type[T]) -> list[T]:
    fields: Sequence[str] = getattr(shape, "_fields")  # noqa: B009 - a bound for T that has it is a type of typeshed's
    found: list[tuple[Any, ...]] = connection.execute(f"SELECT {', '.join(fields)} FROM {table} LIMIT 10").fetchall()
    return [shape(*row) for row in found]


def _copies(original: Copies, *, count: int, until: float) -> Generator[Copies]:
    first = until - count * _SECONDS_APART
    for number in range(count):
        yield _copy(original, number, at=first + number * _SECONDS_APART)


def _copy(original: Copies, number: int, *, at: float) -> Copies:
    """The ids rise with time, as they do in life."""
    invocation_id, time = str(uuid7(nanoseconds=int(at * 1e9))), rfc3339(at)
    tool_id = f"tool{number % TOOLS}"
    invocation = original.invocation._replace(
        invocation_id=invocation_id,
        correlation_id=invocation_id,
        tool_id=tool_id,
        agent_did=f"did:example:agent{number % AGENTS}",
        tenant_id=f"tenant{number % TENANTS}",
        started_at=time,
        completed_at=time,
        created_at=time,
    )
    result = original.result._replace(
        id=invocation_id,
        execution_id=invocation_id,
        correlation_id=invocation_id,
        tool_name=tool_id,
        started_at=time,
        completed_at=time,
    )
    return Copies(invocation, result, [_copied_event(event, invocation_id, time) for event in original.events])


def _copied_event(event: EventRow, invocation_id: str, time: str) -> EventRow:
    body = event.body.replace(event.invocation_id, invocation_id).replace(event.time, time)
    return event._replace(event_id=str(uuid7()), invocation_id=invocation_id, time=time, body=body)
