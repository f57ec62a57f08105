"""Request bodies: strict JSON, one object, no key twice.

Fast decoders keep the last of two equal keys and say nothing, so two readers of one body can see two requests. A key
that was dropped leaves a colon less when the document is written again; only an escaped colon could make up for it.
A body that comes back byte for byte, as one without white space does, has nothing that was dropped or changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any, Final, cast

import msgspec
import orjson

from toolgate.errors import FieldError, InvalidParameters
from toolgate.model.pointer import json_pointer
from toolgate.model.request import ToolInvokeRequest
from toolgate.validation.json_value import INTEGER_RANGE, MAX_DEPTH
from toolgate.validation.msgspec_error import field_error_of

_DIGITS_ALIKE: Final = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER: Final = b"0" * 19  # shorter integers fit into 64 bits; longer ones would silently become floats

Path = tuple[str | int, ...]


def decode_object(body: bytes) -> dict[str, Any]:
    """Read a body that must be one JSON object.

    Raises:
        InvalidParameters: it is not, or a key occurs twice, or a number is out of range.
    """
    document = _decode(body)
    if type(document) is not dict:
        raise _unreadable("must be an object")
    try:
        again = orjson.dumps(document)
    except TypeError:
        raise _unreadable(f"is nested more than {MAX_DEPTH} levels deep") from None
    if again != body and (
        again.count(b":") != body.count(b":")
        or (b"\\" in body and b"\\u" in body)
        or _LONG_NUMBER in body.translate(_DIGITS_ALIKE)
    ):
        _check_slowly(body)
    return cast("dict[str, Any]", document)


def convert_request(document: dict[str, Any]) -> ToolInvokeRequest:
    """Make the request that a document describes.

    Raises:
        InvalidParameters: a field is missing, unknown or of a wrong type.
    """
    try:
        return msgspec.convert(document, ToolInvokeRequest)
    except msgspec.ValidationError as exc:
        error = field_error_of(exc)
    raise InvalidParameters(summary=f"{error.pointer} {error.message}".lstrip(), errors=[error])


def _decode(body: bytes) -> Any:
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError as exc:
        raise _unreadable(f"is not JSON: {exc.msg} (line {exc.lineno}, column {exc.colno})") from None


def _unreadable(message: str) -> InvalidParameters:
    return InvalidParameters(summary=f"the body {message}", errors=[FieldError("", message)])


def _check_slowly(body: bytes) -> None:
    """Read the body once more with a decoder that shows every pair and every number."""
    repeated: list[tuple[dict[str, Any], str]] = []
    document = json.loads(body, object_pairs_hook=lambda pairs: _note_repeats(pairs, repeated), parse_int=_integer)
    if repeated:
        path = _find_repeat(document, {id(holder): name for holder, name in repeated}, ())
        error = FieldError(json_pointer(path or ()), "occurs twice in the same object")
        raise InvalidParameters(summary=f"{error.pointer} {error.message}", errors=[error])


def _note_repeats(pairs: list[tuple[str, Any]], repeated: list[tuple[dict[str, Any], str]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for name, value in pairs:
        if name in members:
            repeated.append((members, name))
        members[name] = value
    return members


def _find_repeat(node: Any, repeated: dict[int, str], path: Path) -> Path | None:
    """The path of the outermost key that occurs twice. (An inner one may have been dropped with its holder.)"""
    if id(node) in repeated:
        return (*path, repeated[id(node)])
    return next(filter(None, (_find_repeat(item, repeated, (*path, step)) for step, item in _items(node))), None)


def _items(node: Any) -> Iterable[tuple[str | int, Any]]:
    if isinstance(node, dict):
        return cast("dict[str, Any]", node).items()
    return enumerate(cast("list[Any]", node)) if isinstance(node, list) else ()


def _integer(digits: str) -> int:
    # int() of very many digits is slow, and refuses more than 4300
    if len(digits) > 20 or int(digits) not in INTEGER_RANGE:
        raise _unreadable("has an integer beyond 64 bits")
    return int(digits)
