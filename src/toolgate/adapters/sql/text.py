"""Text as a database can keep it.

Callers choose names, and tools choose outputs. PostgreSQL refuses NUL in text and in JSONB, neither database takes a
lone surrogate, and columns have lengths. A record must be stored whatever it carries, so the stored copy has U+FFFD
in the place of what cannot be kept, and names are cut. Pure.
"""

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from toolgate.adapters.sql.tables import NAME_LENGTH

REPLACEMENT = "\ufffd"
MAX_DEPTH = 64

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SUSPECT = re.compile(rb"\\u(?:0000|[dD][89a-fA-F])")
_LONE_HIGH = re.compile(rb"\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F][0-9a-fA-F]{2})")
_LONE_LOW = re.compile(rb"(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2}")


def storable(text: str, *, length: int = NAME_LENGTH) -> str:
    """The text with nothing in it that a column of this length refuses."""
    if text.isascii() and "\0" not in text:
        return text[:length]
    return _UNSTORABLE.sub(REPLACEMENT, text)[:length]


def storable_or_none(text: str | None, *, length: int = NAME_LENGTH) -> str | None:
    return None if text is None else storable(text, length=length)


def all_storable(*texts: str | None) -> bool:
    """True if none of these names needs a changed copy; far cheaper than making the copies."""
    joined = "".join(filter(None, texts))
    if not joined.isascii() or "\0" in joined:
        return False
    return len(joined) <= NAME_LENGTH or max(len(text) for text in texts if text) <= NAME_LENGTH


def storable_json(encoded: bytes) -> str:
    """Encoded JSON with no escape in it that JSONB refuses."""
    if b"\\u" in encoded and _SUSPECT.search(encoded):
        encoded = _without_refused_escapes(encoded)
    return encoded.decode("utf-8", "replace")


def json_text(value: Any) -> str:
    """Encode a value of the model as JSON that can be stored, whatever its free-form parts hold."""
    try:
        encoded = _encode(value)
    except (UnicodeEncodeError, RecursionError, TypeError, ValueError):
        encoded = _encode(_storable_value(value, depth=0))
    return storable_json(encoded)


def _without_refused_escapes(encoded: bytes) -> bytes:
    # Escaped backslashes step aside, so that every backslash left begins an escape. A raw NUL cannot stand in JSON
    # and marks their places. No callback per match: a tool decides how many there are.
    escapes = encoded.replace(rb"\\", b"\0").replace(rb"\u0000", rb"\ufffd")
    if _SUSPECT.search(escapes):
        escapes = _LONE_LOW.sub(rb"\\ufffd", _LONE_HIGH.sub(rb"\\ufffd", escapes))
    return escapes.replace(b"\0", rb"\\")


def _withheld(value: Any) -> str:
    return f"<{type(value).__name__}>"


_encode = msgspec.json.Encoder(enc_hook=_withheld).encode


def _storable_value(value: Any, *, depth: int) -> Any:
    if depth > MAX_DEPTH:
        return _withheld(value)
    if isinstance(value, str):
        return _UNSTORABLE.sub(REPLACEMENT, value)
    if isinstance(value, msgspec.Struct):
        value = {name: getattr(value, name) for name in value.__struct_fields__}
    if isinstance(value, Mapping):
        return _storable_mapping(value, depth=depth)  # pyright: ignore[reportUnknownArgumentType]
    if isinstance(value, list | tuple | set | frozenset):
        return [_storable_value(item, depth=depth + 1) for item in value]  # pyright: ignore[reportUnknownVariableType]
    return value


def _storable_mapping(mapping: Mapping[Any, Any], *, depth: int) -> dict[str, Any]:
    return {
        _UNSTORABLE.sub(REPLACEMENT, str(key)): _storable_value(item, depth=depth + 1) for key, item in mapping.items()
    }
