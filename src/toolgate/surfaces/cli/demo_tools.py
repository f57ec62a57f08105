"""Two functions for `toolgate demo`, and an example of what `--tools` takes."""

import asyncio

from toolgate import tool


@tool(effect="pure", tags=("demo",))
def add(a: int, b: int) -> int:
    """Add two integers.

    Args:
        a: The first number.
        b: The second number.
    """
    return a + b


@tool(effect="pure", tags=("demo",))
async def dawdle() -> str:
    """Never return, so that the gate has to end the call."""
    await asyncio.Event().wait()
    return "never"
