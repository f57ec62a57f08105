"""The `[executor]` section (layer specification §3.3.2)."""

from typing import Annotated

import msgspec


class ExecutorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`max_timeout_seconds` caps every call of this instance; `threads` bounds blocking tools that run in process."""

    max_timeout_seconds: Annotated[float, msgspec.Meta(gt=0, le=86_400)] = 900.0
    threads: Annotated[int, msgspec.Meta(ge=1, le=1024)] = 32
