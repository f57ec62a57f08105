"""JSON parameters become the arguments that the function's types ask for."""

import datetime
import enum
import math
import pathlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, Literal, NamedTuple, TypedDict

import msgspec
import pydantic
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.errors import InvalidParameters
from toolgate.model.tool import Tool
from toolgate.registry.sources.binding import bind_for
from toolgate.registry.sources.native import native_tool
from toolgate.validation.output import JsonOutputCheck
from toolgate.validation.parameters import JsonParameterCheck
from toolgate.validation.schema import SchemaCompiler

SECRET = "hunter2-do-not-print"


class Colour(enum.Enum):
    RED = "red"


@dataclass
class Point:
    x: int
    y: float = 0.5


class Person(pydantic.BaseModel):
    name: str
    born: datetime.date | None = None

    @pydantic.field_validator("name")
    @classmethod
    def _check(cls, name: str) -> str:
        if name == SECRET:
            raise ValueError(f"not {name}")
        if name == "exit":
            raise SystemExit(SECRET)
        return name


class Options(TypedDict):
    depth: int


class Pair(NamedTuple):
    left: int
    right: str


class Struct(msgspec.Struct):
    size: int


@pytest.mark.parametrize(
    "hints",
    [
        {},
        {"a": str, "b": float, "c": bool, "d": None},
        {"a": Any, "b": list, "c": dict, "d": list[str], "e": dict[str, list[float]]},
        {"a": str | None, "b": Literal["x", "y"], "c": float | int},
        {"a": Annotated[str, pydantic.Field(max_length=3, description="d")], "b": Annotated[float, "text"]},
    ],
)
def test_plain_json_types_need_no_binding(hints: dict[str, Any]) -> None:
    assert bind_for(hints) is None


@pytest.mark.parametrize("hint", [int, int | None, Literal[1, 2], int | str, Annotated[int, pydantic.Field(ge=0)]])
def test_a_whole_float_becomes_an_integer(hint: Any) -> None:
    """JSON does not tell 1.0 from 1, Python does."""
    bind = bind_for({"n": hint, "s": str})
    assert bind is not None
    parameters = {"n": 1, "s": "x"}
    assert bind(parameters) is parameters
    bound = bind({"n": 1.0, "s": "x"})
    assert bound == {"n": 1, "s": "x"}
    assert type(bound["n"]) is int
    assert bind({"s": "x"}) == {"s": "x"}


@pytest.mark.parametrize(
    ("hint", "value", "expected"),
    [
        (list[int], [1.0, 2], [1, 2]),
        (Colour, "red", Colour.RED),
        (Point, {"x": 1.0}, Point(1)),
        (Point | None, None, None),
        (list[Point], [{"x": 1, "y": 2}], [Point(1, 2.0)]),
        (Person, {"name": "n", "born": "2026-01-02"}, Person(name="n", born=datetime.date(2026, 1, 2))),
        (Options, {"depth": 1.0}, {"depth": 1}),
        (Pair, [1, "x"], Pair(1, "x")),
        (Struct, {"size": 1.0}, Struct(1)),
        (dict[str, Struct], {"a": {"size": 2}}, {"a": Struct(2)}),
        (set[str], ["a"], {"a"}),
        (tuple[int, str], [1, "x"], (1, "x")),
        (datetime.datetime, "2026-01-02T03:04:05Z", datetime.datetime(2026, 1, 2, 3, 4, 5, tzinfo=datetime.UTC)),
        (uuid.UUID, "00000000-0000-0000-0000-000000000001", uuid.UUID(int=1)),
        (pathlib.Path, "a/b", pathlib.Path("a/b")),
    ],
)
def test_everything_else_is_made_by_the_library_that_knows_it(hint: Any, value: Any, expected: Any) -> None:
    bind = bind_for({"v": hint, "other": str})
    assert bind is not None
    bound = bind({"v": value, "other": "x"})
    assert bound == {"v": expected, "other": "x"}
    assert type(bound["v"]) is type(expected)


def test_defaults_stay_the_functions_own() -> None:
    bind = bind_for({"a": Point, "b": Colour})
    assert bind is not None
    assert bind({"b": "red"}) == {"b": Colour.RED}


@pytest.mark.parametrize(
    ("hint", "value", "pointer"),
    [
        (Person, {"name": SECRET}, "/v/name"),
        (list[Person], [{"name": "a"}, {"name": SECRET}], "/v/1/name"),
        (Person | None, {"name": SECRET}, "/v/name"),
        (Person, {"name": "exit"}, "/v"),
        (datetime.date, SECRET, "/v"),
        (Struct, {"size": SECRET}, "/v"),
        (Point, {}, "/v"),
    ],
)
def test_what_the_tools_own_check_refuses_is_told_without_the_value(hint: Any, value: Any, pointer: str) -> None:
    bind = bind_for({"v": hint})
    assert bind is not None
    with pytest.raises(InvalidParameters) as caught:
        bind({"v": value})
    assert caught.value.errors[0].pointer == pointer
    assert SECRET not in f"{caught.value} {caught.value.errors} {caught.value.facts} {caught.value.__context__!r}"


