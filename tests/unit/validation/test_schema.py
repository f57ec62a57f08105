"""Which schemas are fit for use, and what is said about the others."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.errors import FieldError
from toolgate.validation.compiled_schema import SchemaCache, UnusableSchemaError, compile_schema
from toolgate.validation.schema import SchemaCompiler

FETCHED = "http://127.0.0.1:9/never"


def faults(schema: Any) -> list[FieldError]:
    return SchemaCompiler().faults(schema, pointer="/parameters_schema")


def pointers(schema: Any) -> set[str]:
    return {fault.pointer for fault in faults(schema)}


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]},
        {"$defs": {"node": {"properties": {"next": {"$ref": "#/$defs/node"}}}}, "$ref": "#/$defs/node"},
        {"$ref": "item", "$defs": {"x": {"$id": "item", "type": "string"}}},
        {"$ref": "#name", "$defs": {"x": {"$anchor": "name", "type": "string"}}},
        {"$id": "https://example.com/root", "$ref": "#/$defs/a~1b", "$defs": {"a/b": {}}},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": [{"type": "string"}]},
        {"const": {"$ref": FETCHED}, "examples": [{"$ref": FETCHED}]},
        {"properties": {"$ref": {"type": "string"}}},
        {"pattern": r"^(?=.*\d)(?=.*[a-z]).{8,}$"},
        {"format": "a-format-nobody-knows"},
        {"type": "null", "default": None},
    ],
)
def test_a_sound_schema_has_no_faults(schema: dict[str, Any]) -> None:
    assert faults(schema) == []
    assert compile_schema(schema)


def test_every_fault_is_told_with_its_pointer() -> None:
    schema = {
        "type": "strnig",
        "minimum": "0",
        "properties": {"a": {"pattern": "("}, "b": 7},
        "required": "a",
    }
    assert pointers(schema) == {
        "/parameters_schema/type",
        "/parameters_schema/minimum",
        "/parameters_schema/properties/a/pattern",
        "/parameters_schema/properties/b",
        "/parameters_schema/required",
    }


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
@pytest.mark.parametrize("target", [FETCHED, "https://example.com/s.json", "file:///etc/passwd", "other.json"])
def test_a_reference_out_of_the_schema_is_refused(keyword: str, target: str) -> None:
    schema = {"properties": {"a": {keyword: target}}}
    assert pointers(schema) == {f"/parameters_schema/properties/a/{keyword}"}
    with pytest.raises(UnusableSchemaError):
        compile_schema(schema)


def test_every_reference_that_leads_nowhere_is_told() -> None:
    schema = {"$defs": {"a": {}}, "properties": {"x": {"$ref": "#/$defs/b"}, "y": {"$ref": "#nope"}}}
    assert pointers(schema) == {"/parameters_schema/properties/x/$ref", "/parameters_schema/properties/y/$ref"}


@pytest.mark.parametrize("schema", [None, 5, "x", [], True, object(), b"{}"])
def test_what_is_no_object_is_refused(schema: Any) -> None:
    assert faults(schema) == [FieldError("/parameters_schema", "must be an object", "InvalidType")]


@pytest.mark.parametrize(
    "schema",
    [{1: 2}, {"a": object()}, {"const": math.nan}, {"const": "\ud800"}, {"\ud800": 1}, {"maximum": 2**70}],
    ids=["integer key", "object", "NaN", "surrogate", "surrogate key", "big integer"],
)
def test_what_is_not_json_is_refused(schema: Any) -> None:
    assert len(faults(schema)) == 1


def test_an_unknown_version_of_json_schema_is_refused() -> None:
    assert pointers({"$schema": "http://evil.example/schema"}) == {"/parameters_schema/$schema"}
    assert pointers({"$schema": 5}) == {"/parameters_schema/$schema"}


def test_a_huge_schema_is_refused() -> None:
    assert "larger" in faults({"description": "x" * 1_000_001})[0].message


def test_a_faulty_schema_that_is_too_large_for_a_report_still_has_a_fault() -> None:
    schema = {"properties": {f"p{i}": {"type": "nonsense"} for i in range(2_000)}}
    assert len(faults(schema)) == 1


def test_a_deep_schema_is_refused() -> None:
    schema: dict[str, Any] = {}
    for _ in range(300):
        schema = {"not": schema}
    assert faults(schema)


def test_a_bottomless_schema_is_refused() -> None:
    schema: dict[str, Any] = {}
    schema["not"] = schema
    assert faults(schema)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["type", "$ref", "$id", "anyOf", "properties", "items", "pattern", "$defs", "not", "x"]),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@given(json_values)
def test_garbage_never_raises_and_no_fault_means_it_compiles(schema: Any) -> None:
    if not faults(schema):
        assert compile_schema(schema)


def test_the_cache_keeps_a_bounded_number_of_schemas() -> None:
    cache = SchemaCache(max_entries=2)
    for key in "abc":
        cache.add(key, {})
    assert len(cache) == 2
    assert cache.get("a") is None
    assert cache.get("c") is not None
