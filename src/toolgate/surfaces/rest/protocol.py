"""HTTP as uvicorn reads it, with rules of ours: a head has a size and a time, and even what is not HTTP gets a problem.

uvicorn's httptools reader has no limit of its own for either, so that one connection could take all the memory.

A call that arrives whole takes a short way (`WholeCall`). Whether it does is known at the end of the read: until then
the request is only noted, and uvicorn hears of it, as if nothing had been, if it turns out to be anything else.
"""

import asyncio
from functools import partial
from typing import Any, Final, cast

import httptools
import msgspec
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle

from toolgate.envelopes.problem import problem_of
from toolgate.errors import ToolgateError
from toolgate.surfaces.rest.answer import RESPOND
from toolgate.surfaces.rest.app import RestApp
from toolgate.surfaces.rest.corked_transport import CorkedTransport
from toolgate.surfaces.rest.errors import HeadTooLarge, HttpError
from toolgate.surfaces.rest.invoke import PATH
from toolgate.surfaces.rest.problem import PROBLEM
from toolgate.surfaces.rest.whole_call import WholeCall

_PATH: Final = PATH.encode("ascii")

MAX_HEAD_BYTES: Final = 64 * 1024
HEAD_SECONDS: Final = 30.0
"""How long a connection may take to say what it wants."""


LINGER_SECONDS: Final = 2.0
"""How long a refused client may go on sending. Hanging up at once would make its system drop our answer unread."""


