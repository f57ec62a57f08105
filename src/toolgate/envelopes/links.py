"""Where a caller finds an invocation again."""

from urllib.parse import quote


def invocation_path(invocation_id: str) -> str:
    """The path of one invocation; a hostile id cannot leave its segment."""
    return "/v1/invocations/" + quote(invocation_id, safe="", errors="replace")
