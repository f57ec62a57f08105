"""What happens to a request that takes long: a body that does not come is given up, a client that leaves takes its
call along.

One round a tick looks at everything that is under way. A request that is over before that, as most are, pays for no
timer and no task.
"""

import asyncio
from typing import Final

from starlette.types import Receive

from toolgate.ports import Clock
from toolgate.surfaces.rest.body import UnusableBody, read_body

TICK_SECONDS: Final = 0.1
BODY_TICKS: Final = 300
"""How long a whole body may take: 30 seconds."""


class Patience:
    """The patience with one request. Belongs to the task that made it."""

    __slots__ = ("_interrupted", "_reading", "_receive", "_task", "_ticks", "_watcher")

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._task = asyncio.current_task()
        self._reading = True
        self._interrupted = False
        self._ticks = 0
        self._watcher: asyncio.Task[None] | None = None

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
                raise UnusableBody(is_read=False, message="did not arrive in time") from None
            raise
        self._reading = False
        return body

    def take_back_interruption(self) -> bool:
        """True if the cancellation of the task came from here; it is then undone."""
        if not self._interrupted or self._task is None:
            return False
        self._interrupted = False
        self._task.uncancel()
        return True

    def tick(self) -> None:
        """Called once a round, so at the second one the request has been here for a tick at least."""
        self._ticks += 1
        if self._reading:
            if self._ticks == BODY_TICKS:
                self._interrupt()
        elif self._watcher is None and self._ticks > 1:
            self._watcher = asyncio.get_running_loop().create_task(self._watch())

    @property
    def is_watching(self) -> bool:
        return self._watcher is not None

    async def end(self) -> None:
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.wait([self._watcher])

    async def _watch(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass
        self._interrupt()

    def _interrupt(self) -> None:
        if self._task is not None:
            self._interrupted = True
            self._task.cancel()


class Rounds:
    """Looks after all requests under way, as long as there are any."""

    def __init__(self) -> None:
        self._under_way: set[Patience] = set()
        self._is_ticking = False

    def begin(self, receive: Receive, clock: Clock) -> Patience:
        patience = Patience(receive)
        self._under_way.add(patience)
        if not self._is_ticking:
            self._is_ticking = True
            self._schedule(clock)
        return patience

    def end(self, patience: Patience) -> None:
        self._under_way.discard(patience)

    def _schedule(self, clock: Clock) -> None:
        clock.call_later(TICK_SECONDS, lambda: self._tick(clock))

    def _tick(self, clock: Clock) -> None:
        for patience in tuple(self._under_way):
            patience.tick()
        self._is_ticking = bool(self._under_way)
        if self._is_ticking:
            self._schedule(clock)

    def __repr__(self) -> str:
        return f"Rounds({len(self._under_way)} requests under way)"
