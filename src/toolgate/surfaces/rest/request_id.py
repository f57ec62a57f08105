"""The id under which one HTTP request is found again: the caller's own, if it is fit to be repeated, or a new one."""

import re
from typing import Final

from starlette.types import Scope
from uuid_utils import uuid7

HEADER: Final = b"x-request-id"
_FIT: Final = re.compile(rb"[!-~]{1,64}")
_KEY: Final = "toolgate.request_id"


def fit_id(value: bytes | None) -> str | None:
    """The id in a header, or None: it comes back in headers and logs, so it is short and printable or it is nothing."""
    if value is None or not _FIT.fullmatch(value):
        return None
    return value.decode("ascii")


def new_request_id() -> str:
    return str(uuid7())


def request_id_of(scope: Scope) -> str:
    """The id of this request, the same one whenever it is asked."""
    known: str | None = scope.get(_KEY)
    if known is None:
        known = next((fit_id(value) for name, value in scope["headers"] if name == HEADER), None) or new_request_id()
        scope[_KEY] = known
    return known
