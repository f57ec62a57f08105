"""Calls over HTTP, beside routes that do nothing but echo the same body."""

from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import wrk
from bench.measure import Effort, Sample, medians
from bench.order import BODY
from bench.row import Bar, Row, Section, quotient
from bench.servers import Server, running

TITLE = "REST, one worker"
METHOD = (
    f"`POST /v1/invocations` with a body of {len(BODY):,} bytes for a tool that answers its parameters, driven by "
    "`wrk -t1`. The echo routes get the same requests, headers included, decode the "
    "body and encode it again: Starlette with orjson, FastAPI with a pydantic model in and out. All run on uvicorn, uvloop and httptools. With SQLite "
    "(`synchronous=FULL`) a request is answered after the commit that holds its record."
)
CONNECTIONS = (16, 64)
_STARLETTE, _FASTAPI = "Starlette echo", "FastAPI echo"
_MEMORY, _SQLITE = "toolgate, memory", "toolgate, SQLite"
_SERVERS = {
    _STARLETTE: ("starlette", ""),
    _FASTAPI: ("fastapi", ""),
    _MEMORY: ("toolgate", "memory://"),
    _SQLITE: ("toolgate", "sqlite:///DIRECTORY/rest.db"),
}


async def measure(effort: Effort) -> Section:
    if not wrk.is_installed():
        return Section(title=TITLE, method=METHOD, rows=_rows({}, note="wrk is not installed"))
    with ExitStack() as stack:
        directory = Path(stack.enter_context(TemporaryDirectory(prefix="toolgate-bench-")))
        servers = {
            name: stack.enter_context(running(kind, store=store))
            for name, (kind, store) in _SERVERS.items()
            if kind != "fastapi" or find_spec("fastapi") is not None
        }
        await medians(_samples(servers, directory, seconds=1), rounds=1)  # warm
        samples = _samples(servers, directory, seconds=1 if effort.is_quick else 2)
        rates = await medians(samples, rounds=3 if effort.is_quick else effort.load_rounds)
    return Section(title=TITLE, method=METHOD, rows=_rows(rates))


def _samples(servers: dict[str, Server], directory: Path, *, seconds: int) -> dict[str, Sample]:
    return {
        f"{name}, {connections}": partial(
            wrk.requests_per_second, server, connections=connections, seconds=seconds, directory=directory
        )
        for connections in CONNECTIONS
        for name, server in servers.items()
    }


def _rows(rates: dict[str, float], *, note: str = "not installed") -> list[Row]:
    return [row for connections in CONNECTIONS for row in _rows_at(connections, rates, note)]


def _rows_at(connections: int, rates: dict[str, float], note: str) -> list[Row]:
    durable = Bar("at least", 0.5) if connections == 16 else None
    compared = (
        (_STARLETTE, None, None),
        (_FASTAPI, None, None),
        (_MEMORY, _STARLETTE, Bar("at least", 0.7)),
        (_MEMORY, _FASTAPI, Bar("at least", 1.3)),
        (_SQLITE, _MEMORY, durable),
    )
    rows: list[Row] = []
    for name, reference, bar in compared:
        rate, base = rates.get(f"{name}, {connections}"), rates.get(f"{reference}, {connections}")
        missing = rate is None or (reference is not None and base is None)
        rows.append(
            Row(
                name=f"{name}, {connections} connections",
                value=rate,
                unit="req/s",
                ratio=quotient(rate, base),
                against=reference or "",
                bar=bar,
                note=note if missing else "",
            )
        )
    return rows
