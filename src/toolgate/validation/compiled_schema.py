"""A JSON Schema ready for use: compiled once per tool version, kept under the tool's key.

Schemas come from tool servers that nobody vouches for: no reference is ever fetched, patterns have a bounded
number of backtracking steps, and a schema that could keep the validator busy for minutes is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Final

import jsonschema_rs
import msgspec

from toolgate.errors import FieldError
from toolgate.validation.expansion import Expansion, expand
from toolgate.validation.violation import depth_of, is_reportable, unreported, violations

MAX_WAYS: Final = 1_000_000
_MAX_REPORTED_WAYS: Final = 5_000
# The engine is linear unless a pattern looks around or back; then this many steps end the match as "no match".
_PATTERNS: Final = jsonschema_rs.FancyRegexOptions(backtrack_limit=100_000)


class UnusableSchemaError(ValueError):
    """A schema that cannot be compiled; `SchemaCompiler.faults` says why."""


class CompiledSchema(msgspec.Struct, frozen=True):
    """A schema ready for use. `is_valid` is the hot path; errors are collected only for what it refuses.

    For a value that is nested too deeply `is_valid` raises a ValueError.
    """

    is_valid: Callable[[Any], bool]
    validator: jsonschema_rs.Validator
    expansion: Expansion

    def violations(self, value: Any, *, encoded_bytes: int) -> list[FieldError]:
        """Every fault of a value that `is_valid` has refused, or one for all where a list would cost too much."""
        # unlike a verdict, a list of errors is made anew at every turn of a recursion
        if is_reportable(value, encoded_bytes=encoded_bytes) and self._is_cheap_to_report(value):
            return violations(self.validator, value)
        return [unreported()]

    def _is_cheap_to_report(self, value: Any) -> bool:
        return self.expansion.ways_at(depth_of(value)) <= _MAX_REPORTED_WAYS


def compile_schema(schema: dict[str, Any]) -> CompiledSchema:
    """Compile a schema.

    Raises:
        UnusableSchemaError: it is no schema, leads elsewhere, or asks for too much work.
    """
    try:
        expansion = expand(schema, limit=MAX_WAYS)
        validator = build_validator(schema)
    except (ValueError, TypeError) as exc:  # jsonschema_rs and the count raise subclasses of ValueError
        raise UnusableSchemaError from exc
    is_valid = validator.is_valid
    if expansion.max_depth is not None:
        is_valid = partial(_is_valid_up_to, expansion.max_depth, is_valid)
    return CompiledSchema(is_valid, validator, expansion)


def _is_valid_up_to(max_depth: int, is_valid: Callable[[Any], bool], value: Any) -> bool:
    if depth_of(value) > max_depth:
        raise ValueError(max_depth)  # as the validator does at its own limit
    return is_valid(value)


def build_validator(schema: dict[str, Any]) -> jsonschema_rs.Validator:
    """A validator that checks formats and fetches nothing.

    Raises:
        ValueError: it is no schema, or leads elsewhere.
    """
    return jsonschema_rs.validator_for(schema, validate_formats=True, offline=True, pattern_options=_PATTERNS)


class SchemaCache:
    """Compiled schemas by `Tool.key`. The oldest go when it is full."""

    def __init__(self, *, max_entries: int = 4096) -> None:
        self._max_entries = max_entries
        self._compiled: dict[str, CompiledSchema] = {}
        self.get = self._compiled.get

    def add(self, key: str, schema: dict[str, Any]) -> CompiledSchema:
        """Compile and keep.

        Raises:
            UnusableSchemaError
        """
        compiled = compile_schema(schema)
        while len(self._compiled) >= self._max_entries:
            self._compiled.pop(next(iter(self._compiled)))
        self._compiled[key] = compiled
        return compiled

    def __len__(self) -> int:
        return len(self._compiled)

    def __repr__(self) -> str:
        return f"SchemaCache({len(self)} of {self._max_entries})"
