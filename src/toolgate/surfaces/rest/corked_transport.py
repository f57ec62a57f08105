"""A transport that joins what is written at one go: the head of a response and its body leave in one system call.

The system call is the dearest part of a small answer, and uvicorn makes one for the head and one for the body.
"""

import asyncio
from typing import Any, Final

HOLD_BYTES: Final = 64 * 1024
"""More than this is not held back, so that the transport's own flow control sees it."""


class CorkedTransport:
    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._held: list[bytes] = []
        self._held_bytes = 0

    def write(self, data: bytes) -> None:
        """Write now what is large; hold back what is small until the loop comes round."""
        if not self._held:
            self._loop.call_soon(self.flush)
        self._held.append(data)
        self._held_bytes += len(data)
        if self._held_bytes > HOLD_BYTES:
            self.flush()

    def flush(self) -> None:
        if self._held:
            self._transport.write(b"".join(self._held))
            self._held.clear()
            self._held_bytes = 0

    def write_eof(self) -> None:
        self.flush()
        self._transport.write_eof()

    def close(self) -> None:
        self.flush()
        self._transport.close()

    def is_closing(self) -> bool:
        return self._transport.is_closing()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)
