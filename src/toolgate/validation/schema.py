"""JSON Schema (2020-12, and the older drafts that say so in `$schema`): is a tool's schema fit for use?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final

import jsonschema_rs

from toolgate.errors import FieldError
from toolgate.model.pointer import json_pointer, printable
from toolgate.validation.compiled_schema import SchemaCache, UnusableSchemaError, build_validator, compile_schema
from toolgate.validation.expansion import TooComplexError
from toolgate.validation.json_value import encode, find_fault
from toolgate.validation.references import References
from toolgate.validation.violation import has_at_most, violations

MAX_SCHEMA_BYTES: Final = 1_000_000
_MAX_REPORTED_NODES: Final = 1_000
_DEFAULT_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_DIALECTS: Final = frozenset(
    {
        _DEFAULT_DIALECT,
        "https://json-schema.org/draft/2019-09/schema",
        "http://json-schema.org/draft-07/schema",
        "http://json-schema.org/draft-06/schema",
        "http://json-schema.org/draft-04/schema",
    }
)


class SchemaCompiler:
    """Implements the port `SchemaCheck`, and keeps the compiled schemas of the tools that are in use."""

    def __init__(self, *, max_schemas: int = 4096) -> None:
        self.parameters = SchemaCache(max_entries=max_schemas)
        self.results = SchemaCache(max_entries=max_schemas)

    def faults(self, schema: Mapping[str, Any], *, pointer: str) -> list[FieldError]:
        """Every fault of a schema that stands at `pointer` of some document. Answers, whatever it is given."""
        return [fault._replace(pointer=pointer + fault.pointer) for fault in dict.fromkeys(_faults(schema))]


def _faults(schema: Any) -> list[FieldError]:
    if type(schema) is not dict:
        return [FieldError("", "must be an object", "InvalidType")]
    return _encoding_faults(schema) or _dialect_faults(schema) or _keyword_faults(schema) or _compile_faults(schema)  # pyright: ignore[reportUnknownArgumentType]


def _encoding_faults(schema: dict[str, Any]) -> list[FieldError]:
    try:
        encoded = encode(schema)
    except (ValueError, TypeError):
        return [find_fault(schema) or FieldError("", "is not JSON")]
    if len(encoded) > MAX_SCHEMA_BYTES:
        return [FieldError("", f"is larger than {MAX_SCHEMA_BYTES} bytes")]
    fault = find_fault(schema) if b"null" in encoded else None
    return [fault] if fault else []


def _dialect_faults(schema: dict[str, Any]) -> list[FieldError]:
    dialect = schema.get("$schema", _DEFAULT_DIALECT)
    if isinstance(dialect, str) and dialect.removesuffix("#") in _DIALECTS:
        return []
    return [FieldError("/$schema", "is not a known version of JSON Schema", "InvalidEnumValue")]


def _keyword_faults(schema: dict[str, Any]) -> list[FieldError]:
    metaschema = _metaschema(schema.get("$schema", _DEFAULT_DIALECT))
    try:
        if metaschema.is_valid(schema) or not has_at_most(_MAX_REPORTED_NODES, schema):
            return []  # what is too large to be reported in full gets its first fault from the compiler
    except ValueError:
        return [FieldError("", "is nested too deeply")]
    return violations(metaschema, schema)


@cache
def _metaschema(dialect: str) -> jsonschema_rs.Validator:
    return build_validator({"$schema": dialect, "$ref": dialect})


def _compile_faults(schema: dict[str, Any]) -> list[FieldError]:
    try:
        compile_schema(schema)
    except UnusableSchemaError as exc:
        return list(_explain(schema, exc.__cause__))
    return []


def _explain(schema: dict[str, Any], cause: BaseException | None) -> Iterator[FieldError]:
    if isinstance(cause, TooComplexError):
        yield FieldError("", "combines so many alternatives that checking a value could take minutes")
    elif not isinstance(cause, jsonschema_rs.ValidationError):
        yield FieldError("", "is nested too deeply")
    elif isinstance(cause.kind, jsonschema_rs.ValidationErrorKind.Referencing):
        yield from list(_reference_faults(schema)) or [FieldError("", "has a reference that leads nowhere")]
    else:
        yield FieldError(json_pointer(cause.instance_path), "is not a valid schema keyword")


def _reference_faults(schema: dict[str, Any]) -> Iterator[FieldError]:
    references = References(schema)
    for reference in references.found:
        if references.resolve(reference.holder, reference.text) is None:
            where = "leads nowhere" if reference.text.startswith("#") else "leads out of this schema"
            yield FieldError(json_pointer(reference.path), f"{where}: {printable(reference.text)}")
