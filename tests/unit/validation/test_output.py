"""What a tool returned becomes exactly what a remote caller would get."""

import dataclasses
import datetime
import math
import uuid
from collections import namedtuple
from collections.abc import Callable
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from pathlib import PurePosixPath
from typing import Any

import msgspec
import orjson
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.errors import (
    OutputError,
    OutputFieldMissing,
    OutputSchemaMismatch,
    OutputTooLarge,
    OutputTypeMismatch,
    ResultSchemaMissing,
)
from toolgate.model.manifest import Manifest
from toolgate.model.tool import Tool
from toolgate.validation.output import JsonOutputCheck
from toolgate.validation.schema import SchemaCompiler

MakeTool = Callable[..., Tool]


def kind_of(value: Any) -> str:
    """A test id that is the same in every process."""
    return value if isinstance(value, str) and value.isascii() else type(value).__name__


class Model(pydantic.BaseModel):
    when: datetime.date
    size: int = pydantic.Field(serialization_alias="sizeBytes")


@dataclasses.dataclass
class Point:
    x: int
    inner: Any = None


class Struct(msgspec.Struct, rename="camel", tag_field="kind", tag="s"):
    long_name: int
    unset: int | msgspec.UnsetType = msgspec.UNSET


class Colour(Enum):
    RED = "red"


class Level(IntEnum):
    HIGH = 3


class Word(StrEnum):
    YES = "yes"


Pair = namedtuple("Pair", "left right")
DAY = datetime.date(2026, 1, 2)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        (3, 3),
        (None, None),
        ("ü", "ü"),
        (1.5, 1.5),
        (True, True),
        ([1, None], [1, None]),
        ((1, None), [1, None]),
        ({"a": (1, 2)}, {"a": [1, 2]}),
        ({3, 1, 2}, [1, 2, 3]),
        (frozenset({"b", "a"}), ["a", "b"]),
        (Model(when=DAY, size=1), {"when": "2026-01-02", "sizeBytes": 1}),
        (Point(1, Point(2)), {"x": 1, "inner": {"x": 2, "inner": None}}),
        (Struct(long_name=1), {"kind": "s", "longName": 1}),
        ([Point(1, Struct(long_name=2))], [{"x": 1, "inner": {"kind": "s", "longName": 2}}]),
        (Colour.RED, "red"),
        ([Level.HIGH, Word.YES], [3, "yes"]),
        ({Word.YES: 1}, {"yes": 1}),
        (Pair(1, 2), [1, 2]),
        (DAY, "2026-01-02"),
        (datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC), "2026-01-02T03:04:05+00:00"),
        (datetime.time(3, 4), "03:04:00"),
        (datetime.timedelta(days=1, seconds=2), "P1DT2S"),
        (uuid.UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (Decimal("1.50"), "1.50"),
        (PurePosixPath("a/b"), "a/b"),
        ({"n": None, "p": Point(1)}, {"n": None, "p": {"x": 1, "inner": None}}),
    ],
    ids=kind_of,
)
def test_results_take_their_json_form(
    output_check: JsonOutputCheck, make_tool: MakeTool, output: Any, expected: Any
) -> None:
    value, encoded = output_check.check(make_tool(), output)
    assert value == expected
    assert type(value) is type(expected)
    assert orjson.loads(encoded) == expected


@pytest.mark.parametrize(
    ("output", "found"),
    [
        (math.nan, "NaN"),
        ([None, math.nan], "NaN"),
        ({"a": Point(1, math.nan)}, "NaN"),
        (-math.inf, "Infinity"),
        (2**64, "integer beyond 64 bits"),
        ([-(2**63) - 1], "integer beyond 64 bits"),
        ("\ud800", "text that is not valid Unicode"),
        ({"\ud800": 1}, "text that is not valid Unicode"),
        ({1: 2}, "a key that is not a text"),
        ({None: 2}, "a key that is not a text"),
        ({True: 2}, "a key that is not a text"),
        (b"x", "bytes"),
        ([bytearray()], "bytearray"),
        (object(), "object"),
        (1j, "complex"),
        ((i for i in "ab"), "generator"),
        (iter([]), "list_iterator"),
        (len, "builtin_function_or_method"),
        (Point, "type"),
    ],
    ids=kind_of,
)
def test_what_has_no_json_form_is_refused_by_its_type_only(
    output_check: JsonOutputCheck, make_tool: MakeTool, output: Any, found: str
) -> None:
    with pytest.raises(OutputTypeMismatch) as caught:
        output_check.check(make_tool(), output)
    assert caught.value.facts["found"] == found


