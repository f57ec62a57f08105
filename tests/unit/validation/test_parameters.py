"""Parameters are JSON and follow the schema; every fault is named, no value is repeated."""

import datetime
import math
import uuid
from collections.abc import Callable
from enum import Enum
from typing import Any

import jsonschema
import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.errors import FieldError, InvalidManifest, InvalidParameters
from toolgate.model.manifest import Manifest
from toolgate.model.tool import Tool
from toolgate.ports import ParameterCheck
from toolgate.validation.parameters import JsonParameterCheck
from toolgate.validation.schema import SchemaCompiler

ADD = {
    "type": "object",
    "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
    "required": ["a", "b"],
    "additionalProperties": False,
}

MakeTool = Callable[..., Tool]


def kind_of(value: Any) -> str:
    """A test id that is the same in every process."""
    return value if isinstance(value, str) and value.isascii() else type(value).__name__


def encode_and_check(check: ParameterCheck, tool: Tool, parameters: Any) -> bytes:
    """Step 4, as the pipeline takes it."""
    encoded = check.encode(parameters)
    check.check(tool, parameters, encoded)
    return encoded


def refused(check: ParameterCheck, tool: Tool, parameters: Any) -> tuple[FieldError, ...]:
    with pytest.raises(InvalidParameters) as caught:
        encode_and_check(check, tool, parameters)
    return caught.value.errors


def test_valid_parameters_come_back_encoded(parameter_check: JsonParameterCheck, make_tool: MakeTool) -> None:
    assert encode_and_check(parameter_check, make_tool(ADD), {"a": 1, "b": 2}) == b'{"a":1,"b":2}'


