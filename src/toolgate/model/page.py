"""Lists come in pages: newest first, with an opaque cursor to the next one."""

from typing import Generic, TypeVar

import msgspec

from toolgate.errors import Kind

T = TypeVar("T")


class Page(msgspec.Struct, Generic[T], frozen=True):
    items: tuple[T, ...]
    next_cursor: str | None = None


class InvocationFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which invocations to list. None means: any."""

    tool_id: str | None = None
    agent_did: str | None = None
    tenant_id: str | None = None
    kind: Kind | None = None
    correlation_id: str | None = None
