"""Calls that are answered only after their record is on disk, by the number of callers who wait at the same time."""

import os
import time
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from bench.gate import MEMORY, call_of, open_gate
from bench.measure import Call, Effort, Load, LoadSample, load_of, median_loads
from bench.postgres import NoPostgres, open_postgres
from bench.row import Bar, Row, Section, quotient

TITLE = "Durable calls"
METHOD = (
    "`add(a, b)` in process; each call is answered after the commit that holds its record and its events. SQLite with "
    "`synchronous=FULL`, PostgreSQL with its default `synchronous_commit=on`, over a local socket. Rates are what the "
    "callers got together; processor time is that of this process, all threads. One caller waits for one flush a "
    "call, so the quicker the disk's flush, the smaller the gain of many callers who share one."
)
MANY = 64
FLUSHES = 50
PAGE_BYTES = 4096


async def measure(effort: Effort) -> Section:
    no_postgres = ""
    async with AsyncExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="toolgate-bench-")))
        stores = {"memory": MEMORY, "SQLite": f"sqlite:///{directory / 'durable.db'}"}
        try:
            stores["PostgreSQL"] = stack.enter_context(open_postgres())
        except NoPostgres as reason:
            no_postgres = str(reason)
        gates = {name: await stack.enter_async_context(open_gate(store)) for name, store in stores.items()}
        samples = _samples({name: call_of(gate, "add") for name, gate in gates.items()}, seconds=effort.load_seconds)
        samples["flush"] = partial(_flush, _written(directory / "flush"))
        await median_loads(samples, rounds=1)  # warm
        loads = await median_loads(samples, rounds=effort.load_rounds)
    return Section(title=TITLE, method=METHOD, rows=_sqlite_rows(loads) + _postgres_rows(loads, note=no_postgres))


def _samples(calls: dict[str, Call], *, seconds: float) -> dict[str, LoadSample]:
    numbers = {"memory": (MANY,), "SQLite": (1, 16, MANY), "PostgreSQL": (1, 16, MANY)}
    return {
        f"{store} {callers}": load_of(call, callers=callers, seconds=seconds)
        for store, call in calls.items()
        for callers in numbers[store]
    }


def _written(path: Path) -> Path:
    """A file that has its size already, as a write-ahead log has most of the time."""
    path.write_bytes(bytes(FLUSHES * PAGE_BYTES))
    return path


async def _flush(path: Path) -> Load:
    """What the disk does without us: one page at a time, each flushed before the next."""
    with path.open("r+b", buffering=0) as file:
        began, cpu = time.perf_counter(), time.process_time()
        for _ in range(FLUSHES):
            file.write(bytes(PAGE_BYTES))
            os.fsync(file.fileno())
        elapsed, cpu = time.perf_counter() - began, time.process_time() - cpu
    return Load(FLUSHES / elapsed, cpu / FLUSHES * 1e6)


def _sqlite_rows(loads: dict[str, Load]) -> list[Row]:
    one, many, memory = loads["SQLite 1"], loads[f"SQLite {MANY}"], loads[f"memory {MANY}"]
    return [
        Row(name="the disk alone", value=loads["flush"].calls_per_second, unit="flushes/s"),
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


def _postgres_rows(loads: dict[str, Load], *, note: str) -> list[Row]:
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
                against=f"SQLite, {callers} caller{'s' if callers > 1 else ''}",
                bar=Bar("at least", 0.6) if callers > 1 else None,
                note=note,
            )
        )
    return rows
