"""A call must not cost more because there are many tools, or because many calls came before it."""

import time
from collections.abc import AsyncGenerator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from itertools import cycle
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryDirectory, gettempdir
from typing import Any

from bench.durable import MANY
from bench.gate import call_of, open_gate
from bench.measure import Call, Effort, cpu_us, load_of, median_loads, medians
from bench.row import Bar, Row, Section, quotient
from bench.stored import fill
from toolgate import Toolgate, tool

TITLE = "Cost is flat"
METHOD = (
    "Processor time a call: in process and in memory, with calls that take turns among ten of the registered tools; "
    f"and with SQLite (`synchronous=FULL`, {MANY} callers) on a database that holds that many invocations already, "
    "with their results, events and indexes."
)
FEW_TOOLS, MANY_TOOLS = 10, 10_000
STORED = 1_000_000
_BYTES_PER_STORED = 4_000
_BAR = Bar("within", 0.20)


async def measure(effort: Effort) -> Section:
    rows = [*await _by_tools(effort), *await _by_stored(effort)]
    return Section(title=TITLE, method=METHOD, rows=rows)


# ---------------------------------------------------------------- registered tools


async def _by_tools(effort: Effort) -> list[Row]:
    async with (
        open_gate(tools=_adders(FEW_TOOLS)) as small,
        open_gate(tools=_adders(MANY_TOOLS)) as large,
    ):
        samples = {
            "few": cpu_us(_in_turns(small, FEW_TOOLS), calls=effort.calls(1000)),
            "many": cpu_us(_in_turns(large, MANY_TOOLS), calls=effort.calls(1000)),
        }
        await medians(samples, rounds=1)  # warm
        cost = await medians(samples, rounds=effort.rounds)
    name = f"{FEW_TOOLS} tools"
    return [
        Row(name=name, value=cost["few"], unit="µs"),
        Row(
            name=f"{MANY_TOOLS:,} tools",
            value=cost["many"],
            unit="µs",
            ratio=quotient(cost["many"], cost["few"]),
            against=name,
            bar=_BAR,
        ),
    ]


def _adders(count: int) -> list[Callable[..., Any]]:
    return [_adder(f"add{number}") for number in range(count)]


def _adder(name: str) -> Callable[..., Any]:
    async def add(a: int, b: int) -> int:
        """Add two integers."""
        return a + b

    add.__name__ = name
    return tool(add, tool_id=name, effect="pure")


def _in_turns(gate: Toolgate, tools: int) -> Call:
    """Ten tools from all over the registry, one after the other."""
    turns = cycle([call_of(gate, f"add{number}") for number in range(0, tools, tools // FEW_TOOLS)])

    async def call() -> None:
        await next(turns)()

    return call


# ---------------------------------------------------------------- stored invocations


async def _by_stored(effort: Effort) -> list[Row]:
    if (obstacle := _obstacle(effort)) is not None:
        return [Row(name=f"{STORED:,} stored invocations", bar=_BAR, note=obstacle)]
    async with AsyncExitStack() as stack:
        calls: dict[str, Call] = {
            "empty": await stack.enter_async_context(_open_sqlite(stored=0)),
            "full": await stack.enter_async_context(_open_sqlite(stored=STORED)),
        }
        samples = {name: load_of(call, callers=MANY, seconds=effort.load_seconds) for name, call in calls.items()}
        await median_loads(samples, rounds=2)  # warm
        loads = await median_loads(samples, rounds=effort.load_rounds)
    return [
        Row(name="nothing stored", value=loads["empty"].cpu_us, unit="µs"),
        Row(
            name=f"{STORED:,} stored invocations",
            value=loads["full"].cpu_us,
            unit="µs",
            ratio=quotient(loads["full"].cpu_us, loads["empty"].cpu_us),
            against="nothing stored",
            bar=_BAR,
        ),
    ]


def _obstacle(effort: Effort) -> str | None:
    if effort.is_quick:
        return "left out of a quick run"
    if disk_usage(gettempdir()).free < STORED * _BYTES_PER_STORED * 2:
        return "not enough room on the disk"
    return None


@asynccontextmanager
async def _open_sqlite(*, stored: int) -> AsyncGenerator[Call]:
    with TemporaryDirectory(prefix="toolgate-bench-") as directory:
        path = Path(directory) / "flat.db"
        await _prepare(path, stored=stored)
        async with open_gate(f"sqlite:///{path}") as gate:
            yield call_of(gate, "add")


async def _prepare(path: Path, *, stored: int) -> None:
    async with open_gate(f"sqlite:///{path}") as gate:
        await call_of(gate, "add")()
    if stored:
        fill(path, count=stored, until=time.time() - 60)
