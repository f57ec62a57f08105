"""What goes back over the wire. An answer is an ASGI application too, so that a route can simply return it.

ASGI wants two messages for an answer, and a server looks at every header again. Our own server offers a shorter way
in the scope (`RESPOND`), which the hot route takes where it can.
"""

from collections.abc import Callable
from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send

from toolgate.surfaces.rest.request_id import HEADER, request_id_of

RawHeaders = tuple[tuple[bytes, bytes], ...]

JSON: Final = b"application/json"
MARKDOWN: Final = b"text/markdown; charset=utf-8"
NO_STORE: Final = b"no-store"

CLOSE: Final = (b"connection", b"close")

Respond = Callable[[int, bytes, bytes, bool], bool]
"""Takes status, encoded headers, body, and whether to close; False means that the answer has to go the long way."""

RESPOND: Final = "toolgate.respond"

_NOSNIFF: Final = (b"x-content-type-options", b"nosniff")
_encode: Final = msgspec.json.Encoder().encode


class Answer(msgspec.Struct, frozen=True):
    status: int
    body: bytes
    media_type: bytes = JSON
    headers: RawHeaders = ()
    cache_control: bytes = NO_STORE

    async def send(self, send: Send, request_id: str) -> None:
        """Write the answer: exactly two messages."""
        headers = [
            (b"content-type", self.media_type),
            (b"content-length", b"%d" % len(self.body)),
            (b"cache-control", self.cache_control),
            _NOSNIFF,
            (HEADER, request_id.encode("ascii")),
            *self.headers,
        ]
        await send({"type": "http.response.start", "status": self.status, "headers": headers})
        await send({"type": "http.response.body", "body": self.body})

    async def send_at_once(self, scope: Scope, send: Send, request_id: str) -> None:
        """Write the answer the shorter way, if there is one. Its headers are trusted not to break the line."""
        respond: Respond | None = scope.get(RESPOND)
        if respond is None or not self._respond(respond, request_id):
            await self.send(send, request_id)

    def wire(self, start: bytes, request_id: str) -> bytes:
        """The whole answer as it is sent, behind what the server says itself."""
        return b"".join((start, self._head(request_id), b"\r\n", self.body))

    def _respond(self, respond: Respond, request_id: str) -> bool:
        return respond(self.status, self._head(request_id), self.body, CLOSE in self.headers)

    def _head(self, request_id: str) -> bytes:
        head = (
            b"content-type: %b\r\ncontent-length: %d\r\ncache-control: %b\r\nx-content-type-options: nosniff\r\n"
            b"x-request-id: %b\r\n" % (self.media_type, len(self.body), self.cache_control, request_id.encode())
        )
        for header in self.headers:
            head += b"%b: %b\r\n" % header
        return head

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.send(send, request_id_of(scope))


def json_answer(content: Any, *, status: int = 200, headers: RawHeaders = ()) -> Answer:
    return Answer(status, _encode(content), JSON, headers)


def not_modified(headers: RawHeaders, *, cache_control: bytes) -> Answer:
    return Answer(304, b"", JSON, headers, cache_control)
