"""Wall-clock seconds as RFC 3339 text and back. Always UTC, always microseconds, so that text sorts like time."""

from datetime import UTC, datetime
from functools import lru_cache


@lru_cache(maxsize=64)
def _second(epoch_second: int) -> str:
    return datetime.fromtimestamp(epoch_second, UTC).strftime("%Y-%m-%dT%H:%M:%S")


@lru_cache(maxsize=256)  # a call's two moments are each written several times: rows, events, the answer
def rfc3339(epoch: float) -> str:
    """`1763176000.25` becomes `2025-11-15T03:06:40.250000Z`."""
    second, micros = divmod(round(epoch * 1_000_000), 1_000_000)
    return f"{_second(second)}.{micros:06d}Z"


def parse_rfc3339(text: str) -> float:
    """Seconds since the epoch.

    Raises:
        ValueError: the text is not RFC 3339, or has no time zone.
    """
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        raise ValueError("a timestamp needs a time zone")
    return moment.timestamp()
