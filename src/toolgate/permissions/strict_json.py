"""JSON objects that mean one thing only.

Common decoders take the last of two members with the same name, so a token could say one thing to us and another to
whoever reads it with another decoder. Here such an object, like NaN, infinities and deep nesting, is not JSON.
"""

import json
import math
from typing import Any, NoReturn, cast

MAX_BRACKETS = 64
"""More than any capability token needs. The number of opening brackets bounds the depth without parsing."""


def decode_object(raw: bytes) -> dict[str, Any] | None:
    """The object in `raw`, or None if it is anything else.

    It answers None instead of raising, because the decoder's exceptions carry the whole document.
    """
    if raw.count(b"{") + raw.count(b"[") > MAX_BRACKETS:
        return None
    try:
        value = _DECODER.decode(raw.decode())
    except (ValueError, RecursionError):
        return None
    return cast(dict[str, Any], value) if isinstance(value, dict) else None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError
    return members


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError
    return number


def _refuse(_constant: str) -> NoReturn:
    raise ValueError


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_float=_finite, parse_constant=_refuse)
