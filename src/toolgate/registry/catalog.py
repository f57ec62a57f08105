"""The tools this process can run, by id and version.

Registered tools are written to the store before the first call that uses them, so that `add` can stay a plain
function and a process that only looks around writes nothing.
"""

from toolgate.errors import (
    DuplicateTool,
    FieldError,
    InvalidManifest,
    ToolNotFound,
    ToolVersionNotFound,
    VersionConflict,
)
from toolgate.model.manifest import ToolDefinition
from toolgate.model.names import LOCAL_ADDRESS
from toolgate.model.tool import NativeTarget, Tool
from toolgate.ports import Clock, SchemaCheck, ToolStore
from toolgate.registry.manifest import identity_faults
from toolgate.registry.versions import highest, is_exact

_CACHE_SIZE = 65_536


class Catalog:
    """Implements `Registry`."""

    def __init__(self, store: ToolStore, schemas: SchemaCheck, clock: Clock) -> None:
        self._store = store
        self._schemas = schemas
        self._clock = clock
        self._entries: dict[str, dict[str, Tool]] = {}
        self._resolved: dict[tuple[str, str | None], Tool] = {}
        self._unsaved: dict[str, dict[str, Tool]] = {}

    def add(self, tool: Tool) -> None:
        """Register one version of a tool. The same content again changes nothing.

        Raises:
            InvalidManifest: the manifest or one of its schemas has faults; all of them are listed.
            DuplicateTool: this version is registered with other content.
        """
        versions = self._entries.get(tool.tool_id, {})
        known = versions.get(tool.version)
        if known is not None:
            if _is_other(known, tool):
                raise DuplicateTool(tool_id=tool.tool_id, tool_version=tool.version)
            return
        self._check(tool)
        self._entries[tool.tool_id] = {**versions, tool.version: tool}
        self._unsaved[tool.tool_id] = self._entries[tool.tool_id]
        self._resolved.clear()

    def _check(self, tool: Tool) -> None:
        manifest = tool.manifest
        faults: list[FieldError] = identity_faults(manifest)
        faults += self._schemas.faults(manifest.parameters_schema, pointer="/parameters_schema")
        if manifest.result_schema is not None:
            faults += self._schemas.faults(manifest.result_schema, pointer="/result_schema")
        if faults:
            raise InvalidManifest(tool_id=manifest.tool_id[:255], errors=faults)

    async def resolve(self, tool_id: str, version_range: str | None) -> Tool:
        """The version that a call runs.

        Raises:
            ToolNotFound, ToolVersionNotFound, VersionConflict
        """
        if self._unsaved:
            await self.flush()
        tool = self._resolved.get((tool_id, version_range))
        return tool if tool is not None else self._resolve(tool_id, version_range)

    def _resolve(self, tool_id: str, version_range: str | None) -> Tool:
        versions = self._entries.get(tool_id.removeprefix(LOCAL_ADDRESS))
        if versions is None:
            raise ToolNotFound(tool_id=tool_id[:255])
        version = highest(tuple(versions), version_range)
        if version is None:
            refusal = ToolVersionNotFound if is_exact(version_range or "") else VersionConflict
            wanted = (version_range or "")[:255]
            raise refusal(tool_id=tool_id[:255], tool_version=wanted, available=", ".join(versions))
        if len(self._resolved) >= _CACHE_SIZE:
            self._resolved.clear()  # ranges are the caller's words; the cache must not grow with them
        self._resolved[tool_id, version_range] = versions[version]
        return versions[version]

    async def flush(self) -> None:
        """Write what was registered since the last time."""
        saving = dict(self._unsaved)
        await self._store.save([self._definition(name) for name in saving], now=self._clock.now())
        # Only now, so that no other call takes for stored what is still on its way.
        for name, versions in saving.items():
            if self._unsaved.get(name) is versions:
                del self._unsaved[name]

    def definitions(self) -> tuple[ToolDefinition, ...]:
        """Every registered tool, ordered by id."""
        return tuple(self._definition(tool_id) for tool_id in sorted(self._entries))

    def definition(self, tool_id: str) -> ToolDefinition:
        """One registered tool.

        Raises:
            ToolNotFound
        """
        name = tool_id.removeprefix(LOCAL_ADDRESS)
        if name not in self._entries:
            raise ToolNotFound(tool_id=tool_id[:255])
        return self._definition(name)

    def _definition(self, tool_id: str) -> ToolDefinition:
        versions = self._entries[tool_id]
        latest = highest(tuple(versions), None) or next(iter(versions))
        return ToolDefinition(
            tool_id=tool_id,
            latest_version=latest,
            versions=tuple(tool.manifest for tool in versions.values()),
            source_type=versions[latest].source_type,
            source_metadata={"origin": versions[latest].origin, "key": versions[latest].key},
        )

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Catalog({len(self._entries)} tools, {len(self._unsaved)} unsaved)"


def _is_other(known: Tool, tool: Tool) -> bool:
    """A manifest says nothing of the code behind it: another function, or another runner, is another tool."""
    if known.key != tool.key or known.runner != tool.runner:
        return True
    if isinstance(known.target, NativeTarget) and isinstance(tool.target, NativeTarget):
        return known.target.function is not tool.target.function
    return known.target != tool.target
