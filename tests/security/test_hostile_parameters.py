"""Attacks on the checks of parameters, schemas, results and bodies."""

import dataclasses
import datetime
import http.server
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from enum import Enum
from typing import Any

import pydantic
import pytest

from toolgate.errors import InvalidParameters, OutputError
from toolgate.model.manifest import Manifest
from toolgate.model.tool import Tool
from toolgate.validation.compiled_schema import UnusableSchemaError, compile_schema
from toolgate.validation.json_body import decode_object
from toolgate.validation.output import JsonOutputCheck
from toolgate.validation.parameters import JsonParameterCheck
from toolgate.validation.schema import SchemaCompiler

SECRET = "hunter2-do-not-print"


def tool_with(parameters: dict[str, Any] | None = None, result: dict[str, Any] | None = None) -> Tool:
    manifest = Manifest(
        tool_id="t", tool_name="t", version="1.0.0", parameters_schema=parameters or {}, result_schema=result
    )
    return Tool(key="t#1", manifest=manifest, runner="in_process", target=None)


def _encode_and_check(tool: Tool, parameters: Any) -> bytes:
    """Step 4, as the pipeline takes it."""
    check = JsonParameterCheck(SchemaCompiler())
    encoded = check.encode(parameters)
    check.check(tool, parameters, encoded)
    return encoded


def check_parameters(schema: dict[str, Any], parameters: Any) -> bytes:
    return _encode_and_check(tool_with(schema), parameters)


# ---------------------------------------------------------------- server-side request forgery


@pytest.fixture
def listener() -> Iterator[tuple[str, list[str]]]:
    """A server that notes who asks, and would answer with a schema."""
    visits: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            visits.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}/schema.json", visits
        server.shutdown()
        thread.join()


def test_ssrf_through_a_schema_reference(listener: tuple[str, list[str]]) -> None:
    url, visits = listener
    for schema in (
        {"$ref": url},
        {"properties": {"a": {"$dynamicRef": f"{url}#x"}}},
        {"$id": url, "$ref": "other.json"},
        {"$schema": url},
        {"$defs": {"unused": {"$ref": url}}},
        {"allOf": [{"$schema": "http://json-schema.org/draft-07/schema#", "$ref": url}]},
    ):
        assert SchemaCompiler().faults(schema, pointer="")
        with pytest.raises(UnusableSchemaError):
            compile_schema(schema)
    assert visits == []


def test_reading_local_files_through_a_schema_reference(tmp_path: Any) -> None:
    (tmp_path / "s.json").write_text('{"type": "string"}')
    assert SchemaCompiler().faults({"$ref": (tmp_path / "s.json").as_uri()}, pointer="")


# ---------------------------------------------------------------- denial of service


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("^(a+)+$", "a" * 50_000 + "!"),
        (r"^(a|a)*$", "a" * 50_000 + "!"),
        (r"(x+x+)+\1y", "x" * 50_000),
        (r"^(?=(a+)+$)b", "a" * 50_000 + "!"),
        (r"(?:(?:a*)*)*(?!b)c", "a" * 5_000),
    ],
)
def test_catastrophic_backtracking_in_a_pattern(pattern: str, text: str) -> None:
    with pytest.raises(InvalidParameters):
        check_parameters({"properties": {"v": {"pattern": pattern}}}, {"v": text})


def test_a_schema_that_explodes_through_shared_references() -> None:
    definitions: dict[str, Any] = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(60)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d60": False}}
    assert "minutes" in SchemaCompiler().faults(schema, pointer="")[0].message


def test_a_schema_that_explodes_through_the_same_member() -> None:
    branch = [{"properties": {"a": {"$ref": f"#/$defs/d{i + 1}"}}} for i in range(60)]
    definitions: dict[str, Any] = {f"d{i}": {"anyOf": [branch[i], branch[i].copy()]} for i in range(60)}
    value: dict[str, Any] = {}
    for _ in range(60):
        value = {"a": value}
    with pytest.raises(InvalidParameters) as caught:
        check_parameters({"$ref": "#/$defs/d0", "$defs": {**definitions, "d60": False}}, value)
    assert "nested too deeply" in str(caught.value)


