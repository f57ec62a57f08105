"""Which tool, which version: by the npm rules, and with an answer that says what there is."""

from typing import Any

import pytest

from toolgate.adapters.memory.store import MemoryStore
from toolgate.errors import DuplicateTool, InvalidManifest, ToolNotFound, ToolVersionNotFound, VersionConflict
from toolgate.model.manifest import ExecutionConfig, Manifest
from toolgate.model.tool import Tool
from toolgate.registry.catalog import Catalog
from toolgate.testing import FakeClock
from toolgate.validation.schema import SchemaCompiler


@pytest.fixture
def store() -> MemoryStore:
    return MemoryStore()


@pytest.fixture
def catalog(store: MemoryStore) -> Catalog:
    return Catalog(store.tools, SchemaCompiler(), FakeClock())


def make(version: str = "1.0.0", tool_id: str = "add", key: str = "", **changes: Any) -> Tool:
    fields: dict[str, Any] = {"tool_name": "Add", "parameters_schema": {"type": "object"}, **changes}
    manifest = Manifest(tool_id=tool_id, version=version, **fields)
    return Tool(key=key or f"{tool_id}@{version}", manifest=manifest, runner="in_process", target=None)


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (None, "2.1.0"),
        ("", "2.1.0"),
        ("latest", "2.1.0"),
        ("*", "2.1.0"),
        ("^1.0.0", "1.10.0"),
        ("~1.2", "1.2.0"),
        ("1.x", "1.10.0"),
        ("1.2.0", "1.2.0"),
        ("<1.3 || >=2", "2.1.0"),
        ("1.0.0 - 1.5.0", "1.2.0"),
        ("3.0.0-beta.1", "3.0.0-beta.1"),
        (">=3.0.0-alpha", "3.0.0-beta.1"),
    ],
)
async def test_the_highest_version_in_the_range_is_resolved(
    catalog: Catalog, wanted: str | None, expected: str
) -> None:
    for version in ("1.2.0", "1.10.0", "2.1.0", "2.0.0", "3.0.0-beta.1"):
        catalog.add(make(version))
    assert (await catalog.resolve("add", wanted)).version == expected


async def test_a_tool_with_prereleases_only_has_a_latest(catalog: Catalog) -> None:
    catalog.add(make("1.0.0-alpha"))
    catalog.add(make("1.0.0-beta"))
    assert (await catalog.resolve("add", None)).version == "1.0.0-beta"


async def test_a_refusal_says_which_versions_exist(catalog: Catalog) -> None:
    catalog.add(make("1.0.0"))
    with pytest.raises(ToolVersionNotFound, match=r"1\.0\.0"):
        await catalog.resolve("add", "2.0.0")
    with pytest.raises(VersionConflict, match=r"1\.0\.0"):
        await catalog.resolve("add", "^2")
    with pytest.raises(ToolNotFound):
        await catalog.resolve("sub", None)


@pytest.mark.parametrize("wanted", ["garbage!!", ">" * 10_000, "^^1", "1.2.3.4.5", "\x00"])
async def test_a_hostile_range_is_a_conflict(catalog: Catalog, wanted: str) -> None:
    catalog.add(make("1.0.0"))
    with pytest.raises((VersionConflict, ToolVersionNotFound)):
        await catalog.resolve("add", wanted)


async def test_a_local_address_names_the_same_tool(catalog: Catalog) -> None:
    catalog.add(make())
    assert (await catalog.resolve("local::add", None)).tool_id == "add"


async def test_a_new_version_is_seen_by_the_next_call(catalog: Catalog) -> None:
    catalog.add(make("1.0.0"))
    assert (await catalog.resolve("add", "^1")).version == "1.0.0"
    catalog.add(make("1.1.0"))
    assert (await catalog.resolve("add", "^1")).version == "1.1.0"


def test_the_same_content_again_changes_nothing_and_other_content_is_refused(catalog: Catalog) -> None:
    catalog.add(make())
    catalog.add(make())
    with pytest.raises(DuplicateTool):
        catalog.add(make(key="other"))


def test_a_bad_manifest_is_refused_with_every_fault_and_its_place(catalog: Catalog) -> None:
    bad = make(
        "one",
        tool_id="no spaces allowed",
        tool_name=" ",
        parameters_schema={"type": "nonsense"},
        result_schema={"$ref": "https://example.com/schema"},
        execution_config=ExecutionConfig(default_timeout_seconds=0),
    )
    with pytest.raises(InvalidManifest) as refused:
        catalog.add(bad)
    pointers = {fault.pointer for fault in refused.value.errors}
    assert {"/tool_id", "/version", "/tool_name", "/execution_config/default_timeout_seconds"} <= pointers
    assert any(pointer.startswith("/parameters_schema") for pointer in pointers)
    assert any(pointer.startswith("/result_schema") for pointer in pointers)


async def test_tools_are_stored_before_the_first_call_that_uses_them(catalog: Catalog, store: MemoryStore) -> None:
    catalog.add(make())
    assert await store.tools.load() == ()
    await catalog.resolve("add", None)
    assert [definition.tool_id for definition in await store.tools.load()] == ["add"]


async def test_a_store_that_fails_is_tried_again(
    catalog: Catalog, store: MemoryStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: Any, **__: Any) -> None:
        raise OSError

    catalog.add(make())
    with monkeypatch.context() as broken:
        broken.setattr(store.tools, "save", fail)
        with pytest.raises(OSError):
            await catalog.flush()
    await catalog.flush()
    assert len(await store.tools.load()) == 1
