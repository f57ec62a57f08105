"""Tool definitions as rows of `tool_definitions` and `tool_versions`, and back. Pure.

The manifest of every version is kept whole; the columns of `tool_definitions` repeat what the specification wants to
be searchable of the latest one.
"""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple, TypeAlias

import msgspec
from uuid_utils import uuid7

from toolgate.adapters.sql.text import json_text, storable
from toolgate.model.manifest import ExecutionConfig, Manifest, ToolDefinition
from toolgate.model.timestamp import rfc3339


class DefinitionRow(NamedTuple):
    """`tool_definitions`, in insert order."""

    tool_id: str
    tool_name: str
    description: str
    category: str
    tags: str
    latest_version: str
    source_type: str
    source_metadata: str
    deprecation_state: str
    deprecation_date: str | None
    created_at: str
    updated_at: str
    requires_approval: bool
    default_timeout_seconds: float
    default_cpu_millicore_limit: int
    default_memory_mb_limit: int
    required_permissions: str | None
    result_schema: str | None
    retry_policy: str | None
    circuit_breaker_config: str | None


class VersionRow(NamedTuple):
    """`tool_versions`, in insert order."""

    version_id: str
    tool_id: str
    version: str
    manifest: str
    created_at: str
    ordinal: int


class StoredDefinition(NamedTuple):
    """What is read back of a definition: its own columns and one of its versions, or none."""

    tool_id: str
    latest_version: str
    source_type: Any
    source_metadata: str | None
    deprecation_state: Any
    manifest: str | None


DefinitionRows: TypeAlias = tuple[DefinitionRow, list[VersionRow]]

_NO_CONFIG = ExecutionConfig()


def rows_of_definition(definition: ToolDefinition, *, now: float) -> DefinitionRows:
    return _definition_row(definition, now=rfc3339(now)), _version_rows(definition, now=rfc3339(now))


def definitions_of(rows: Iterable[StoredDefinition]) -> tuple[ToolDefinition, ...]:
    """The definitions of these rows, which come sorted by tool and ordinal."""
    versions: dict[str, list[Manifest]] = {}
    heads: dict[str, StoredDefinition] = {}
    for row in rows:
        heads[row.tool_id] = row
        versions.setdefault(row.tool_id, []).extend(_manifests(row))
    return tuple(_definition_of(head, versions[tool_id]) for tool_id, head in heads.items())


_decode_manifest = msgspec.json.Decoder(Manifest).decode


def _manifests(row: StoredDefinition) -> Iterator[Manifest]:
    if row.manifest is not None:
        yield _decode_manifest(row.manifest)


def _definition_of(row: StoredDefinition, versions: list[Manifest]) -> ToolDefinition:
    return ToolDefinition(
        tool_id=row.tool_id,
        latest_version=row.latest_version,
        versions=tuple(versions),
        source_type=row.source_type,
        source_metadata=msgspec.json.decode(row.source_metadata or "{}"),
        deprecation_state=row.deprecation_state,
    )


def _definition_row(definition: ToolDefinition, *, now: str) -> DefinitionRow:
    latest = next((one for one in definition.versions if one.version == definition.latest_version), None)
    config = latest.execution_config if latest else _NO_CONFIG
    return DefinitionRow(
        tool_id=storable(definition.tool_id),
        tool_name=storable(latest.tool_name if latest else definition.tool_id),
        description=storable(latest.description, length=len(latest.description)) if latest else "",
        category=latest.category if latest else "computation",
        tags=json_text(latest.tags if latest else ()),
        latest_version=storable(definition.latest_version),
        source_type=definition.source_type,
        source_metadata=json_text(definition.source_metadata),
        deprecation_state=definition.deprecation_state,
        deprecation_date=None if definition.deprecation_state == "active" else now,
        created_at=now,
        updated_at=now,
        requires_approval=config.requires_approval,
        default_timeout_seconds=config.default_timeout_seconds,
        default_cpu_millicore_limit=config.default_cpu_millicore_limit,
        default_memory_mb_limit=config.default_memory_mb_limit,
        required_permissions=json_text(latest.permissions) if latest else None,
        result_schema=json_text(latest.result_schema) if latest and latest.result_schema is not None else None,
        retry_policy=json_text(config.retry_policy),
        circuit_breaker_config=json_text(config.circuit_breaker_config) if config.circuit_breaker_config else None,
    )


def _version_rows(definition: ToolDefinition, *, now: str) -> list[VersionRow]:
    return [
        VersionRow(
            version_id=str(uuid7()),
            tool_id=storable(definition.tool_id),
            version=storable(manifest.version),
            manifest=json_text(manifest),
            created_at=now,
            ordinal=ordinal,
        )
        for ordinal, manifest in enumerate(definition.versions)
    ]
