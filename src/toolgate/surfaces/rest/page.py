"""Lists as they are answered: the data, and where to go on."""

from collections.abc import Sequence
from typing import Any

import msgspec


class Listing(msgspec.Struct, frozen=True, kw_only=True):
    data: Sequence[Any]
    next_cursor: str | None = None
    has_more: bool = False


def listing(data: Sequence[Any], *, next_cursor: str | None = None) -> Listing:
    return Listing(data=data, next_cursor=next_cursor, has_more=next_cursor is not None)
