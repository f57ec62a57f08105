"""What happens to a request that takes long: a body that does not come is given up, a client that leaves takes its
call along. A request that is over quickly, as most are, pays for one timer and for no task.
"""

import asyncio
from typing import Final

from starlette.types import Receive

from toolgate.ports import Clock, Timer
from toolgate.surfaces.rest.body import UnusableBody, read_body

QUICK_SECONDS: Final = 0.1
"""Whether the client is still there is asked only of requests that take longer than this."""

BODY_SECONDS: Final = 30.0
"""How long a whole body may take."""


class Patience:
    """Belongs to the task that made it, which must `end` it."""

    def __init__(self, clock: Clock, receive: Receive) -> None:
        self._clock = clock
        self._receive = receive
        self._task = asyncio.current_task()
        self._reading = True
        self._interrupted = False
        self._watcher: asyncio.Task[None] | None = None
        self._timer: Timer | None = clock.call_later(QUICK_SECONDS, self._look)

    async def read_body(self, *, limit: int, declared: int, on_request: bool) -> bytes:
        """Read the body; from then on a client that leaves cancels this task.

        Raises:
            UnusableBody: it is too large, or too slow.
            ClientGone
        """
        try:
            body = await read_body(self._receive, limit=limit, declared=declared, on_request=on_request)
        except asyncio.CancelledError:
            if self.take_back_interruption():
                raise UnusableBody(is_read=False, message=f"did not arrive within {BODY_SECONDS:g} s") from None
            raise
        self._reading = False
        if self._timer is None:
            self._timer = self._clock.call_later(QUICK_SECONDS, self._look)
        return body

    def take_back_interruption(self) -> bool:
        """True if the cancellation of the task came from here; it is then undone."""
        if self._interrupted and self._task is not None:
            self._interrupted = False
            self._task.uncancel()
            return True
        return False

    async def end(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])

    def _look(self) -> None:
        self._timer = None
        if self._reading:
            self._timer = self._clock.call_later(BODY_SECONDS - QUICK_SECONDS, self._interrupt_reading)
        else:
            self._watcher = asyncio.get_running_loop().create_task(self._watch())

    def _interrupt_reading(self) -> None:
        self._timer = None
        if self._reading:
            self._interrupt()

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._interrupt()

    def _interrupt(self) -> None:
        if self._task is not None:
            self._interrupted = True
            self._task.cancel()
