"""Shared state of one process: the `memory://` state store."""

from datetime import timedelta
from typing import NamedTuple

from toolgate.ports import Clock


class _Entry(NamedTuple):
    value: bytes
    expires_at: float | None


class MemoryKeyValue:
    """Implements `KeyValue`. Expired entries are dropped when they are met."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._entries: dict[str, _Entry] = {}

    async def get(self, key: str) -> bytes | None:
        entry = self._live(key)
        return entry.value if entry else None

    async def put(self, key: str, value: bytes, *, ttl: timedelta | None = None) -> None:
        expires_at = None if ttl is None else self._clock.monotonic() + ttl.total_seconds()
        self._entries[key] = _Entry(value, expires_at)

    async def swap(self, key: str, old: bytes | None, new: bytes, *, ttl: timedelta | None = None) -> bool:
        entry = self._live(key)
        if (entry.value if entry else None) != old:
            return False
        await self.put(key, new, ttl=ttl)
        return True

    async def delete(self, key: str) -> None:
        self._entries.pop(key, None)

    def _live(self, key: str) -> _Entry | None:
        entry = self._entries.get(key)
        if entry is None or entry.expires_at is None or entry.expires_at > self._clock.monotonic():
            return entry
        del self._entries[key]
        return None

    def __repr__(self) -> str:
        return f"MemoryKeyValue({len(self._entries)} keys)"
