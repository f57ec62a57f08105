"""The `[executor]` section (layer specification §3.3.2)."""

import msgspec


class DefaultResourceLimits(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    cpu_millicore_limit: int = 500
    memory_mb_limit: int = 1024
    timeout_seconds: float = 30.0


class ExecutorSettings(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`max_timeout_seconds` caps every call of this instance; `threads` bounds blocking tools that run in process."""

    default_resource_limits: DefaultResourceLimits = DefaultResourceLimits()
    max_timeout_seconds: float = 900.0
    threads: int = 32