class GateProtocol(HttpToolsProtocol):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._in_head = False
        self._head_bytes = 0
        self._is_long_read = False
        self._is_refused = False
        self._timer: asyncio.TimerHandle | None = None
        self._fault: ToolgateError = HttpError()
        self._is_idle = False
        self._idle_until = 0.0
        self._noted: list[bytes] | None = None
        self._whole: WholeCall | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        app: object = self.app  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
        if isinstance(app, RestApp):
            self._whole = WholeCall(
                app.invoke.answer_whole,
                transport,
                self.flow,
                state=self.server_state,
                on_response=self.on_response_complete,
            )
        self.transport = cast(asyncio.Transport, CorkedTransport(transport, self.loop))
        self._hang_up_in(HEAD_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        self._unset_keepalive_if_required()
        if self._whole is not None and not self._whole.response_complete:
            self._whole.leave(self.loop)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._is_refused:
            return
        self._is_long_read = len(data) > MAX_HEAD_BYTES
        self._is_idle = False
        try:
            cast(httptools.HttpRequestParser, self.parser).feed_data(data)
        except httptools.HttpParserError:
            self.logger.warning("Invalid HTTP request received.")
            self.send_400_response("")
        except httptools.HttpParserUpgrade:
            self.logger.warning("Unsupported upgrade request.")
        if self._noted is not None:
            self._go_the_long_way(self._noted)
        if self._in_head:
            self._wait_for_head(len(data))

    def on_message_begin(self) -> None:
        self._in_head, self._head_bytes = True, 0
        self.url = b""
        self.headers = []
        self.expect_100_continue = False

    def on_header(self, name: bytes, value: bytes) -> None:
        if not self._in_head:
            return  # what stands behind the body cannot speak for it
        name = name.lower()
        if name == b"expect" and value.lower() == b"100-continue":
            self.expect_100_continue = True
        self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        self._in_head = False
        if self._timer is not None:
            self._stop_timer()
        if self._is_long_read and self._head_length() > MAX_HEAD_BYTES:
            self._fault = HeadTooLarge()
            raise self._fault  # ends the parser, and uvicorn then sends the response below
        if self._may_be_short():
            self._noted = []
        else:
            self._begin_cycle()

    def on_body(self, body: bytes) -> None:
        if self._noted is None:
            super().on_body(body)
        else:
            self._noted.append(body)

    def on_message_complete(self) -> None:
        chunks = self._noted
        if chunks is None or self._whole is None:
            super().on_message_complete()
            return
        self._noted = None
        self.cycle = cast(RequestResponseCycle, self._whole)
        self._whole.begin(self.loop, self.headers, chunks[0] if len(chunks) == 1 else b"".join(chunks))

    def _may_be_short(self) -> bool:
        """A plain call on a connection that is at rest."""
        if self.url != _PATH or self._whole is None or self.expect_100_continue or not self._is_at_rest():
            return False
        parser = cast(httptools.HttpRequestParser, self.parser)
        return (
            parser.get_method() == b"POST"
            and parser.should_keep_alive()
            and not parser.should_upgrade()
            and parser.get_http_version() == "1.1"
        )

    def _is_at_rest(self) -> bool:
        cycle = cast(RequestResponseCycle | None, self.cycle)
        return cycle is None or cycle.response_complete

    def _go_the_long_way(self, chunks: list[bytes]) -> None:
        self._noted = None
        if not self._is_refused:
            self._begin_cycle()
            for chunk in chunks:
                super().on_body(chunk)

    def _begin_cycle(self) -> None:
        """Let uvicorn begin its cycle, with the request line and headers that it was not told of before."""
        url, headers, expects = self.url, self.headers, self.expect_100_continue
        super().on_message_begin()
        self.url, self.expect_100_continue = url, expects
        self.headers.extend(headers)
        super().on_headers_complete()
        cast(dict[str, Any], self.scope)[RESPOND] = partial(self._respond, self.cycle)

    def on_response_complete(self) -> None:
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        else:
            self._is_idle = True
            self._idle_until = self.loop.time() + self.timeout_keep_alive
            if self.timeout_keep_alive_task is None:
                self.timeout_keep_alive_task = self.loop.call_at(self._idle_until, self._end_if_idle)

    def _end_if_idle(self) -> None:
        """The one timer of a connection looks when it is due: to set it anew for every answer would cost more."""
        self.timeout_keep_alive_task = None
        if self._is_idle and self._idle_until > self.loop.time():
            self.timeout_keep_alive_task = self.loop.call_at(self._idle_until, self._end_if_idle)
        elif self._is_idle:
            self.timeout_keep_alive_handler()

    def send_400_response(self, msg: str) -> None:
        """Say what was wrong with something that never became a request, and listen to no more of it."""
        body = msgspec.json.encode(problem_of(self._fault))
        head = [
            STATUS_LINE[self._fault.http_status],
            b"content-type: %b\r\n" % PROBLEM,
            b"content-length: %d\r\n" % len(body),
            b"cache-control: no-store\r\nx-content-type-options: nosniff\r\nconnection: close\r\n\r\n",
        ]
        self._in_head = False
        self.transport.write(b"".join([*head, body]))
        self._linger()

    def _respond(self, cycle: RequestResponseCycle, status: int, head: bytes, body: bytes, closes: bool) -> bool:
        """Answer a request in one write: what `RequestResponseCycle.send` does for a start and a whole body together.

        False if that cannot be done: the client is slow to read, or does not want to keep the connection.
        """
        if cycle.disconnected or cycle.response_started or cycle.flow.write_paused or not cycle.keep_alive:
            return False
        cycle.response_started = cycle.response_complete = True
        defaults = b"".join([b"%b: %b\r\n" % header for header in cycle.default_headers])
        cycle.transport.write(b"".join((STATUS_LINE[status], defaults, head, b"\r\n", body)))
        cycle.message_event.set()
        if closes:
            self._linger()
        else:
            cycle.on_response()
        return True

    def _linger(self) -> None:
        """Say no more, and read what still comes without looking at it."""
        self._is_refused = True
        if self._whole is not None:
            self._whole.disconnected = True
        self.transport.write_eof()
        self.flow.resume_reading()
        self._hang_up_in(LINGER_SECONDS)

    def _wait_for_head(self, read_bytes: int) -> None:
        self._head_bytes += read_bytes
        if self._head_bytes > MAX_HEAD_BYTES:
            self._fault = HeadTooLarge()
            self.send_400_response("")
        elif self._timer is None:
            self._hang_up_in(HEAD_SECONDS)

    def _head_length(self) -> int:
        return len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers)

    def _hang_up_in(self, seconds: float) -> None:
        self._stop_timer()
        self._timer = self.loop.call_later(seconds, self.timeout_keep_alive_handler)

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
