"""A change that a tool made to the world (result-record specification §4.4)."""

from enum import StrEnum
from typing import Any

import msgspec


class SideEffectType(StrEnum):
    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"
    MESSAGE_SENT = "message_sent"
    EXTERNAL_API_CALLED = "external_api_called"
    DATA_EXPORTED = "data_exported"


class SideEffect(msgspec.Struct, frozen=True, kw_only=True):
    type: SideEffectType
    resource: str
    timestamp: str
    description: str | None = None
    previous_value: Any = None
    new_value: Any = None
    is_reversible: bool = False
