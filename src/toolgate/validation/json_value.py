"""Is a Python value plain JSON? Proven fast for those that are, explained for those that are not.

`marshal` writes exact built-in types only and runs no code of the value, which makes it a proof: what it has written
holds no enum, dataclass or subclass. orjson would read attributes of those, and an attribute that raises can end the
process.
"""

from __future__ import annotations

from collections.abc import Iterable
from marshal import dumps as prove_builtin
from math import isfinite
from typing import Any, Final, cast

import orjson

from toolgate.errors import FieldError
from toolgate.model.pointer import json_pointer, printable

MAX_DEPTH: Final = 254  # orjson goes no deeper
INTEGER_RANGE: Final = range(-(2**63), 2**64)

type_name_of = type.__dict__["__name__"].__get__  # a metaclass can replace `__name__`, but not this


def encode(value: Any) -> bytes:
    """Encode a value that consists of built-in types.

    Numbers that JSON cannot say (NaN, infinities) become `null`: whoever finds a null in the answer looks for them.

    Raises:
        TypeError, ValueError: the value is not plain; `find_fault` says where.
    """
    prove_builtin(value)
    return orjson.dumps(value)


def find_fault(value: Any, *, path: tuple[str | int, ...] = ()) -> FieldError | None:
    """The first place where a value is not JSON: its pointer and the name of the type, never the value."""
    if (reason := _node_fault(value)) is not None:
        return FieldError(json_pointer(path), reason, "InvalidType")
    if type(value) not in _CONTAINERS:
        return None
    if len(path) >= MAX_DEPTH:
        return FieldError(json_pointer(path[:3]), f"is nested more than {MAX_DEPTH} levels deep")
    return next(filter(None, (find_fault(item, path=(*path, step)) for step, item in _items(value))), None)


_CONTAINERS: Final = frozenset({dict, list, tuple})


def _items(container: Any) -> Iterable[tuple[str | int, Any]]:
    if type(container) is dict:
        return cast("dict[str, Any]", container).items()
    return enumerate(cast("list[Any]", container))


def _node_fault(value: Any) -> str | None:
    kind = cast("type[Any]", type(value))
    if kind is list or kind is tuple or kind is bool or value is None:
        return None
    if kind is dict:
        return None if all(type(key) is str and _is_utf8(key) for key in value) else "has a key that is not a text"
    if kind is str:
        return None if _is_utf8(value) else "is not valid Unicode"
    if kind is int:
        return None if value in INTEGER_RANGE else "is an integer beyond 64 bits"
    if kind is float:
        return None if isfinite(value) else "is not a finite number"
    return f"is a Python {printable(type_name_of(kind))}, not a JSON value"


def _is_utf8(text: str) -> bool:
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
