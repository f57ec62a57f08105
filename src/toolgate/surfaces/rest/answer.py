"""What goes back over the wire. An answer is an ASGI application too, so that a route can simply return it."""

from typing import Any, Final

import msgspec
from starlette.types import Receive, Scope, Send

from toolgate.surfaces.rest.request_id import HEADER, request_id_of

RawHeaders = tuple[tuple[bytes, bytes], ...]

JSON: Final = b"application/json"
MARKDOWN: Final = b"text/markdown; charset=utf-8"
NO_STORE: Final = b"no-store"

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

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.send(send, request_id_of(scope))


def json_answer(content: Any, *, status: int = 200, headers: RawHeaders = ()) -> Answer:
    return Answer(status, _encode(content), JSON, headers)


def not_modified(headers: RawHeaders, *, cache_control: bytes) -> Answer:
    return Answer(304, b"", JSON, headers, cache_control)