def test_a_schema_that_recurses_twice_per_level_on_a_deep_value() -> None:
    branch = {"properties": {"a": {"$ref": "#"}}, "required": ["never"]}
    value: dict[str, Any] = {}
    for _ in range(200):
        value = {"a": value}
    with pytest.raises(InvalidParameters):
        check_parameters({"oneOf": [branch, {**branch, "minProperties": 1}]}, value)


def test_types_that_contain_each_other_in_a_deep_value() -> None:
    types = [
        {"properties": {"a": {"allOf": [{"$ref": f"#/$defs/d{j}"} for j in range(30) if j != i]}}} for i in range(30)
    ]
    schema = {"$ref": "#/$defs/d0", "$defs": {f"d{i}": each for i, each in enumerate(types)}}
    value: dict[str, Any] = {}
    for _ in range(30):
        value = {"a": value}
    with pytest.raises(InvalidParameters):
        check_parameters(schema, value)
    with pytest.raises(OutputError):
        JsonOutputCheck(SchemaCompiler()).check(tool_with(result=schema), value)


@pytest.mark.parametrize(
    "schema",
    [
        {"additionalProperties": {"items": {"type": "string"}}},
        {"additionalProperties": {"anyOf": [{"items": {"type": "string"}}, {"type": "null"}]}},
        {"propertyNames": {"maxLength": 0}, "additionalProperties": False},
    ],
)
def test_a_flood_of_faults_is_answered_with_one(schema: dict[str, Any]) -> None:
    """The validator would build every error, each with a copy of the value, before it gave out the first."""
    wide = {f"k{i}": [1] for i in range(100_000)}
    for parameters in ({"v": list(range(300_000))}, wide):
        with pytest.raises(InvalidParameters) as caught:
            check_parameters(schema, parameters)
        assert len(caught.value.errors) == 1


def test_a_long_or_unprintable_name_does_not_get_into_the_message() -> None:
    name = "\x1b[2J\n\u202e" + "A" * 100_000
    with pytest.raises(InvalidParameters) as caught:
        check_parameters({"properties": {}, "additionalProperties": False}, {name: 1})
    text = f"{caught.value} {caught.value.errors[0].pointer}"
    assert text.isprintable()
    assert len(text) < 500


# ---------------------------------------------------------------- parser differentials


@pytest.mark.parametrize(
    "body",
    [
        b'{"tool_id":"safe","tool_id":"evil"}',
        rb'{"tool_id":"safe","\u0074ool_id":"evil"}',
        rb'{"parameters":{"path":"/ok","path":"/etc/passwd"},"x":"\u003a"}',
        rb'{"x":"\u003a\u003a\u003a","tool_id":"safe","tool_id":"evil"}',
    ],
)
def test_smuggling_a_second_value_behind_a_repeated_key(body: bytes) -> None:
    with pytest.raises(InvalidParameters):
        decode_object(body)


def test_a_number_that_two_readers_would_read_differently() -> None:
    with pytest.raises(InvalidParameters):
        decode_object(b'{"amount":100000000000000000000000001}')


# ---------------------------------------------------------------- hostile results


class RaisingClass:
    @property
    def __class__(self) -> Any:
        raise SystemExit(SECRET)


class RaisingRepr:
    def __repr__(self) -> str:
        raise SystemExit(SECRET)


class EndlessIterator(list[Any]):
    def __iter__(self) -> Iterator[Any]:
        while True:
            yield SECRET


class EndlessSet(set[Any]):
    def __iter__(self) -> Iterator[Any]:
        while True:
            yield SECRET


class RaisingKeys(dict[Any, Any]):
    def items(self) -> Any:
        raise SystemExit(SECRET)

    def __iter__(self) -> Any:
        raise SystemExit(SECRET)


class RaisingModel(pydantic.BaseModel):
    a: int = 1

    def model_dump(self, **options: Any) -> Any:
        raise SystemExit(SECRET)


class EndlessModel(pydantic.BaseModel):
    def model_dump(self, **options: Any) -> Any:
        return self.model_dump(**options)


