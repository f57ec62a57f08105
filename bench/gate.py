"""A gate to measure: embedded, in a directory of its own, and warm."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from tempfile import TemporaryDirectory
from typing import Any

from bench.measure import Call
from bench.tools import add, add_in_thread, add_inline
from toolgate import Toolgate

MEMORY = "memory://"
TOOLS = (add, add_inline, add_in_thread)


@asynccontextmanager
async def open_gate(
    store: str = MEMORY, *, tools: Sequence[Callable[..., Any]] = TOOLS, warm_up: bool = True
) -> AsyncGenerator[Toolgate]:
    """Open a gate on this store; with a store in memory, call it until old records give way to new ones."""
    with TemporaryDirectory(prefix="toolgate-bench-") as directory:
        async with Toolgate(data_dir=directory, settings={"store": store}) as gate:
            for function in tools:
                gate.add(function)
            if warm_up and store == MEMORY:
                await _fill(gate, call_of(gate, tools[0].__name__))
            yield gate


def call_of(gate: Toolgate, tool_id: str) -> Call:
    return partial(_call, gate, tool_id)


async def _call(gate: Toolgate, tool_id: str) -> None:
    outcome = await gate.call(tool_id, a=1, b=2)
    if outcome.output != 3:
        raise RuntimeError(f"{tool_id} answered {outcome!r}")


async def _fill(gate: Toolgate, call: Call) -> None:
    from toolgate.adapters.memory.store import MAX_RECORDS

    for _ in range(MAX_RECORDS + 500):
        await call()
