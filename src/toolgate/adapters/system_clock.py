"""The real clock."""

import asyncio
import time
from collections.abc import Callable

from toolgate.ports import Timer


class SystemClock:
    """Implements `Clock` with the operating system's clocks and the running event loop's timers."""

    def __init__(self) -> None:
        # Bound once: these are asked several times on every call.
        self.now = time.time
        self.monotonic = time.monotonic

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Timer:
        return asyncio.get_running_loop().call_later(seconds, callback)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