class SelfReturningModel(pydantic.BaseModel):
    def model_dump(self, **options: Any) -> Any:
        return self


class RaisingEnum(Enum):
    A = 1

    @property
    def value(self) -> Any:
        raise SystemExit(SECRET)


@dataclasses.dataclass
class RaisingAttribute:
    a: int = 1

    def __getattribute__(self, name: str) -> Any:
        raise SystemExit(SECRET)


class RaisingZone(datetime.tzinfo):
    def utcoffset(self, moment: Any) -> Any:
        raise SystemExit(SECRET)


class RaisingMeta(type):
    @property
    def __name__(cls) -> str:
        raise SystemExit(SECRET)

    def __getattribute__(cls, name: str) -> Any:
        raise SystemExit(SECRET)


def raising_type() -> Any:
    """Made here, because a test collector touches every name of a module."""

    class RaisingType(metaclass=RaisingMeta):
        pass

    return RaisingType()


class RaisingOrder:
    def __lt__(self, other: Any) -> bool:
        raise SystemExit(SECRET)


HOSTILE: dict[str, Callable[[], Any]] = {
    "class": RaisingClass,
    "repr": RaisingRepr,
    "model": RaisingModel,
    "endless model": EndlessModel,
    "self-returning model": SelfReturningModel,
    "enum": lambda: RaisingEnum.A,
    "attribute": RaisingAttribute,
    "time zone": lambda: datetime.datetime(2026, 1, 1, tzinfo=RaisingZone()),
    "metaclass": raising_type,
    "order": lambda: {RaisingOrder(), RaisingOrder()},
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("wrap", [lambda value: value, lambda value: [{"a": value}]], ids=["bare", "nested"])
def test_an_object_that_attacks_whoever_touches_it(name: str, wrap: Any) -> None:
    with pytest.raises(OutputError) as caught:
        JsonOutputCheck(SchemaCompiler()).check(tool_with(), wrap(HOSTILE[name]()))
    assert SECRET not in f"{caught.value} {caught.value.facts} {caught.value.__cause__} {caught.value.__context__}"


def test_subclasses_of_containers_cannot_replace_how_they_are_read() -> None:
    check = JsonOutputCheck(SchemaCompiler())
    assert check.check(tool_with(), EndlessIterator([1, 2]))[0] == [1, 2]
    assert check.check(tool_with(), EndlessSet({1}))[0] == [1]
    assert check.check(tool_with(), RaisingKeys(a=1))[0] == {"a": 1}


def test_a_converted_object_that_multiplies_is_stopped() -> None:
    value: Any = RaisingKeys(a=1)
    for _ in range(60):
        value = [value, value]
    with pytest.raises(OutputError):
        JsonOutputCheck(SchemaCompiler(), max_output_bytes=10_000).check(tool_with(), value)


def test_keyboard_interrupt_is_not_swallowed() -> None:
    class Interrupting(pydantic.BaseModel):
        def model_dump(self, **options: Any) -> Any:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        JsonOutputCheck(SchemaCompiler()).check(tool_with(), Interrupting())


def test_an_enum_that_would_crash_the_encoder_does_not_end_the_process() -> None:
    """orjson reads `Enum.value` in native code and does not survive a property that raises."""
    program = """
from enum import Enum
from toolgate.errors import InvalidParameters
from toolgate.validation.parameters import JsonParameterCheck
from toolgate.validation.schema import SchemaCompiler

class Bad(Enum):
    A = 1
    @property
    def value(self): raise SystemExit

try:
    JsonParameterCheck(SchemaCompiler()).encode({"a": Bad.A})
except InvalidParameters:
    print("refused")
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (finished.returncode, finished.stdout) == (0, "refused\n")


def test_a_hostile_server_cannot_stall_the_gateway_with_its_own_result_schema() -> None:
    definitions: dict[str, Any] = {f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}] * 2} for i in range(60)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**definitions, "d60": False}}
    with pytest.raises(OutputError):
        JsonOutputCheck(SchemaCompiler()).check(tool_with(result=schema), 1)
