"""The short way for a call that arrives whole, in one read: no scope, no messages, one task and one write.

To the protocol it looks like uvicorn's cycle of a request, so what uvicorn does with a cycle when more requests are
sent ahead, when the server stops or when the client leaves happens to this one too.
"""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from uvicorn.protocols.http.flow_control import FlowControl
from uvicorn.protocols.http.httptools_impl import STATUS_LINE
from uvicorn.server import ServerState

from toolgate.errors import InternalError
from toolgate.surfaces.rest.answer import Answer
from toolgate.surfaces.rest.problem import refused
from toolgate.surfaces.rest.request_id import new_request_id

LEAVE_SECONDS: Final = 0.1
"""How long a call goes on without its client. One that is nearly over is not worth undoing."""

_CLOSE: Final = b"connection: close\r\n"

Headers = list[tuple[bytes, bytes]]
Invoke = Callable[[Headers, bytes], Awaitable[tuple[Answer, str]]]


class WholeCall:
    """The calls of one connection, which come one after the other."""

    def __init__(
        self,
        invoke: Invoke,
        transport: asyncio.Transport,
        flow: FlowControl,
        *,
        state: ServerState,
        on_response: Callable[[], None],
    ) -> None:
        self.response_complete = True
        self.keep_alive = True
        self.disconnected = False  # or refused: no answer can be sent any more
        self.message_event = asyncio.Event()  # the protocol sets it; nobody waits here
        self._invoke = invoke
        self._transport = transport
        self._flow = flow
        self._state = state
        self._on_response = on_response
        self._task: asyncio.Task[None] | None = None
        self._defaults: Headers | None = None
        self._default_lines = b""

    def begin(self, loop: asyncio.AbstractEventLoop, headers: Headers, body: bytes) -> None:
        self.response_complete = False
        self._task = task = loop.create_task(self._run(headers, body))
        self._state.tasks.add(task)

    def leave(self, loop: asyncio.AbstractEventLoop) -> None:
        """The client has gone: nobody waits for the answer."""
        self.disconnected = True
        if self._task is not None:
            loop.call_later(LEAVE_SECONDS, self._task.cancel)

    async def _run(self, headers: Headers, body: bytes) -> None:
        try:
            answer, request_id = await self._invoke(headers, body)
            if self._flow.write_paused:
                await self._flow.drain()
        except asyncio.CancelledError:
            if self.disconnected:
                return  # the engine has kept the outcome
            self.keep_alive = False
            self._write(refused(InternalError(message="the server stopped before the call ended")), new_request_id())
            raise
        finally:
            self._state.tasks.discard(self._task)  # type: ignore[arg-type]
            self._task = None
        self._write(answer, request_id)

    def _write(self, answer: Answer, request_id: str) -> None:
        self.response_complete = True
        if self.disconnected:
            return
        if self._state.default_headers is not self._defaults:  # uvicorn makes new ones every second
            self._defaults = self._state.default_headers
            self._default_lines = b"".join([b"%b: %b\r\n" % header for header in self._defaults])
        lines = self._default_lines if self.keep_alive else self._default_lines + _CLOSE
        self._transport.write(answer.wire(STATUS_LINE[answer.status] + lines, request_id))
        if not self.keep_alive:
            self._transport.close()
        self._on_response()
