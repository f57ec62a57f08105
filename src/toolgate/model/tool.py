"""A tool as the pipeline sees it: one resolved version, and how to run it."""

from collections.abc import Callable
from typing import Any

import msgspec

from toolgate.model.manifest import Manifest, SourceType


class NativeTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A Python function. `context_parameter` is the argument that receives the `ToolContext`, if it has one."""

    function: Callable[..., Any]
    is_async: bool
    blocking: bool = True
    context_parameter: str | None = None
    bind: Callable[[dict[str, Any]], dict[str, Any]] | None = None


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """`key` names this content of this version; everything compiled per version is kept under it."""

    key: str
    manifest: Manifest
    runner: str
    target: Any
    origin: str = "local"
    source_type: SourceType = "native"

    @property
    def tool_id(self) -> str:
        return self.manifest.tool_id

    @property
    def version(self) -> str:
        return self.manifest.version

    def __repr__(self) -> str:
        return f"Tool({self.key!r}, runner={self.runner!r})"