@pytest.mark.parametrize(
    ("schema", "value", "expected"),
    [
        ({"required": ["x"]}, {}, FieldError("/x", "is required", "RequiredMissing")),
        ({"type": "integer"}, "s", FieldError("/v", "must be integer", "InvalidType")),
        ({"type": ["string", "null"]}, 1, FieldError("/v", "must be null or string", "InvalidType")),
        (
            {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "",
            FieldError("/v", "must be integer or null", "InvalidType"),
        ),
        ({"format": "uuid"}, "s", FieldError("/v", "is not a valid uuid", "InvalidFormat")),
        ({"format": "date-time"}, "today", FieldError("/v", "is not a valid date-time", "InvalidFormat")),
        ({"pattern": "^x$"}, "s", FieldError("/v", "does not match the pattern ^x$", "InvalidFormat")),
        ({"enum": ["a", 1]}, "s", FieldError("/v", 'is not one of the allowed values ("a", 1)', "InvalidEnumValue")),
        ({"const": "a"}, "s", FieldError("/v", "is not the one allowed value", "InvalidEnumValue")),
        ({"minimum": 3}, 1, FieldError("/v", "must be at least 3")),
        ({"exclusiveMaximum": 3}, 3, FieldError("/v", "must be less than 3")),
        ({"multipleOf": 2}, 3, FieldError("/v", "must be a multiple of 2")),
        ({"maxLength": 1}, "ss", FieldError("/v", "must have at most 1 characters")),
        ({"minItems": 1}, [], FieldError("/v", "must have at least 1 items")),
        ({"uniqueItems": True}, [1, 1], FieldError("/v", "must not have the same item twice")),
        ({"not": {}}, 1, FieldError("/v", "has a form that is ruled out")),
        ({"contains": {"const": 1}}, [2], FieldError("/v", "lacks an item of the kind that it must contain")),
        ({"additionalProperties": False}, {"u": 1}, FieldError("/v", "may not have any properties")),
        (
            {"properties": {}, "additionalProperties": False},
            {"a/b": 1},
            FieldError("/v/a~1b", "is not a known property"),
        ),
        ({"unevaluatedProperties": False}, {"u": 1}, FieldError("/v/u", "is not a known property")),
        (
            {"propertyNames": {"maxLength": 1}},
            {"uu": 1},
            FieldError("/v", "has a property with a name that is not allowed"),
        ),
        ({"oneOf": [{}, {}]}, 1, FieldError("/v", "matches more than one of the forms of which it must match one")),
        ({"anyOf": [{"minimum": 3}, {"maximum": 0}]}, 1, FieldError("/v", "matches none of the allowed forms")),
        ({"items": {"type": "string"}}, ["a", 2], FieldError("/v/1", "must be string", "InvalidType")),
        (False, 1, FieldError("/v", "is not allowed")),
    ],
)
def test_each_kind_of_fault_has_its_code_and_pointer(
    parameter_check: JsonParameterCheck, make_tool: MakeTool, schema: Any, value: Any, expected: FieldError
) -> None:
    tool = make_tool(schema if schema == {"required": ["x"]} else {"properties": {"v": schema}})
    parameters = value if schema == {"required": ["x"]} else {"v": value}
    assert refused(parameter_check, tool, parameters) == (expected,)


def test_all_faults_are_told_at_once(parameter_check: JsonParameterCheck, make_tool: MakeTool) -> None:
    errors = refused(parameter_check, make_tool(ADD), {"a": "x", "c": 1})
    assert {error.pointer for error in errors} == {"/a", "/b", "/c"}


def test_the_faults_of_the_only_branch_that_fits_are_told(
    parameter_check: JsonParameterCheck, make_tool: MakeTool
) -> None:
    """`Optional[Model]`: the caller wants to know what is wrong with the model."""
    tool = make_tool({"properties": {"m": {"anyOf": [{"type": "object", "required": ["x"]}, {"type": "null"}]}}})
    assert refused(parameter_check, tool, {"m": {}}) == (FieldError("/m/x", "is required", "RequiredMissing"),)


def test_the_number_of_faults_is_bounded(parameter_check: JsonParameterCheck, make_tool: MakeTool) -> None:
    tool = make_tool({"properties": {"v": {"items": {"type": "string"}}}})
    assert len(refused(parameter_check, tool, {"v": list(range(100))})) == 50


class Plain(Enum):
    MEMBER = 1


class Text(str):
    __slots__ = ()


@pytest.mark.parametrize(
    "value",
    [
        math.nan,
        math.inf,
        -math.inf,
        2**64,
        -(2**63) - 1,
        "\ud800",
        {"\ud800": 1},
        {1: 2},
        b"bytes",
        {1, 2},
        datetime.datetime.now(datetime.UTC),
        uuid.uuid4(),
        Plain.MEMBER,
        Text("x"),
        object(),
        lambda: None,
    ],
    ids=kind_of,
)
def test_what_is_not_json_is_refused_with_a_pointer(
    parameter_check: JsonParameterCheck, make_tool: MakeTool, value: Any
) -> None:
    (error,) = refused(parameter_check, make_tool({}), {"deep": [{"x": value}]})
    assert error.pointer == "/deep/0/x"


@pytest.mark.parametrize("parameters", [None, [], "x", 5, (("a", 1),)])
def test_parameters_must_be_an_object(
    parameter_check: JsonParameterCheck, make_tool: MakeTool, parameters: Any
) -> None:
    assert refused(parameter_check, make_tool({}), parameters)[0].code == "InvalidType"


@pytest.mark.parametrize("value", [2**64 - 1, -(2**63), None, "null", -0.0, 1e308, "𝄞", [], {}])
def test_the_edges_of_json_are_accepted(parameter_check: JsonParameterCheck, make_tool: MakeTool, value: Any) -> None:
    assert orjson.loads(encode_and_check(parameter_check, make_tool({}), {"v": value})) == {"v": value}


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


def test_the_limit_of_nesting_is_exact(parameter_check: JsonParameterCheck, make_tool: MakeTool) -> None:
    tool = make_tool({"additionalProperties": {"$ref": "#/$defs/v"}, "$defs": {"v": {"items": {"$ref": "#/$defs/v"}}}})
    assert encode_and_check(parameter_check, tool, {"v": nested(253)})
    assert "nested" in refused(parameter_check, tool, {"v": nested(254)})[0].message
    assert "nested" in refused(parameter_check, tool, {"v": nested(5_000)})[0].message


def test_a_cycle_is_refused(parameter_check: JsonParameterCheck, make_tool: MakeTool) -> None:
    parameters: dict[str, Any] = {}
    parameters["self"] = parameters
    assert "nested" in refused(parameter_check, make_tool({}), parameters)[0].message


def test_parameters_that_are_too_large_are_refused(schemas: SchemaCompiler, make_tool: MakeTool) -> None:
    check = JsonParameterCheck(schemas, max_parameters_bytes=20)
    assert encode_and_check(check, make_tool({}), {"v": "x" * 12})
    assert "larger than 20 bytes" in refused(check, make_tool({}), {"v": "x" * 13})[0].message


def test_a_tool_with_an_unusable_schema_refuses_every_call(
    parameter_check: JsonParameterCheck, make_tool: MakeTool
) -> None:
    with pytest.raises(InvalidManifest):
        encode_and_check(parameter_check, make_tool({"$ref": "http://127.0.0.1:9/x"}), {})


def test_a_schema_is_compiled_once_per_key(schemas: SchemaCompiler, make_tool: MakeTool) -> None:
    check = JsonParameterCheck(schemas)
    for _ in range(3):
        encode_and_check(check, make_tool(ADD), {"a": 1, "b": 2})
    assert len(schemas.parameters) == 1


texts = st.text(st.characters(codec="utf-8"), max_size=6)
numbers = st.integers(-(2**63), 2**64 - 1) | st.floats(allow_nan=False, allow_infinity=False)
json_values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=15,
)
keywords = st.fixed_dictionaries(
    {},
    optional={
        "type": st.sampled_from(["object", "array", "string", "integer", "number", "boolean", "null"]),
        "required": st.lists(st.sampled_from("abc"), unique=True),
        "minimum": st.integers(-5, 5),
        "maxLength": st.integers(0, 4),
        "maxItems": st.integers(0, 3),
        "enum": st.lists(st.integers(0, 3) | st.text(max_size=1), min_size=1, max_size=3, unique_by=repr),
        "uniqueItems": st.booleans(),
        "additionalProperties": st.booleans(),
    },
)
schema_trees = st.recursive(
    keywords,
    lambda inner: st.fixed_dictionaries(
        {},
        optional={
            "properties": st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
            "items": inner,
            "anyOf": st.lists(inner, min_size=1, max_size=2),
            "not": inner,
        },
    ),
    max_leaves=5,
)


