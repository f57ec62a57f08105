"""Does a token's `tool_version` admit the version that is going to run? By the npm rules, and closed to garbage."""

from functools import lru_cache
from typing import Any, cast

ANY_VERSION = "*"
_MAX_LENGTH = 256


def admits(version_range: str, tool_version: str) -> bool:
    """`*` is no restriction at all; every other range admits a prerelease only if it names one, as npm does."""
    if version_range in (ANY_VERSION, tool_version):
        return True
    parsed = _parse(version_range)
    if parsed is None:
        return False
    try:
        return bool(parsed.test(tool_version))
    except ValueError:
        return False


@lru_cache(maxsize=1024)
def _parse(version_range: str) -> Any | None:
    # An alternative without text admits everything (`>=2 ||`): more likely a slip than a wish.
    if len(version_range) > _MAX_LENGTH or not all(part.strip() for part in version_range.split("||")):
        return None
    import nodesemver  # costs 30 ms, and most tokens admit every version

    try:
        return cast(Any, nodesemver).make_range(version_range, loose=False)
    except ValueError:
        return None
