"""Which version does a caller get? Pure functions over SemVer text, by the npm rules."""

from collections.abc import Sequence
from functools import cmp_to_key, lru_cache
from typing import Any, cast

MAX_RANGE_LENGTH = 256


def highest(versions: Sequence[str], version_range: str | None) -> str | None:
    """The highest version in the range; without a range (or for `latest`) the highest stable one."""
    if version_range is None or version_range in ("", "latest"):
        return _highest_stable(tuple(versions))
    if len(version_range) > MAX_RANGE_LENGTH:
        return None
    return _highest_in(tuple(versions), version_range)


def is_exact(version_range: str) -> bool:
    """True for `1.2.3` (perhaps with a prerelease), False for anything that could match several versions."""
    if len(version_range) > MAX_RANGE_LENGTH:
        return False
    try:
        return _semver().valid(version_range.strip(), loose=False) is not None
    except ValueError:
        return False


@lru_cache(maxsize=4096)
def _highest_stable(versions: tuple[str, ...]) -> str | None:
    if len(versions) == 1:
        return versions[0]
    semver = _semver()
    stable = [version for version in versions if "-" not in version.partition("+")[0]]
    return max(stable or versions, key=cmp_to_key(lambda a, b: semver.compare(a, b, loose=False)), default=None)


@lru_cache(maxsize=4096)
def _highest_in(versions: tuple[str, ...], version_range: str) -> str | None:
    try:
        return _semver().max_satisfying(list(versions), version_range, loose=False)
    except ValueError:
        return None


def _semver() -> Any:
    import nodesemver  # costs 30 ms, and most calls hit the catalogue's cache

    return cast(Any, nodesemver)  # it ships no types
