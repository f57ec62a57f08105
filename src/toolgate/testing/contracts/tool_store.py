"""`ToolStore`: a definition that was saved is loaded as it was, with all its versions in their order.

The fixture `store` answers a fresh, empty `Store`.
"""

import asyncio
from typing import Any

import msgspec

from toolgate.model.agent import Mount
from toolgate.model.effect import Effect
from toolgate.model.manifest import (
    CircuitBreakerConfig,
    ExecutionConfig,
    Manifest,
    NetworkPermission,
    RetryPolicy,
    ToolDefinition,
    ToolPermissions,
)
from toolgate.testing.contracts.records import NOON, Store


def manifest_of(version: str = "1.0.0", **fields: Any) -> Manifest:
    schema = {"type": "object", "properties": {"z": {"type": "string"}, "a": {"const": 1.5}}, "required": ["z"]}
    defaults: dict[str, Any] = {"tool_id": "t", "tool_name": "T", "parameters_schema": schema}
    return Manifest(version=version, **{**defaults, **fields})


def definition_of(*versions: Manifest, **fields: Any) -> ToolDefinition:
    latest = versions[-1].version if versions else "1.0.0"
    defaults: dict[str, Any] = {"tool_id": "t", "latest_version": latest, "versions": versions}
    return ToolDefinition(**{**defaults, **fields})


async def test_no_tools_are_registered_at_first(store: Store) -> None:
    assert await store.tools.load() == ()


async def test_a_definition_comes_back_with_everything_its_manifest_says(store: Store) -> None:
    manifest = manifest_of(
        description="Adds.",
        category="external_api",
        result_schema={"type": "integer"},
        permissions=ToolPermissions(
            filesystem=(Mount(path="/workspace", mode="rw"),),
            network=(NetworkPermission(host="api.example.com", port=443),),
            credentials=("api",),
        ),
        execution_config=ExecutionConfig(
            default_timeout_seconds=0.5,
            requires_approval=True,
            retry_policy=RetryPolicy(max_attempts=1),
            circuit_breaker_config=CircuitBreakerConfig(failure_rate_threshold=12.5),
        ),
        effect=Effect.PURE,
        tags=("math", "a,b", '"quoted"'),
        owner="team",
    )
    metadata = {"server": "github", "nested": {"b": [1, None], "a": 0.1}}
    definition = definition_of(manifest, source_type="mcp", source_metadata=metadata, deprecation_state="sunset")
    await store.tools.save([definition], now=NOON)
    assert await store.tools.load() == (definition,)


async def test_schemas_keep_the_order_of_their_keys(store: Store) -> None:
    """Models are shown parameters in the order in which their author wrote them."""
    definition = definition_of(manifest_of())
    await store.tools.save([definition], now=NOON)
    (loaded,) = await store.tools.load()
    assert list(loaded.latest.parameters_schema["properties"]) == ["z", "a"]
    schema = definition.latest.parameters_schema
    assert msgspec.json.encode(loaded.latest.parameters_schema) == msgspec.json.encode(schema)


async def test_versions_come_back_in_their_order(store: Store) -> None:
    versions = [manifest_of(version) for version in ("10.0.0", "2.0.0-rc.1+build.5", "9.1.0")]
    definition = definition_of(*versions)
    await store.tools.save([definition], now=NOON)
    assert await store.tools.load() == (definition,)


async def test_saving_again_replaces_the_definition(store: Store) -> None:
    await store.tools.save([definition_of(manifest_of("1.0.0"), manifest_of("2.0.0"))], now=NOON)
    changed = definition_of(
        manifest_of("3.0.0"), manifest_of("1.0.0", description="new"), deprecation_state="deprecated"
    )
    await store.tools.save([changed], now=NOON + 1)
    assert await store.tools.load() == (changed,)


async def test_a_removed_version_can_come_back(store: Store) -> None:
    both, one = definition_of(manifest_of("1.0.0"), manifest_of("2.0.0")), definition_of(manifest_of("2.0.0"))
    for definition in (both, one, both):
        await store.tools.save([definition], now=NOON)
        assert await store.tools.load() == (definition,)


async def test_a_definition_without_versions_is_kept(store: Store) -> None:
    definition = definition_of(deprecation_state="removed")
    await store.tools.save([definition], now=NOON)
    assert await store.tools.load() == (definition,)


async def test_tools_do_not_touch_each_other(store: Store) -> None:
    tools = [definition_of(manifest_of(tool_id=tool_id), tool_id=tool_id) for tool_id in ("a", "b", "c/d::e")]
    await store.tools.save(tools, now=NOON)
    changed = definition_of(manifest_of("2.0.0", tool_id="b"), tool_id="b")
    await store.tools.save([changed], now=NOON)
    assert set_of(await store.tools.load()) == set_of((tools[0], changed, tools[2]))


async def test_many_definitions_are_saved_at_once(store: Store) -> None:
    tools = [definition_of(manifest_of(tool_id=f"t{n}"), tool_id=f"t{n}") for n in range(200)]
    await store.tools.save(tools, now=NOON)
    await store.tools.save([], now=NOON)
    assert len(await store.tools.load()) == 200


async def test_instances_that_save_at_once_do_not_hurt_each_other(store: Store) -> None:
    tools = [definition_of(manifest_of(tool_id=f"t{n}"), tool_id=f"t{n}") for n in range(20)]
    await asyncio.gather(*(store.tools.save(tools[::step], now=NOON) for step in (1, -1, 1, -1)))
    assert set_of(await store.tools.load()) == set_of(tuple(tools))


async def test_a_hostile_description_cannot_keep_a_tool_out(store: Store) -> None:
    hostile = manifest_of(description="nul \0 surrogate \ud800", tags=("\0",), tool_name="\udfff" * 300)
    await store.tools.save([definition_of(hostile)], now=NOON)
    assert [definition.tool_id for definition in await store.tools.load()] == ["t"]


def set_of(definitions: tuple[ToolDefinition, ...]) -> dict[str, ToolDefinition]:
    return {definition.tool_id: definition for definition in definitions}
