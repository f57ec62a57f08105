"""msgspec says what is wrong in English, values included; here is the pointer and a message without them."""

from __future__ import annotations

import re
from typing import Final

import msgspec

from toolgate.errors import FieldError
from toolgate.model.pointer import json_pointer

_LOCATED: Final = re.compile(r"(?P<what>.*?)(?: - at (?:`key` in )?`\$(?P<path>[^`]*)`)?", re.DOTALL)
_STEP: Final = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
_TYPES: Final = re.compile(r"Expected `([^`]*)`, got")
_MISSING: Final = re.compile(r"Object missing required field `([^`]*)`")
_UNKNOWN: Final = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_JSON_TYPES: Final = {"str": "string", "int": "integer", "float": "number", "bool": "boolean", "None": "null"}


def field_error_of(error: msgspec.ValidationError) -> FieldError:
    """The fault that msgspec found."""
    located = _LOCATED.fullmatch(str(error))
    what, where = (located["what"], located["path"] or "") if located else ("", "")
    path = tuple(name or int(index) for name, index in _STEP.findall(where))
    if missing := _MISSING.fullmatch(what):
        return FieldError(json_pointer((*path, missing[1])), "is required", "RequiredMissing")
    if unknown := _UNKNOWN.fullmatch(what):
        return FieldError(json_pointer((*path, unknown[1])), "is not a known field")
    if expected := _TYPES.match(what):
        return FieldError(json_pointer(path), f"must be {_type_names(expected[1])}", "InvalidType")
    if what.startswith("Invalid enum value"):
        return FieldError(json_pointer(path), "is not one of the allowed values", "InvalidEnumValue")
    return FieldError(json_pointer(path), "is not valid")


def _type_names(python_names: str) -> str:
    return " or ".join(_JSON_TYPES.get(name.strip(), name.strip()) for name in python_names.split("|"))