@given(parameters=st.dictionaries(st.sampled_from("abcd"), json_values, max_size=4))
def test_every_json_object_survives_the_encoding(parameters: dict[str, Any]) -> None:
    tool = _tool({})
    assert orjson.loads(encode_and_check(JsonParameterCheck(SchemaCompiler()), tool, parameters)) == parameters


@given(schema=schema_trees, parameters=st.dictionaries(st.sampled_from("abcd"), json_values, max_size=4))
def test_the_verdict_is_that_of_the_reference_validator(schema: dict[str, Any], parameters: dict[str, Any]) -> None:
    expected = jsonschema.Draft202012Validator(schema).is_valid(parameters)
    assert (not errors_of(schema, parameters)) == expected


SECRET = "hunter2-do-not-print"


@given(schema=schema_trees, name=st.sampled_from("abcd"))
def test_no_message_ever_repeats_a_value(schema: dict[str, Any], name: str) -> None:
    parameters = {name: SECRET, "b": [SECRET, {"c": SECRET}]}
    assert SECRET not in str(errors_of(schema, parameters))


def errors_of(schema: dict[str, Any], parameters: dict[str, Any]) -> list[Any]:
    """Everything that a refusal carries."""
    try:
        encode_and_check(JsonParameterCheck(SchemaCompiler()), _tool(schema), parameters)
    except InvalidParameters as refusal:
        return [refusal.message, refusal.errors, refusal.facts, repr(refusal.__context__)]
    return []


def _tool(schema: dict[str, Any]) -> Tool:
    manifest = Manifest(tool_id="t", tool_name="t", version="1.0.0", parameters_schema=schema)
    return Tool(key="t#1", manifest=manifest, runner="in_process", target=None)
