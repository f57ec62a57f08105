"""What the headers of a call say, and how that is joined with what its body says."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import msgspec

from toolgate.errors import FieldError, InvalidParameters, InvalidToken
from toolgate.model.request import ExecutionOptions, ToolInvokeRequest
from toolgate.surfaces.rest.credentials import bearer_of
from toolgate.surfaces.rest.errors import UnsupportedMediaType
from toolgate.surfaces.rest.request_id import HEADER as REQUEST_ID
from toolgate.surfaces.rest.request_id import fit_id

AUTHORIZATION: Final = b"authorization"
CONTENT_LENGTH: Final = b"content-length"
CONTENT_TYPE: Final = b"content-type"
CORRELATION_ID: Final = b"x-correlation-id"
EXPECT: Final = b"expect"
IDEMPOTENCY_KEY: Final = b"idempotency-key"

_OF_THE_CALL: Final = frozenset({AUTHORIZATION, CORRELATION_ID, IDEMPOTENCY_KEY, REQUEST_ID})
_WANTED: Final = _OF_THE_CALL | {CONTENT_LENGTH, CONTENT_TYPE, EXPECT}
_JSON: Final = b"application/json"
_NO_OPTIONS: Final = ExecutionOptions()


class RequestHead:
    """The headers that matter to a call. One that stands twice is kept in mind until somebody can be told."""

    __slots__ = ("_found", "_repeated")

    def __init__(self, headers: Iterable[tuple[bytes, bytes]]) -> None:
        found: dict[bytes, bytes] = {}
        self._repeated: bytes | None = None
        for name, value in headers:
            if name in _WANTED:
                if name in found:
                    self._repeated = name
                found[name] = value
        self._found: Mapping[bytes, bytes] = found

    @property
    def request_id(self) -> str | None:
        value = self._found.get(REQUEST_ID)
        return None if value is None else fit_id(value)

    @property
    def declared_length(self) -> int:
        text = self._found.get(CONTENT_LENGTH, b"0")
        return int(text) if text.isdigit() and len(text) <= 18 else 0

    @property
    def expects_continue(self) -> bool:
        return EXPECT in self._found

    def check(self) -> None:
        """Look at the headers themselves.

        Raises:
            InvalidToken: there are two credentials.
            InvalidParameters: another header stands twice.
            UnsupportedMediaType: the body is something other than JSON.
        """
        if self._repeated == AUTHORIZATION:
            raise InvalidToken(reason="the request has two Authorization headers")
        if self._repeated is not None:
            raise _invalid(self._repeated, "must be given once")
        content_type = self._found.get(CONTENT_TYPE, _JSON)
        if content_type != _JSON and not _is_json(content_type):
            raise UnsupportedMediaType

    def complete(self, request: ToolInvokeRequest) -> ToolInvokeRequest:
        """The request with what only the headers say.

        Raises:
            InvalidToken, InvalidParameters: headers and body contradict each other.
        """
        if _OF_THE_CALL.isdisjoint(self._found):
            return request
        changes: dict[str, Any] = {}
        bearer = bearer_of(self._found.get(AUTHORIZATION))
        if bearer:
            if request.capability_token not in ("", bearer):
                raise InvalidToken(reason="the Authorization header and the body have different ones")
            changes["capability_token"] = bearer
        if request.correlation_id is None:
            named = fit_id(self._found.get(CORRELATION_ID)) or fit_id(self._found.get(REQUEST_ID))
            if named is not None:
                changes["correlation_id"] = named
        key = self._found.get(IDEMPOTENCY_KEY)
        if key is not None:
            changes["execution_options"] = _with_key(request.execution_options or _NO_OPTIONS, key)
        return msgspec.structs.replace(request, **changes) if changes else request


def _with_key(options: ExecutionOptions, header: bytes) -> ExecutionOptions:
    key = header.decode("latin-1")
    if not (key.isascii() and key.isprintable()):
        raise _invalid(IDEMPOTENCY_KEY, "must be printable ASCII")
    if options.idempotency_key not in (None, key):
        raise _invalid(IDEMPOTENCY_KEY, "differs from the body's execution_options.idempotency_key")
    return msgspec.structs.replace(options, idempotency_key=key)


def _is_json(content_type: bytes) -> bool:
    media_type = content_type.partition(b";")[0].strip().lower()
    return media_type == _JSON or (media_type.startswith(b"application/") and media_type.endswith(b"+json"))


def _invalid(name: bytes, message: str) -> InvalidParameters:
    header = name.decode("ascii")
    return InvalidParameters(message=f"the header {header} {message}", errors=[FieldError("", f"{header}: {message}")])