# ---------------------------------------------------------------- schema and types agree

HINTS: dict[str, tuple[Any, st.SearchStrategy[Any]]] = {
    "integer": (int, st.integers(-(2**63), 2**64 - 1)),
    "number": (float, st.floats(allow_nan=False, allow_infinity=False)),
    "text": (str, st.text(st.characters(codec="utf-8"))),
    "boolean": (bool, st.booleans()),
    "literal": (Literal["a", "b", 3], st.sampled_from(["a", "b", 3])),
    "optional": (int | None, st.none() | st.integers(0, 9)),
    "list": (list[int], st.lists(st.integers(0, 9))),
    "map": (dict[str, float], st.dictionaries(st.text(st.characters(codec="utf-8")), st.floats(0, 1))),
    "enum": (Colour, st.just("red")),
    "dataclass": (Point, st.fixed_dictionaries({"x": st.integers(0, 9)}, optional={"y": st.floats(0, 1)})),
    "model": (Person, st.fixed_dictionaries({"name": st.text("abc")}, optional={"born": st.dates().map(str)})),
    "struct": (Struct, st.fixed_dictionaries({"size": st.integers(0, 9)})),
    "typed dict": (Options, st.fixed_dictionaries({"depth": st.integers(0, 9)})),
    "tuple": (tuple[int, str], st.tuples(st.integers(0, 9), st.text("abc")).map(list)),
    "date": (datetime.date, st.dates().map(str)),
    "moment": (datetime.datetime, st.datetimes(timezones=st.just(datetime.UTC)).map(datetime.datetime.isoformat)),
    "uuid": (uuid.UUID, st.uuids().map(str)),
    "bounded": (Annotated[int, pydantic.Field(ge=0, le=5)], st.integers(0, 5)),
}


@st.composite
def calls(draw: st.DrawFn) -> tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]:
    """A function with random parameters, values that fit, and values of any kind."""
    kinds = draw(st.lists(st.sampled_from(sorted(HINTS)), min_size=1, max_size=4))
    names = [f"p{i}" for i in range(len(kinds))]
    function: Callable[..., Any] = eval(f"lambda {', '.join(names)}: None")
    function.__name__ = "random_function"
    function.__annotations__ = {name: HINTS[kind][0] for name, kind in zip(names, kinds, strict=True)}
    fitting = {name: draw(HINTS[kind][1]) for name, kind in zip(names, kinds, strict=True)}
    any_kind = st.one_of([strategy for _, strategy in HINTS.values()])
    return function, fitting, {name: draw(any_kind) for name in names}


def check_parameters(made: Tool, parameters: dict[str, Any]) -> None:
    check = JsonParameterCheck(SchemaCompiler())
    check.check(made, parameters, check.encode(parameters))


@given(calls())
def test_what_fits_the_types_fits_the_schema_and_is_bound(
    call: tuple[Callable[..., Any], dict[str, Any], dict[str, Any]],
) -> None:
    function, fitting, _ = call
    made = native_tool(function)
    check_parameters(made, fitting)
    bound = made.target.bind(fitting) if made.target.bind else fitting
    for name, value in bound.items():
        pydantic_or_struct = made.target.function.__annotations__[name]
        if isinstance(pydantic_or_struct, type) and pydantic_or_struct not in (float, Options):
            assert isinstance(value, pydantic_or_struct)


@given(calls())
def test_what_passes_the_schema_can_be_bound(
    call: tuple[Callable[..., Any], dict[str, Any], dict[str, Any]],
) -> None:
    function, _, anything = call
    made = native_tool(function)
    try:
        check_parameters(made, anything)
    except InvalidParameters:
        return
    if made.target.bind:
        assert made.target.bind(anything).keys() == anything.keys()


@given(st.integers(0, 9), st.floats(allow_nan=False, allow_infinity=False), st.dates(), st.text("abc"))
def test_what_a_typed_function_returns_fits_its_result_schema(x: int, y: float, born: datetime.date, name: str) -> None:
    class Everything(pydantic.BaseModel):
        point: Point
        person: Person
        struct: list[int]

    def function() -> dict[str, Everything | Point | Pair | Colour]:
        everything = Everything(point=Point(x, y), person=Person(name=name, born=born), struct=[x])
        return {"all": everything, "point": Point(x, y), "pair": Pair(x, name), "colour": Colour.RED}

    made = native_tool(function)
    value, _ = JsonOutputCheck(SchemaCompiler()).check(made, function())
    assert value["all"]["person"]["born"] == born.isoformat()
    assert math.isfinite(value["point"]["y"])