def test_the_answer_does_not_alias_the_tools_objects(output_check: JsonOutputCheck, make_tool: MakeTool) -> None:
    inner = [1]
    value, _ = output_check.check(make_tool(), {"inner": inner})
    inner.append(2)
    assert value == {"inner": [1]}


def test_cycles_and_deep_nesting_are_too_large(output_check: JsonOutputCheck, make_tool: MakeTool) -> None:
    cycle: list[Any] = []
    cycle.append(cycle)
    point = Point(1)
    point.inner = point
    deep: Any = 1
    for _ in range(3_000):
        deep = [deep]
    for output in (cycle, {"a": cycle}, point, deep):
        with pytest.raises(OutputTooLarge) as caught:
            output_check.check(make_tool(), output)
        assert caught.value.facts["reason"] == "nesting"


def test_outputs_beyond_the_limit_are_too_large(schemas: SchemaCompiler, make_tool: MakeTool) -> None:
    check = JsonOutputCheck(schemas, max_output_bytes=10)
    assert check.check(make_tool(), "x" * 8)
    for output in ("x" * 9, ["x" * 9], Point(1, "x" * 9), [Colour.RED] * 100):
        with pytest.raises(OutputTooLarge):
            check.check(make_tool(), output)


@pytest.mark.parametrize(
    ("schema", "output", "error"),
    [
        ({"required": ["a"]}, {}, OutputFieldMissing),
        ({"type": "integer"}, "secret", OutputTypeMismatch),
        ({"items": {"type": "integer"}}, ["secret", 1], OutputTypeMismatch),
        ({"maxLength": 1}, "secret", OutputSchemaMismatch),
        ({"required": ["a"], "properties": {"b": {"type": "null"}}}, {"b": "secret"}, OutputSchemaMismatch),
    ],
)
def test_a_result_that_breaks_its_schema_is_refused_by_its_kind(
    output_check: JsonOutputCheck, make_tool: MakeTool, schema: Any, output: Any, error: type[OutputError]
) -> None:
    """E3506 if fields are missing, E3507 if types are wrong, E3501 for the rest."""
    with pytest.raises(OutputError) as caught:
        output_check.check(make_tool(result=schema), output)
    assert type(caught.value) is error
    assert caught.value.errors
    assert "secret" not in f"{caught.value} {caught.value.errors} {caught.value.facts}"


def test_converted_objects_are_checked_against_the_schema_too(
    output_check: JsonOutputCheck, make_tool: MakeTool
) -> None:
    tool = make_tool(result={"properties": {"x": {"type": "string"}}})
    with pytest.raises(OutputTypeMismatch):
        output_check.check(tool, Point(1))


def test_an_unusable_result_schema_withholds_the_result(output_check: JsonOutputCheck, make_tool: MakeTool) -> None:
    with pytest.raises(OutputSchemaMismatch):
        output_check.check(make_tool(result={"$ref": "http://127.0.0.1:9/x"}), 1)


def test_strict_mode_asks_for_a_result_schema(schemas: SchemaCompiler, make_tool: MakeTool) -> None:
    check = JsonOutputCheck(schemas, strict=True)
    with pytest.raises(ResultSchemaMissing):
        check.check(make_tool(), 1)
    assert check.check(make_tool(result={}), 1) == (1, b"1")


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.tuples(inner)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
        | st.builds(Point, st.integers(0, 5), inner)
    ),
    max_leaves=12,
)


@given(json_values)
def test_every_answer_is_its_own_encoding(output: Any) -> None:
    manifest = Manifest(tool_id="t", tool_name="t", version="1.0.0", parameters_schema={})
    tool = Tool(key="t#1", manifest=manifest, runner="in_process", target=None)
    try:
        value, encoded = JsonOutputCheck(SchemaCompiler()).check(tool, output)
    except OutputTypeMismatch:
        return
    assert orjson.dumps(value) == encoded
