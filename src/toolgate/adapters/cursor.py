"""Where a page of history ends: the key of its last row, as opaque text that may come back damaged or forged."""

import re
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import NamedTuple

from toolgate.errors import FieldError, InvalidParameters
from toolgate.model.outcome import Outcome
from toolgate.model.timestamp import rfc3339

MAX_LIMIT = 1000
MAX_PAGE_BYTES = 32 * 1024 * 1024
"""A page ends early rather than hold more output than this."""

_END_US = 2**53  # the year 2255: up to here microseconds are exact as a float of seconds
# Spelled out, because a repeated group takes three times as long, on every call.
_CANONICAL_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CURSOR = re.compile(rb"1:(\d{1,16}):([0-9a-f-]{36})")


def is_invocation_id(text: str) -> bool:
    """True for the one spelling of a UUID that is stored; nothing else can be an invocation id."""
    return _CANONICAL_UUID.fullmatch(text) is not None


class Cursor(NamedTuple):
    """Rows sort by these two, newest first. Compares like the rows."""

    started_at_us: int
    invocation_id: str

    @classmethod
    def of(cls, outcome: Outcome) -> "Cursor":
        return cls(round(outcome.invocation.started_at * 1_000_000), outcome.invocation.invocation_id)

    @property
    def started_at(self) -> str:
        return rfc3339(self.started_at_us / 1_000_000)

    def encode(self) -> str:
        return urlsafe_b64encode(f"1:{self.started_at_us}:{self.invocation_id}".encode()).decode().rstrip("=")

    @classmethod
    def decode(cls, text: str) -> "Cursor":
        """Read a cursor that `encode` wrote.

        Raises:
            InvalidParameters: it is none.
        """
        cursor = cls._parse(text)
        if cursor is None:
            fault = FieldError("/cursor", "must be a cursor from an earlier page", "InvalidFormat")
            raise InvalidParameters(summary="the cursor cannot be read", errors=[fault])
        return cursor

    @classmethod
    def _parse(cls, text: str) -> "Cursor | None":
        try:
            raw = urlsafe_b64decode(text.encode("ascii") + b"=" * (-len(text) % 4))
        except ValueError:
            return None
        match = _CURSOR.fullmatch(raw)
        if match is None or int(match[1]) >= _END_US or not is_invocation_id(match[2].decode()):
            return None
        return cls(int(match[1]), match[2].decode())


def check_limit(limit: int) -> int:
    """How many rows a page may have at most.

    Raises:
        InvalidParameters: less than one.
    """
    if limit < 1:
        fault = FieldError("/limit", "must be at least 1", "InvalidFormat")
        raise InvalidParameters(summary="the limit is too small", errors=[fault])
    return min(limit, MAX_LIMIT)
