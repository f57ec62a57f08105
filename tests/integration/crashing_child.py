"""Runs a thousand concurrent callers until somebody kills it; prints the id of every answered invocation."""

import asyncio
import os
import sys

from toolgate import Toolgate, tool


@tool(effect="pure", blocking=False)
def double(x: int) -> int:
    return 2 * x


async def caller(gate: Toolgate, x: int) -> None:
    while True:
        outcome = await gate.call("double", x=x)
        if outcome.output != 2 * x:
            raise SystemExit("wrong answer")
        os.write(1, f"{outcome.invocation_id}\n".encode())


async def main(data_dir: str) -> None:
    async with Toolgate(data_dir=data_dir, settings={}) as gate:
        gate.add(double)
        await asyncio.gather(*(caller(gate, x) for x in range(1000)))


asyncio.run(main(sys.argv[1]))
