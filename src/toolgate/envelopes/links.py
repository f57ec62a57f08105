"""Where a caller finds an invocation again."""

import re
from typing import Final
from urllib.parse import quote

_PLAIN: Final = re.compile(r"[0-9A-Za-z-]*").fullmatch


def invocation_path(invocation_id: str) -> str:
    """The path of one invocation; a hostile id cannot leave its segment."""
    if not _PLAIN(invocation_id):
        invocation_id = quote(invocation_id, safe="", errors="replace")
    return f"/v1/invocations/{invocation_id}"
