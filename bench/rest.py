"""Calls over HTTP, beside routes that do nothing but echo the same body."""

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from importlib.util import find_spec
from math import isnan
from pathlib import Path
from tempfile import TemporaryDirectory

from bench import wrk
from bench.measure import Effort, Load, LoadSample, median_loads
from bench.row import Bar, Row, Section, quotient
from bench.servers import Server, running

TITLE = "REST, one worker"
METHOD = (
    "`POST /v1/invocations` with a whole request of the layer specification, about 1.2 kB with its capability token, "
    "driven by `wrk -t1`. The echo routes get a request of the same size, decode the body and encode it again: "
    "Starlette with orjson, FastAPI with a pydantic model in and out. All run on uvicorn, uvloop and httptools. With "
    "SQLite (`synchronous=FULL`) a request is answered after the commit that holds its record. Processor time is the "
    "server's, a request."
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
_COMPARED = (
    (_STARLETTE, None, None),
    (_FASTAPI, None, None),
    (_MEMORY, _STARLETTE, Bar("at least", 0.7)),
    (_MEMORY, _FASTAPI, Bar("at least", 1.3)),
    (_SQLITE, _MEMORY, Bar("at least", 0.5)),
)


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
        warm = _samples(servers, directory, seconds=1, connections=CONNECTIONS[:1])
        await median_loads(warm, rounds=1 if effort.is_quick else 2)
        samples = _samples(servers, directory, seconds=1 if effort.is_quick else 2)
        loads = await median_loads(samples, rounds=3 if effort.is_quick else effort.load_rounds)
    return Section(title=TITLE, method=METHOD, rows=_rows(loads))


def _samples(
    servers: dict[str, Server], directory: Path, *, seconds: int, connections: Sequence[int] = CONNECTIONS
) -> dict[str, LoadSample]:
    return {
        f"{name}, {number}": partial(wrk.drive, server, connections=number, seconds=seconds, directory=directory)
        for number in connections
        for name, server in servers.items()
        if _is_wanted(name, number)
    }


def _is_wanted(name: str, connections: int) -> bool:
    return name != _SQLITE or connections == CONNECTIONS[0]


def _rows(loads: dict[str, Load], *, note: str = "not installed") -> list[Row]:
    return [
        _row(name, reference, bar, connections=connections, loads=loads, note=note)
        for connections in CONNECTIONS
        for name, reference, bar in _COMPARED
        if _is_wanted(name, connections)
    ]


def _row(
    name: str, reference: str | None, bar: Bar | None, *, connections: int, loads: dict[str, Load], note: str
) -> Row:
    load, base = loads.get(f"{name}, {connections}"), loads.get(f"{reference}, {connections}")
    is_missing = load is None or (reference is not None and base is None)
    return Row(
        name=f"{name}, {connections} connections",
        value=load and load.calls_per_second,
        unit="req/s",
        ratio=quotient(load and load.calls_per_second, base and base.calls_per_second),
        against=reference or "",
        bar=bar,
        note=note if is_missing or load is None else _processor_time(load),
    )


def _processor_time(load: Load) -> str:
    return "" if isnan(load.cpu_us) else f"{load.cpu_us:.0f} µs processor time"
