"""A function's types and docstring as JSON Schema."""

from __future__ import annotations

import datetime
import decimal
import enum
import pathlib
import threading
import typing
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import annotated_types
import msgspec
import pydantic
import pytest

from toolgate import MisuseError, ToolContext
from toolgate.registry.sources.native import native_tool
from toolgate.validation.schema import SchemaCompiler


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclass
class Point:
    x: int
    y: float = 0.5
    tags: list[str] = field(default_factory=list)


class Person(pydantic.BaseModel):
    name: str = pydantic.Field(min_length=1, description="full name")
    friends: list[Person] = []


class Options(TypedDict, total=False):
    depth: int
    colour: Colour


class Pair(NamedTuple):
    left: int
    right: str


class Struct(msgspec.Struct):
    size: int
    label: str = "x"


def schema_of(function: Callable[..., Any]) -> dict[str, Any]:
    schema = native_tool(function).manifest.parameters_schema
    assert SchemaCompiler().faults(schema, pointer="") == []
    return schema


def result_of(function: Callable[..., Any]) -> dict[str, Any] | None:
    schema = native_tool(function).manifest.result_schema
    assert schema is None or SchemaCompiler().faults(schema, pointer="") == []
    return schema


def test_a_simple_signature() -> None:
    def add(a: int, b: float = 1.5, *, c: str | None = None) -> int: ...

    assert schema_of(add) == {
        "type": "object",
        "properties": {
            "a": {"type": "integer"},
            "b": {"type": "number", "default": 1.5},
            "c": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        },
        "required": ["a"],
        "additionalProperties": False,
    }
    assert result_of(add) == {"type": "integer"}


def property_of(hint: Any) -> dict[str, Any]:
    def function(value): ...  # type: ignore[no-untyped-def]

    function.__annotations__ = {"value": hint}
    return schema_of(function)["properties"]["value"]


@pytest.mark.parametrize(
    ("hint", "expected"),
    [
        (Any, {}),
        (None, {"type": "null"}),
        (bool, {"type": "boolean"}),
        (Literal["a", "b"], {"enum": ["a", "b"], "type": "string"}),
        (typing.Optional[int], {"anyOf": [{"type": "integer"}, {"type": "null"}]}),  # noqa: UP045  the old spelling
        (typing.Union[int, str], {"anyOf": [{"type": "integer"}, {"type": "string"}]}),  # noqa: UP007
        (int | str, {"anyOf": [{"type": "integer"}, {"type": "string"}]}),
        (list[int], {"items": {"type": "integer"}, "type": "array"}),
        (Sequence[int], {"items": {"type": "integer"}, "type": "array"}),
        (set[str], {"items": {"type": "string"}, "type": "array", "uniqueItems": True}),
        (dict[str, bool], {"additionalProperties": {"type": "boolean"}, "type": "object"}),
        (Colour, {"enum": ["red", "blue"], "title": "Colour", "type": "string"}),
        (datetime.datetime, {"format": "date-time", "type": "string"}),
        (datetime.date, {"format": "date", "type": "string"}),
        (uuid.UUID, {"format": "uuid", "type": "string"}),
        (pathlib.Path, {"format": "path", "type": "string"}),
        (Annotated[int, "how many"], {"type": "integer", "description": "how many"}),
        (Annotated[int, annotated_types.Ge(1)], {"type": "integer", "minimum": 1}),
        (Annotated[str, pydantic.Field(max_length=3)], {"type": "string", "maxLength": 3}),
        (Annotated[str, pydantic.Field(description="d")], {"type": "string", "description": "d"}),
    ],
)
def test_each_type_has_its_schema(hint: Any, expected: dict[str, Any]) -> None:
    assert property_of(hint) == expected


@pytest.mark.parametrize("hint", [Point, Person, Options, Pair, Struct, list[Struct], tuple[int, str], decimal.Decimal])
def test_structured_types_are_known(hint: Any) -> None:
    assert property_of(hint)


def test_definitions_are_kept_and_shared() -> None:
    def connect(a: list[Person], b: Person | None, c: Struct) -> None: ...

    schema = schema_of(connect)
    assert set(schema["$defs"]) == {"Person", "Struct"}
    assert schema["properties"]["a"]["items"] == {"$ref": "#/$defs/Person"}
    assert schema["properties"]["c"] == {"$ref": "#/$defs/Struct"}


