"""Query strings, read strictly: what is not known is refused, because a caller meant something by it."""

from collections.abc import Collection, Mapping
from typing import Final
from urllib.parse import parse_qsl

from toolgate.envelopes.views import VIEWS
from toolgate.errors import FieldError, InvalidParameters
from toolgate.model.pointer import escape_step

MAX_LIMIT: Final = 200
DEFAULT_LIMIT: Final = 50
_MAX_FIELDS: Final = 20
_ECHO_LENGTH: Final = 64
_NOT_YET: Final[Mapping[str, str]] = {"dry_run": "is not available on this installation, and nothing was run"}


def read_query(raw: bytes, known: Collection[str]) -> dict[str, str]:
    """The parameters of a query string, each of which must be known and stand once.

    Raises:
        InvalidParameters: every fault is listed.
    """
    if not raw:
        return {}
    values: dict[str, str] = {}
    faults: list[FieldError] = []
    for name, value in _pairs(raw):
        if name not in known:
            faults.append(_fault(name, _NOT_YET.get(name, "is not a query parameter of this path")))
        elif name in values:
            faults.append(_fault(name, "must be given once"))
        else:
            values[name] = value
    if faults:
        raise _invalid(faults)
    return values


def read_view(raw: bytes) -> str | None:
    """The view that a query string with nothing else in it asks for.

    Raises:
        InvalidParameters
    """
    return check_view(read_query(raw, ("view",))) if raw else None


def check_view(query: Mapping[str, str]) -> str | None:
    view = query.get("view")
    if view is not None and view not in VIEWS:
        raise invalid_value("view", f"must be one of {', '.join(VIEWS)}", "InvalidEnumValue")
    return view


def check_limit(query: Mapping[str, str]) -> int:
    text = query.get("limit")
    if text is None:
        return DEFAULT_LIMIT
    if not (text.isascii() and text.isdigit() and len(text) <= 4 and 1 <= int(text) <= MAX_LIMIT):
        raise invalid_value("limit", f"must be a whole number from 1 to {MAX_LIMIT}", "InvalidFormat")
    return int(text)


def invalid_value(name: str, message: str, code: str) -> InvalidParameters:
    return _invalid([_fault(name, message, code)])


def _pairs(raw: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(
            raw.decode("ascii"),
            keep_blank_values=True,
            strict_parsing=True,
            errors="strict",
            max_num_fields=_MAX_FIELDS,
        )
    except ValueError:
        raise _invalid([FieldError("", "the query string cannot be read", "InvalidFormat")]) from None


def _fault(name: str, message: str, code: str = "SchemaInvalid") -> FieldError:
    return FieldError(f"/{escape_step(name[:_ECHO_LENGTH])}", message, code)


def _invalid(faults: list[FieldError]) -> InvalidParameters:
    return InvalidParameters(message="the query string is not valid", errors=faults)
