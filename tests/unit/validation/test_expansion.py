"""How much work a schema can cause is known before it is used."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.validation.expansion import TooComplexError, expand


def doubling(levels: int, *, below: bool) -> dict[str, Any]:
    """Every level refers twice to the next: for the same value, or for the same member."""

    def step(target: str) -> dict[str, Any]:
        return {"properties": {"a": {"$ref": target}}} if below else {"$ref": target}

    definitions: dict[str, Any] = {
        f"d{i}": {"anyOf": [step(f"#/$defs/d{i + 1}"), step(f"#/$defs/d{i + 1}")]} for i in range(levels)
    }
    return {"$ref": "#/$defs/d0", "$defs": {**definitions, f"d{levels}": {"type": "string"}}}


def test_references_that_double_for_the_same_value_are_refused() -> None:
    with pytest.raises(TooComplexError):
        expand(doubling(30, below=False), limit=1_000_000)


def test_references_that_double_for_the_same_member_limit_the_depth_of_values() -> None:
    assert expand(doubling(30, below=True), limit=1_000_000).max_depth in range(10, 20)
    assert expand(doubling(5, below=True), limit=1_000_000).max_depth is None


@pytest.mark.parametrize("below", [False, True])
@given(levels=st.integers(min_value=1, max_value=12))
def test_each_level_at_least_doubles_the_count(below: bool, levels: int) -> None:
    assert expand(doubling(levels, below=below), limit=10**9).ways_at(254) >= 2**levels


def test_doubling_through_embedded_resources_and_anchors_is_seen() -> None:
    resources = {f"d{i}": {"$id": f"d{i}", "anyOf": [{"$ref": f"d{i + 1}"}] * 2} for i in range(30)}
    with pytest.raises(TooComplexError):
        expand({"$ref": "d0", "$defs": {**resources, "d30": {"$id": "d30"}}}, limit=1_000_000)
    anchors = {f"d{i}": {"$anchor": f"a{i}", "anyOf": [{"$dynamicRef": f"#a{i + 1}"}] * 2} for i in range(30)}
    with pytest.raises(TooComplexError):
        expand({"$ref": "#a0", "$defs": {**anchors, "d30": {"$anchor": "a30"}}}, limit=1_000_000)


def test_doubling_beside_a_harmless_recursion_is_seen() -> None:
    bomb = doubling(30, below=True)
    schema = {**bomb, "properties": {"tree": {"$ref": "#/$defs/tree"}}}
    schema["$defs"]["tree"] = {"properties": {"left": {"$ref": "#/$defs/tree"}}}
    assert expand(schema, limit=1_000_000).max_depth in range(10, 20)


def test_recursive_schemas_are_cheap_because_the_validator_remembers() -> None:
    expression = {
        "$defs": {
            "expr": {
                "oneOf": [
                    {"properties": {"op": {"const": op}, "args": {"items": {"$ref": "#/$defs/expr"}}}}
                    for op in ("and", "or", "not", "xor")
                ]
            }
        },
        "$ref": "#/$defs/expr",
    }
    assert expand(expression, limit=1_000_000).max_depth is None


def test_a_wide_flat_schema_is_cheap() -> None:
    schema = {"properties": {f"p{i}": {"anyOf": [{"type": "string"}, {"type": "null"}]} for i in range(5_000)}}
    assert expand(schema, limit=2_000).max_depth is None


def test_a_circle_without_descent_ends() -> None:
    assert expand({"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}, limit=2_000).max_depth is None


def test_an_endless_chain_of_references_is_refused() -> None:
    chain = {f"d{i}": {"$ref": f"#/$defs/d{i + 1}"} for i in range(5_000)}
    with pytest.raises(TooComplexError):
        expand({"$ref": "#/$defs/d0", "$defs": chain}, limit=1_000_000)


def clique(size: int, keyword: str, *, below: bool) -> dict[str, Any]:
    """Every type refers to every other."""

    def others(i: int) -> dict[str, Any]:
        references = {keyword: [{"$ref": f"#/$defs/d{j}"} for j in range(size) if j != i]}
        return {"properties": {"a": references}} if below else references

    return {"$ref": "#/$defs/d0", "$defs": {f"d{i}": others(i) for i in range(size)}}


def test_types_that_all_contain_each_other_limit_the_depth_of_values() -> None:
    assert expand(clique(4, "allOf", below=True), limit=1_000_000).max_depth is None
    assert expand(clique(20, "allOf", below=True), limit=1_000_000).max_depth in range(2, 8)


def test_types_that_all_are_each_other_are_refused() -> None:
    assert expand(clique(4, "allOf", below=False), limit=1_000_000)
    with pytest.raises(TooComplexError):
        expand(clique(7, "allOf", below=False), limit=1_000_000)


def test_a_base_type_that_lists_its_subtypes_is_accepted() -> None:
    """A common pattern in OpenAPI documents: each subtype refers back to its base."""
    names = [f"Subtype{i}" for i in range(100)]
    subtypes: dict[str, Any] = {name: {"allOf": [{"$ref": "#/$defs/Base"}, {"required": [name]}]} for name in names}
    schema = {
        "$ref": "#/$defs/Base",
        "$defs": {"Base": {"oneOf": [{"$ref": f"#/$defs/{name}"} for name in names]}, **subtypes},
    }
    assert expand(schema, limit=1_000_000).max_depth is None
