"""The tools that are called: as little work as possible, so that what is measured is the layer around them."""

from toolgate import tool


@tool(effect="pure")
async def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


@tool(effect="pure", blocking=False)
def add_inline(a: int, b: int) -> int:
    """Add two integers, on the event loop."""
    return a + b


@tool(effect="pure")
def add_in_thread(a: int, b: int) -> int:
    """Add two integers, in a thread, where a function belongs that may block."""
    return a + b
