"""Lengths of time as people write them: `90`, `1.5s`, `500ms`, `15m`, `24h`."""

import re
from typing import Final

from toolgate.surfaces.cli.complaint import usage_error

_DURATION: Final = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(ms|s|m|h|d)?", re.ASCII)
_SECONDS: Final = {"ms": 0.001, "s": 1, "m": 60, "h": 3600, "d": 86_400}


def parse_seconds(text: str, *, option: str) -> float:
    """Seconds; a bare number is in seconds.

    Raises:
        CommandFailed: the text is no length of time.
    """
    match = _DURATION.fullmatch(text)
    if match is None:
        raise usage_error(f"{option} {text!r} is not a length of time", "write 500ms, 30s, 15m or 2h")
    return float(match[1]) * _SECONDS[match[2] or "s"]
