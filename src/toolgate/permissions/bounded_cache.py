"""A dictionary that forgets its oldest entry when it is full. Bounded, because its keys come from outside."""

from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class BoundedCache(dict[K, V]):
    """Reads are plain dictionary look-ups, because they happen on every call. It forgets by age, not by use:
    what is asked for often is soon there again.
    """

    def __init__(self, capacity: int) -> None:
        super().__init__()
        self._capacity = capacity

    def put(self, key: K, value: V) -> None:
        self.pop(key, None)
        self[key] = value
        if len(self) > self._capacity:
            del self[next(iter(self))]

    def __repr__(self) -> str:
        return f"BoundedCache({len(self)} of {self._capacity})"
