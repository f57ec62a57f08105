"""The `[executor]` section (layer specification §3.3.2)."""

import msgspec


class ExecutorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`max_timeout_seconds` caps every call of this instance; `threads` bounds blocking tools that run in process."""

    max_timeout_seconds: float = 900.0
    threads: int = 32