def test_two_types_with_one_name_are_refused() -> None:
    def first() -> Any:
        @dataclass
        class Thing:
            a: int

        return Thing

    def second() -> Any:
        @dataclass
        class Thing:
            b: int

        return Thing

    def function(x, y): ...  # type: ignore[no-untyped-def]

    function.__annotations__ = {"x": list[first()], "y": list[second()]}
    with pytest.raises(MisuseError, match="Thing"):
        native_tool(function)


GOOGLE = """Search the archive.

Looks at titles and texts.

Args:
    query: What to look for.
    limit: How many to return.

Returns:
    The hits.
"""
NUMPY = """Search the archive.

Looks at titles and texts.

Parameters
----------
query : str
    What to look for.
limit : int
    How many to return.
"""
REST = """Search the archive.

Looks at titles and texts.

:param query: What to look for.
:param limit: How many to return.
"""


@pytest.mark.parametrize("docstring", [GOOGLE, NUMPY, REST])
def test_docstrings_of_all_three_styles_describe_tool_and_parameters(docstring: str) -> None:
    def search(query: str, limit: int = 3) -> list[str]: ...

    search.__doc__ = docstring
    manifest = native_tool(search).manifest
    assert manifest.description == "Search the archive.\n\nLooks at titles and texts."
    properties = manifest.parameters_schema["properties"]
    assert properties["query"]["description"] == "What to look for."
    assert properties["limit"]["description"] == "How many to return."


def test_a_description_at_the_type_wins_over_the_docstring() -> None:
    def search(query: Annotated[str, pydantic.Field(description="from the type")]) -> None:
        """Search.

        Args:
            query: from the docstring
        """

    assert schema_of(search)["properties"]["query"]["description"] == "from the type"


def test_the_context_is_injected_and_not_part_of_the_schema() -> None:
    def write(path: str, context: ToolContext) -> None: ...

    def maybe(context: ToolContext | None = None) -> None: ...

    made = native_tool(write)
    assert made.target.context_parameter == "context"
    assert list(made.manifest.parameters_schema["properties"]) == ["path"]
    assert native_tool(maybe).target.context_parameter == "context"


def test_asking_for_the_context_twice_is_refused() -> None:
    def twice(a: ToolContext, b: ToolContext) -> None: ...

    with pytest.raises(MisuseError, match="twice"):
        native_tool(twice)


def test_further_keywords_open_the_schema() -> None:
    def anything(a: int, **rest: Any) -> None: ...

    def texts(**rest: str) -> None: ...

    def points(**rest: Point) -> None: ...

    assert schema_of(anything)["additionalProperties"] is True
    assert schema_of(texts)["additionalProperties"] == {"type": "string"}
    with pytest.raises(MisuseError, match="JSON types only"):
        native_tool(points)


def test_a_default_without_a_json_form_is_left_to_the_function() -> None:
    def function(a: float = float("nan"), b: Any = object(), c: Colour = Colour.RED) -> None: ...  # noqa: B008

    schema = schema_of(function)
    assert "required" not in schema
    assert "default" not in schema["properties"]["a"]
    assert "default" not in schema["properties"]["b"]
    assert schema["properties"]["c"]["default"] == "red"


def returns_nothing() -> None: ...


def returns_anything() -> Any: ...


def returns_unsaid(): ...  # type: ignore[no-untyped-def]


async def returns_points() -> list[Point]: ...


def returns_struct() -> Struct: ...


def returns_options() -> Options: ...


def test_the_return_type_is_the_result_schema() -> None:
    assert result_of(returns_nothing) == {"type": "null"}
    assert result_of(returns_anything) is None
    assert result_of(returns_unsaid) is None
    points = result_of(returns_points)
    assert points is not None
    assert points["items"] == {"$ref": "#/$defs/Point"}
    assert result_of(returns_struct)
    assert result_of(returns_options)


class Opaque:
    pass


def takes_opaque(x: Opaque) -> None: ...


def takes_lock(x: threading.Event) -> None: ...


def returns_opaque() -> Opaque: ...


def takes_callable(x: Callable[[int], int]) -> None: ...


def takes_unknown(x: Missing) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def takes_field_as_default(x: int = pydantic.Field(5)) -> None: ...


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (takes_opaque, "x of takes_opaque"),
        (takes_lock, "x of takes_lock"),
        (returns_opaque, "the result of returns_opaque"),
        (takes_callable, "JSON"),
        (takes_unknown, "Missing"),
        (takes_field_as_default, "Annotated"),
    ],
)
def test_types_without_a_json_form_are_refused_by_name(function: Any, words: str) -> None:
    with pytest.raises(MisuseError, match=words):
        native_tool(function)
