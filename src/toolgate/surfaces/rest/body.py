"""Reading a request body that may be too large, or end before it is complete."""

from typing import Final

from starlette.types import Receive

from toolgate.errors import FieldError, InvalidParameters

DRAIN_FACTOR: Final = 4
"""How many times the limit is read on and thrown away, so that an honest client hears why before the line is cut."""


class ClientGone(Exception):
    """The client closed the connection before its request was complete: there is nobody left to answer."""


class UnusableBody(InvalidParameters):
    """`is_read` tells whether all of it was received; if not, the connection cannot be used again."""

    def __init__(self, *, is_read: bool, message: str) -> None:
        super().__init__(message=f"the body {message}", errors=[FieldError("", message)])
        self.is_read = is_read


async def read_body(receive: Receive, *, limit: int, declared: int = 0, on_request: bool = False) -> bytes:
    """The whole body. `declared` is its length as the client says; `on_request` that it waits to be asked for it.

    Raises:
        UnusableBody: it is larger than the limit.
        ClientGone
    """
    drained = limit * (1 + DRAIN_FACTOR)
    if declared > (limit if on_request else drained):
        raise _too_large(limit, is_read=False)
    chunks: list[bytes] = []
    size, more = 0, True
    while more:
        message = await receive()
        if message["type"] != "http.request":
            raise ClientGone
        chunk: bytes = message.get("body", b"")
        size += len(chunk)
        if size > drained:
            raise _too_large(limit, is_read=False)
        chunks.append(chunk) if size <= limit else chunks.clear()
        more = message.get("more_body", False)
    if size > limit:
        raise _too_large(limit, is_read=True)
    return chunks[0] if len(chunks) == 1 else b"".join(chunks)


def check_size(body: bytes, *, limit: int) -> None:
    """
    Raises:
        UnusableBody: it is larger than the limit.
    """
    if len(body) > limit:
        raise _too_large(limit, is_read=True)


def _too_large(limit: int, *, is_read: bool) -> UnusableBody:
    return UnusableBody(is_read=is_read, message=f"must have at most {limit} bytes")
