"""From JSON parameters to a function's arguments.

The schema has been checked before, so plain JSON types pass through as they are. Only an integer needs a look: JSON
does not tell 1.0 from 1. Everything else (dataclasses, models, dates, enums) is made by the library that knows it.
"""

from __future__ import annotations

import functools
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping
from enum import IntEnum
from typing import Any

from toolgate.errors import FieldError, InvalidParameters
from toolgate.model.pointer import json_pointer

Bind = Callable[[dict[str, Any]], dict[str, Any]]


class Need(IntEnum):
    """What a type asks of the binding, least first."""

    NOTHING = 0
    INTEGER = 1
    LIBRARY = 2


def bind_for(hints: Mapping[str, Any]) -> Bind | None:
    """The binding for parameters of these types; None if they can be handed over unchanged."""
    needs = {name: need_of(hint) for name, hint in hints.items()}
    if Need.LIBRARY in needs.values():
        return _LibraryBinding({name: hints[name] for name, need in needs.items() if need is not Need.NOTHING})
    integers = tuple(name for name, need in needs.items() if need is Need.INTEGER)
    return _integer_binding(integers) if integers else None


def need_of(hint: Any) -> Need:
    """What it takes to turn JSON that fits the schema into this type."""
    origin, parts = typing.get_origin(hint), typing.get_args(hint)
    if hint in (str, float, bool, None, type(None), Any, list, dict):
        return Need.NOTHING
    if hint is int:
        return Need.INTEGER
    if origin is typing.Literal:
        return _need_of_literal(parts)
    if origin in (typing.Union, types.UnionType):
        return _need_of_union(parts)
    if origin is typing.Annotated and all(map(_is_in_the_schema, hint.__metadata__)):
        return need_of(parts[0])
    if (origin is list or (origin is dict and parts[0] is str)) and need_of(parts[-1]) is Need.NOTHING:
        return Need.NOTHING
    return Need.LIBRARY


def _need_of_literal(values: tuple[Any, ...]) -> Need:
    if not all(value is None or type(value) in (str, int, bool) for value in values):
        return Need.LIBRARY
    return Need.INTEGER if any(type(value) is int for value in values) else Need.NOTHING


def _need_of_union(parts: tuple[Any, ...]) -> Need:
    needs = {need_of(part) for part in parts}
    if Need.INTEGER in needs and float in parts:
        return max(needs - {Need.INTEGER}, default=Need.NOTHING)  # a float may stay one
    return max(needs)


def _is_in_the_schema(extra: Any) -> bool:
    """True for notes on a type that the schema has enforced already, or that are only for readers."""
    import annotated_types
    from pydantic.fields import FieldInfo

    if isinstance(extra, FieldInfo):
        changes_values = (
            extra.alias is not None or extra.validation_alias is not None or extra.discriminator is not None
        )
        return not changes_values and all(map(_is_in_the_schema, extra.metadata))
    constraints = (
        annotated_types.Gt, annotated_types.Ge, annotated_types.Lt, annotated_types.Le, annotated_types.MultipleOf,
        annotated_types.MinLen, annotated_types.MaxLen, annotated_types.Interval, annotated_types.Len,
    )  # fmt: skip
    return isinstance(extra, (str, *constraints)) or hasattr(extra, "documentation")


def is_for_msgspec(hint: Any) -> bool:
    """True if a part of the type is known to msgspec only: its structs, and (to Python 3.11) `typing.TypedDict`."""
    import msgspec

    if sys.version_info < (3, 12) and type(hint).__module__ == "typing" and typing.is_typeddict(hint):
        return True
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        return True
    return any(map(is_for_msgspec, typing.get_args(hint)))


def _integer_binding(names: tuple[str, ...]) -> Bind:
    def bind(parameters: dict[str, Any]) -> dict[str, Any]:
        for name in names:
            if type(parameters.get(name)) is float:
                return {key: _whole(value) if key in names else value for key, value in parameters.items()}
        return parameters

    return bind


def _whole(value: Any) -> Any:
    return int(value) if type(value) is float else value


class _LibraryBinding:
    """Makes arguments one by one, so that every fault is found."""

    def __init__(self, hints: Mapping[str, Any]) -> None:
        self._makers = {name: _maker(hint) for name, hint in hints.items()}

    def __call__(self, parameters: dict[str, Any]) -> dict[str, Any]:
        arguments = dict(parameters)
        errors: list[FieldError] = []
        for name, make in self._makers.items():
            if name not in parameters:
                continue
            try:
                arguments[name] = make(parameters[name])
            except KeyboardInterrupt:
                raise
            except BaseException as exc:  # the tool's own validators may raise anything
                errors.extend(_faults(exc, name, parameters[name]))
        if errors:
            raise InvalidParameters(summary=f"{errors[0].pointer} {errors[0].message}", errors=errors[:50])
        return arguments

    def __repr__(self) -> str:
        return f"_LibraryBinding({', '.join(self._makers)})"


def _maker(hint: Any) -> Callable[[Any], Any]:
    from pydantic import TypeAdapter

    if is_for_msgspec(hint):
        return functools.partial(_convert, hint)
    return TypeAdapter[Any](hint).validator.validate_python


def _convert(hint: Any, value: Any) -> Any:
    import msgspec

    try:
        return msgspec.convert(value, hint)
    except msgspec.ValidationError:
        return msgspec.convert(value, hint, strict=False)  # 1.0 where the type says int


def _faults(error: BaseException, name: str, value: Any) -> Iterator[FieldError]:
    """What a library said, without the values that it repeats."""
    import pydantic

    if not isinstance(error, pydantic.ValidationError):
        yield FieldError(json_pointer((name,)), "was refused by the tool's own check")
        return
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        path = (name, *_real_steps(each["loc"], value))
        yield FieldError(json_pointer(path), *_message_of(each["type"]))


def _real_steps(location: tuple[str | int, ...], value: Any) -> Iterator[str | int]:
    """The steps that exist in the value: pydantic adds the names of union members."""
    for step in location:
        try:
            value = value[step]
        except (KeyError, IndexError, TypeError):
            return
        yield step


def _message_of(kind: str) -> tuple[str, str]:
    if kind == "missing":
        return "lacks a required member", "RequiredMissing"
    if kind in ("enum", "literal_error"):
        return "is not one of the allowed values", "InvalidEnumValue"
    if kind in ("value_error", "assertion_error"):
        return "was refused by the tool's own check", "SchemaInvalid"
    if kind.endswith("_type"):
        return f"must be {kind.removesuffix('_type')}", "InvalidType"
    return f"is not valid ({kind})", "InvalidFormat"
