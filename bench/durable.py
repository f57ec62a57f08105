"""Calls that are answered only after their record is on disk, by the number of callers who wait at the same time."""

from contextlib import AsyncExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.gate import MEMORY, call_of, open_gate
from bench.measure import Call, Effort, Load, median_loads
from bench.postgres import open_postgres
from bench.row import Bar, Row, Section, quotient

TITLE = "Durable calls"
METHOD = (
    "`add(a, b)` in process; each call is answered after the commit that holds its record and its events. SQLite with "
    "`synchronous=FULL`, PostgreSQL with its default `synchronous_commit=on`, over a local socket. Rates are what the "
    "callers got together; processor time is that of this process, all threads."
)
MANY = 64


async def measure(effort: Effort) -> Section:
    async with AsyncExitStack() as stack:
        directory = stack.enter_context(TemporaryDirectory(prefix="toolgate-bench-"))
        stores = {"memory": MEMORY, "SQLite": f"sqlite:///{Path(directory) / 'durable.db'}"}
        if (address := stack.enter_context(open_postgres())) is not None:
            stores["PostgreSQL"] = address
        calls = {
            name: call_of(await stack.enter_async_context(open_gate(store)), "add") for name, store in stores.items()
        }
        candidates = _candidates(calls)
        await median_loads(candidates, rounds=1, seconds=effort.load_seconds)  # warm
        loads = await median_loads(candidates, rounds=effort.load_rounds, seconds=effort.load_seconds)
    return Section(title=TITLE, method=METHOD, rows=[*_sqlite_rows(loads), *_postgres_rows(loads)])


def _candidates(calls: dict[str, Call]) -> dict[str, tuple[Call, int]]:
    callers = {"memory": (MANY,), "SQLite": (1, 16, MANY), "PostgreSQL": (1, 16, MANY)}
    return {f"{store} {number}": (call, number) for store, call in calls.items() for number in callers[store]}


def _sqlite_rows(loads: dict[str, Load]) -> list[Row]:
    one, many, memory = loads["SQLite 1"], loads[f"SQLite {MANY}"], loads[f"memory {MANY}"]
    return [
        Row(name="SQLite, 1 caller", value=one.calls_per_second, unit="calls/s"),
        Row(name="SQLite, 16 callers", value=loads["SQLite 16"].calls_per_second, unit="calls/s"),
        Row(
            name=f"SQLite, {MANY} callers",
            value=many.calls_per_second,
            unit="calls/s",
            ratio=quotient(many.calls_per_second, one.calls_per_second),
            against="SQLite, 1 caller",
            bar=Bar("at least", 10),
        ),
        Row(name="memory, processor time", value=memory.cpu_us, unit="µs"),
        Row(
            name=f"SQLite, {MANY} callers, processor time",
            value=many.cpu_us,
            unit="µs",
            ratio=quotient(many.cpu_us, memory.cpu_us),
            against="memory",
            bar=Bar("at most", 5),
        ),
    ]


def _postgres_rows(loads: dict[str, Load]) -> list[Row]:
    rows: list[Row] = []
    for callers in (1, 16, MANY):
        sqlite, postgres = loads[f"SQLite {callers}"], loads.get(f"PostgreSQL {callers}")
        rate = postgres and postgres.calls_per_second
        rows.append(
            Row(
                name=f"PostgreSQL, {callers} caller{'s' if callers > 1 else ''}",
                value=rate,
                unit="calls/s",
                ratio=quotient(rate, sqlite.calls_per_second),
                against=f"SQLite, {callers}",
                bar=Bar("at least", 0.6) if callers > 1 else None,
                note="" if postgres else "not installed",
            )
        )
    return rows
