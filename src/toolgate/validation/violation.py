"""What a value does wrong, said from the schema's side: no message ever repeats the value, it may be a secret.

The validator builds every error before it gives out the first, and each error copies the value it is about. A report
is therefore made only for values and schemas that are small enough; the rest gets one general error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import chain, islice
from typing import Any, cast

import jsonschema_rs
import orjson

from toolgate.errors import FieldError
from toolgate.model.pointer import json_pointer, printable

MAX_ERRORS = 50
MAX_REPORTED_NODES = 256
MAX_REPORTED_BYTES = 65_536
_TEXT_LIMIT = 120

Path = tuple[str | int, ...]


def violations(validator: jsonschema_rs.Validator, value: Any) -> list[FieldError]:
    """Every fault of a value that the validator has refused, at most fifty."""
    found = chain.from_iterable(map(_describe, validator.iter_errors(value)))
    return list(islice(dict.fromkeys(found), MAX_ERRORS)) or [unreported()]


def unreported() -> FieldError:
    """The one error of a value that is too large to be reported in detail."""
    return FieldError("", "does not follow the schema")


def is_reportable(value: Any, *, encoded_bytes: int) -> bool:
    """True if collecting all errors of this value is cheap."""
    return encoded_bytes <= MAX_REPORTED_BYTES and has_at_most(MAX_REPORTED_NODES, value)


def depth_of(value: Any) -> int:
    """Levels of nesting of a JSON value; a scalar has none."""
    level, depth = [value], -1
    while level:
        level = [item for node in level for item in _members(node)]
        depth += 1
    return depth


def _members(node: Any) -> Iterable[Any]:
    if isinstance(node, dict):
        return cast("dict[str, Any]", node).values()
    return cast("Iterable[Any]", node) if isinstance(node, list | tuple) else ()


def has_at_most(limit: int, value: Any) -> bool:
    """True if a JSON value has no more than `limit` nodes. Stops counting there."""
    pending, seen = [value], 0
    while pending:
        seen += 1
        if seen + len(pending) > limit:
            return False
        pending.extend(islice(_members(pending.pop()), limit + 1))
    return True


def summarise(errors: Sequence[FieldError]) -> str:
    """The first fault in words, and how many more there are."""
    first = errors[0]
    text = f"{first.pointer} {first.message}" if first.pointer else first.message
    return text if len(errors) == 1 else f"{text} (and {len(errors) - 1} more)"


def _describe(error: jsonschema_rs.ValidationError) -> Iterable[FieldError]:
    path = tuple(error.instance_path)
    if error.kind.name == "falseSchema" and error.schema_path[-1:] == ["additionalProperties"]:
        return [FieldError(json_pointer(path), "may not have any properties")]  # the validator does not say which
    describe = _BY_KEYWORD.get(error.kind.name)
    if describe is not None:
        return describe(error.kind, path)
    return [FieldError(json_pointer(path), _text_of(error.kind))]


def _text_of(kind: Any) -> str:
    template = _TEMPLATES.get(kind.name)
    if template is None:
        return "does not follow the schema"
    return template.format(limit=getattr(kind, "limit", None), multiple_of=getattr(kind, "multiple_of", None))


_TEMPLATES = {
    "minimum": "must be at least {limit}",
    "maximum": "must be at most {limit}",
    "exclusiveMinimum": "must be greater than {limit}",
    "exclusiveMaximum": "must be less than {limit}",
    "minLength": "must have at least {limit} characters",
    "maxLength": "must have at most {limit} characters",
    "minItems": "must have at least {limit} items",
    "maxItems": "must have at most {limit} items",
    "additionalItems": "must have at most {limit} items",
    "minProperties": "must have at least {limit} properties",
    "maxProperties": "must have at most {limit} properties",
    "multipleOf": "must be a multiple of {multiple_of}",
    "uniqueItems": "must not have the same item twice",
    "contains": "lacks an item of the kind that it must contain",
    "not": "has a form that is ruled out",
    "unevaluatedItems": "has items that are not allowed",
}


def _required(kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer((*path, kind.property)), "is required", "RequiredMissing")


def _type(kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer(path), f"must be {' or '.join(sorted(kind.types))}", "InvalidType")


def _format(kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer(path), f"is not a valid {printable(kind.format)}", "InvalidFormat")


def _pattern(kind: Any, path: Path) -> Iterable[FieldError]:
    message = "is too hard to match with the pattern"  # the match was given up
    if hasattr(kind, "pattern"):
        message = f"does not match the pattern {printable(kind.pattern, limit=_TEXT_LIMIT)}"
    yield FieldError(json_pointer(path), message, "InvalidFormat")


def _encoding(_kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer(path), "does not have the content encoding it must have", "InvalidFormat")


def _enum(kind: Any, path: Path) -> Iterable[FieldError]:
    allowed = ", ".join(orjson.dumps(option).decode() for option in kind.options[:20])
    message = "is not one of the allowed values"
    if len(kind.options) <= 20 and len(allowed) <= _TEXT_LIMIT:
        message = f"{message} ({allowed})"
    yield FieldError(json_pointer(path), message, "InvalidEnumValue")


def _constant(_kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer(path), "is not the one allowed value", "InvalidEnumValue")


def _unexpected(kind: Any, path: Path) -> Iterable[FieldError]:
    for name in kind.unexpected[:MAX_ERRORS]:
        yield FieldError(json_pointer((*path, name)), "is not a known property")


def _false_schema(_kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer(path), "is not allowed")


def _property_names(_kind: Any, path: Path) -> Iterable[FieldError]:
    yield FieldError(json_pointer(path), "has a property with a name that is not allowed")


def _several_forms(kind: Any, path: Path) -> Iterable[FieldError]:
    if type(kind).__name__ == "OneOfMultipleValid":
        return [FieldError(json_pointer(path), "matches more than one of the forms of which it must match one")]
    branches = [branch for branch in kind.context if branch]
    fitting = [branch for branch in branches if not _has_wrong_type(branch, path)]
    if branches and not fitting:
        wanted = sorted({name for branch in branches for name in branch[0].kind.types})
        return [FieldError(json_pointer(path), f"must be {' or '.join(wanted)}", "InvalidType")]
    if len(fitting) == 1:
        return chain.from_iterable(map(_describe, fitting[0]))
    return [FieldError(json_pointer(path), "matches none of the allowed forms")]


def _has_wrong_type(branch: Sequence[jsonschema_rs.ValidationError], path: Path) -> bool:
    return branch[0].kind.name == "type" and tuple(branch[0].instance_path) == path


_BY_KEYWORD: dict[str, Callable[[Any, Path], Iterable[FieldError]]] = {
    "required": _required,
    "type": _type,
    "format": _format,
    "pattern": _pattern,
    "contentEncoding": _encoding,
    "contentMediaType": _encoding,
    "enum": _enum,
    "const": _constant,
    "additionalProperties": _unexpected,
    "unevaluatedProperties": _unexpected,
    "falseSchema": _false_schema,
    "propertyNames": _property_names,
    "anyOf": _several_forms,
    "oneOf": _several_forms,
}
