"""What a result document is called: `TS-YYYYMMDD-HHMMSSZ-<request_id>.md`."""

import re
from datetime import UTC, datetime
from typing import Final

from toolgate.model.outcome import Outcome

REQUEST_ID_LIMIT: Final = 128
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")


def document_name(outcome: Outcome, *, request_id: str | None = None) -> str:
    """The file name of the outcome's document. The request is the invocation, unless a request document asked."""
    return result_id_of(outcome, request_id=request_id) + ".md"


def result_id_of(outcome: Outcome, *, request_id: str | None = None) -> str:
    moment = datetime.fromtimestamp(int(outcome.completed_at), UTC)
    return f"TS-{moment:%Y%m%d-%H%M%S}Z-{_file_safe(request_id or outcome.invocation_id)}"


def _file_safe(request_id: str) -> str:
    """An id comes from a caller: it must not name a folder, a hidden file or a device."""
    return _UNSAFE.sub("-", request_id)[:REQUEST_ID_LIMIT].strip(".-") or "unnamed"
