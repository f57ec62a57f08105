"""Turns what a tool returned into plain JSON types: models, dataclasses, enums, dates and the like.

The objects belong to the tool and may do anything when they are touched. Types are asked of `type(value)`, which
cannot lie, built-in containers are read with the methods of the built-in, and whatever raises becomes a finding.
"""

from __future__ import annotations

import dataclasses
import sys
from collections.abc import Callable, Iterable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any, Final, cast
from uuid import UUID

import msgspec

from toolgate.errors import OutputError, OutputTooLarge, OutputTypeMismatch
from toolgate.model.pointer import printable
from toolgate.validation.json_value import INTEGER_RANGE, MAX_DEPTH, type_name_of


def to_plain(value: Any, *, max_nodes: int) -> Any:
    """A copy of the value that consists of JSON types only.

    Raises:
        OutputTypeMismatch: something in it has no JSON form, or raised when it was read.
        OutputTooLarge: it is too deep, cyclic, or has too many nodes.
    """
    return _Conversion(max_nodes).convert(value, depth=0)


class _Conversion:
    def __init__(self, max_nodes: int) -> None:
        self._nodes_left = max_nodes

    def convert(self, value: Any, *, depth: int) -> Any:
        kind = cast("type[Any]", type(value))
        self._nodes_left -= 1
        if self._nodes_left < 0:
            raise OutputTooLarge(reason="number of values")
        if kind is str or kind is bool or value is None:
            return value
        if depth > MAX_DEPTH:
            raise OutputTooLarge(reason="nesting")
        try:
            return self._convert_as(kind, value, depth)
        except (OutputError, KeyboardInterrupt):
            raise
        except RecursionError:
            refusal = OutputTooLarge(reason="nesting")
        except BaseException:  # SystemExit in a property of the tool's object must not end the process
            refusal = _mismatch(kind)
        raise refusal  # outside of the handler: what the object raised may carry a secret

    def _convert_as(self, kind: type[Any], value: Any, depth: int) -> Any:
        if issubclass(kind, Enum):
            return self.convert(value.value, depth=depth + 1)
        if issubclass(kind, dict):
            return {_key(key): self.convert(item, depth=depth + 1) for key, item in _DICT_ITEMS(value)}
        for base, elements in _SEQUENCES:
            if issubclass(kind, base):
                return [self.convert(item, depth=depth + 1) for item in elements(value)]
        for base, convert in _SCALARS:
            if issubclass(kind, base):
                return convert(value)
        return self.convert(_members(kind, value), depth=depth + 1)


def _key(key: Any) -> str:
    if not issubclass(type(key), str):
        raise OutputTypeMismatch(found="a key that is not a text")
    return str.__str__(key)


def _sorted(elements: Iterable[Any]) -> list[Any]:
    """The same set gives the same answer in every process, where its elements can be ordered."""
    unordered = list(elements)
    try:
        return sorted(unordered)
    except TypeError:
        return unordered


def _int(value: int) -> int:
    number = int.__int__(value)
    if number not in INTEGER_RANGE:
        raise OutputTypeMismatch(found="integer beyond 64 bits")
    return number


def _float(value: float) -> float:
    number = float.__float__(value)
    if number != number:
        raise OutputTypeMismatch(found="NaN")
    if number in (float("inf"), float("-inf")):
        raise OutputTypeMismatch(found="Infinity")
    return number


_DICT_ITEMS: Final[Callable[[Any], Iterable[tuple[Any, Any]]]] = dict[Any, Any].items
_SEQUENCES: Final[tuple[tuple[type[Any], Callable[[Any], Iterable[Any]]], ...]] = (
    (list, list[Any].__iter__),
    (tuple, tuple[Any, ...].__iter__),
    (set, lambda value: _sorted(set[Any].__iter__(value))),
    (frozenset, lambda value: _sorted(frozenset[Any].__iter__(value))),
)
_SCALARS: Final[tuple[tuple[type[Any], Callable[[Any], Any]], ...]] = (
    (str, str.__str__),
    (int, _int),
    (float, _float),
    (datetime, datetime.isoformat),
    (date, date.isoformat),
    (time, time.isoformat),
    (timedelta, msgspec.to_builtins),
    (UUID, UUID.__str__),
    (Decimal, Decimal.__str__),
    (PurePath, PurePath.__str__),
)


def _members(kind: type[Any], value: Any) -> Any:
    pydantic = sys.modules.get("pydantic")
    if pydantic is not None and issubclass(kind, pydantic.BaseModel):
        return value.model_dump(mode="json", by_alias=True)
    if issubclass(kind, msgspec.Struct):
        return _struct_members(kind, value)
    if dataclasses.is_dataclass(kind):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(kind)}
    raise _mismatch(kind)


def _struct_members(kind: type[msgspec.Struct], value: Any) -> dict[str, Any]:
    config = kind.__struct_config__
    members: dict[str, Any] = {} if config.tag_field is None else {config.tag_field: config.tag}
    for name, encoded_name in zip(kind.__struct_fields__, kind.__struct_encode_fields__, strict=True):
        if (item := getattr(value, name)) is not msgspec.UNSET:
            members[encoded_name] = item
    return members


def _mismatch(kind: type[Any]) -> OutputTypeMismatch:
    return OutputTypeMismatch(found=printable(type_name_of(kind)))
