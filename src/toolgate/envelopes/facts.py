"""The facts of a failure as plain JSON.

An error class may be raised with any Python value as a fact. A view is JSON whatever the fact was, and an object
that JSON does not know is named by its type: its `repr` might hold what nobody should read.
"""

import math
from collections.abc import Iterable, Mapping
from datetime import date, datetime, timedelta
from enum import Enum
from functools import lru_cache
from typing import Any, cast
from uuid import UUID

from toolgate.errors import Category, FieldError, InternalError, Kind
from toolgate.model.outcome import Failure, Outcome
from toolgate.model.status import STATUS_TABLE, UNFINISHED

DEPTH_LIMIT = 8
_JSON_INTEGERS = range(-(2**63), 2**64)  # what orjson, and most readers, can hold


def failure_of(outcome: Outcome) -> Failure | None:
    """What went wrong; None if nothing did, or nothing has yet. A failure that nobody described is still one."""
    if outcome.kind is Kind.SUCCESS or outcome.kind in UNFINISHED:
        return None
    return outcome.error or _undescribed(outcome.kind)


def _undescribed(kind: Kind) -> Failure:
    return Failure(
        number=InternalError.number,
        code=InternalError.code,
        message="the failure was not described",
        category=Category.SYSTEM.value,
        taxonomy_code=InternalError.taxonomy_code,
        http_status=STATUS_TABLE[kind].http,
    )


def details_of(failure: Failure) -> dict[str, Any]:
    """The facts, and the faulty fields where there are any."""
    details = {text(key): plain(value) for key, value in failure.details.items()}
    if failure.errors:
        details["errors"] = field_errors(failure.errors)
    return details


def field_errors(errors: Iterable[FieldError]) -> list[dict[str, str]]:
    return [{"pointer": text(e.pointer), "message": text(e.message), "code": text(e.code)} for e in errors]


def retry_after_ms(failure: Failure) -> int | None:
    """How long to wait, where the raiser knew; rounded up, because an early retry is refused again."""
    value = failure.details.get("retry_after_ms")
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return max(0, math.ceil(value))


def plain(value: Any, *, depth: int = DEPTH_LIMIT) -> Any:
    """The value as JSON types."""
    match value:
        case None | bool():
            return value
        case Enum():
            return plain(value.value, depth=depth)
        case str():
            return text(value)
        case int():
            return int(value) if value in _JSON_INTEGERS else "<integer>"
        case float():
            return float(value) if math.isfinite(value) else None
        case _:
            return _plain_object(value, depth=depth)


def _plain_object(value: Any, *, depth: int) -> Any:
    match value:
        case Mapping() | list() | tuple() | set() | frozenset() if depth == 0:
            return "<too deep>"
        case Mapping():
            pairs = cast(Mapping[Any, Any], value).items()
            return {_key(key): plain(item, depth=depth - 1) for key, item in pairs}
        case list() | tuple() | set() | frozenset():
            return [plain(item, depth=depth - 1) for item in cast(Iterable[Any], value)]
        case datetime() | date():
            return value.isoformat()
        case timedelta():
            return value.total_seconds()
        case UUID():
            return str(value)
        case _:
            return f"<{type(value).__name__}>"


def _key(key: Any) -> str:
    return text(key) if isinstance(key, str) else str(plain(key, depth=0))


def text(value: str) -> str:
    """The text, with what is not Unicode (lone surrogates) replaced: encoders refuse it."""
    return value if value.isascii() else value.encode("utf-8", "replace").decode()


@lru_cache(maxsize=512)
def camel(name: str) -> str:
    """`retry_after_ms` becomes `retryAfterMs`."""
    head, *rest = name.split("_")
    return head + "".join(part.capitalize() for part in rest)
