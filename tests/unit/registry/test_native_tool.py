"""`@tool`: what it takes, what it leaves alone, what it refuses."""

import functools
import subprocess
import sys
from typing import Any

import pytest

from toolgate import MisuseError
from toolgate.model.agent import Mount
from toolgate.model.effect import Effect
from toolgate.model.manifest import NetworkPermission, ToolPermissions
from toolgate.registry.sources.native import is_tool, native_tool, tool


def add(a: int, b: int) -> int:
    """Add two integers."""
    return a + b


def test_the_bare_decorator_takes_everything_from_the_function() -> None:
    @tool
    def greet(name: str) -> str:
        """Say hello."""
        return f"hello {name}"

    made = native_tool(greet)
    assert greet("you") == "hello you"
    assert (made.tool_id, made.version, made.runner) == ("greet", "1.0.0", "in_process")
    assert made.manifest.tool_name == "greet"
    assert made.manifest.description == "Say hello."
    assert made.manifest.effect is Effect.NON_IDEMPOTENT_WRITE
    assert made.target.function is greet
    assert made.target.is_async is False
    assert made.source_type == "native"


def test_options_end_up_in_the_manifest() -> None:
    @tool(
        tool_id="text.count",
        tool_name="Count",
        description="Counts.",
        version="2.1.0",
        category="data_access",
        effect="pure",
        tags=["a", "b"],
        timeout_seconds=5,
        blocking=False,
        sandbox=True,
        requires_approval=True,
        result_schema={"type": "integer", "minimum": 0},
        owner="team",
        permissions={"network": ["api.example.com:443", "*"], "filesystem": {"/data": "rw"}, "credentials": ["key"]},
    )
    async def count(text: str) -> int:
        """Not this text."""
        return len(text)

    made = native_tool(count)
    manifest = made.manifest
    assert (made.runner, made.target.is_async, made.target.blocking) == ("local", True, False)
    assert (manifest.tool_id, manifest.tool_name, manifest.version) == ("text.count", "Count", "2.1.0")
    assert (manifest.description, manifest.category, manifest.effect) == ("Counts.", "data_access", Effect.PURE)
    assert (manifest.tags, manifest.owner) == (("a", "b"), "team")
    assert manifest.execution_config.default_timeout_seconds == 5
    assert manifest.execution_config.requires_approval
    assert manifest.result_schema == {"type": "integer", "minimum": 0}
    assert manifest.permissions == ToolPermissions(
        filesystem=(Mount(path="/data", mode="rw"),),
        network=(NetworkPermission(host="api.example.com", port=443), NetworkPermission(host="*")),
        credentials=("key",),
    )


def test_a_function_can_be_named_without_a_decorator() -> None:
    named = tool(lambda text: text, tool_id="echo.it")
    assert native_tool(named).tool_id == "echo.it"


def test_an_unmarked_function_is_a_tool_too() -> None:
    assert not is_tool(add)
    assert native_tool(add).tool_id == "add"


def test_one_function_can_have_two_names() -> None:
    def shared(a: int) -> int:
        return a

    first, second = tool(shared, tool_id="first"), tool(shared, tool_id="second")
    assert native_tool(first).tool_id == "first"
    assert native_tool(second).tool_id == "second"
    assert first(1) == second(1) == 1


class Service:
    """Does things."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    @tool(tool_id="service.greet")
    def greet(self, name: str) -> str:
        """Greet somebody."""
        return self.prefix + name

    def plain(self, name: str) -> str:
        return self.prefix + name

    def __call__(self, name: str) -> str:
        return self.prefix + name


def test_methods_and_callable_objects_are_tools() -> None:
    service = Service("hi ")
    method, named, instance = (
        native_tool(service.greet),
        native_tool(tool(service.plain, tool_id="p")),
        native_tool(service),
    )
    assert [each.tool_id for each in (method, named, instance)] == ["service.greet", "p", "Service"]
    assert [each.target.function(name="x") for each in (method, named, instance)] == ["hi x"] * 3
    assert instance.manifest.description == "Does things."
    for each in (method, named, instance):
        assert list(each.manifest.parameters_schema["properties"]) == ["name"]


def test_what_a_partial_has_fixed_is_not_shown_to_callers() -> None:
    def fetch(url: str, api_key: str) -> str:
        return url + api_key

    made = native_tool(tool(functools.partial(fetch, api_key="hunter2"), tool_id="fetch"))
    assert list(made.manifest.parameters_schema["properties"]) == ["url"]
    assert "hunter2" not in str(made.manifest)
    assert made.target.function(url="u") == "uhunter2"


def test_a_wrapped_function_keeps_its_signature() -> None:
    def logged(function: Any) -> Any:
        @functools.wraps(function)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return wrapper

    assert native_tool(logged(add)).manifest.parameters_schema == native_tool(add).manifest.parameters_schema
    assert native_tool(functools.lru_cache(add)).tool_id == "add"


def test_the_key_names_the_content() -> None:
    first, again = native_tool(add), native_tool(add)
    other = native_tool(tool(add, tool_id="add", effect="pure"))
    assert first.key == again.key
    assert first.key.startswith("add@1.0.0#")
    assert len(first.key.partition("#")[2]) == 12
    assert other.key != first.key


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"effect": "harmless"}, "pure, idempotent_write"),
        ({"category": "fun"}, "data_access"),
        ({"nope": 1}, "no option nope"),
        ({"version": "1"}, "version"),
        ({"tool_id": "with space"}, "tool_id"),
        ({"timeout_seconds": 0}, "timeout_seconds"),
        ({"timeout_seconds": "5"}, "timeout_seconds"),
        ({"tags": "abc"}, "tags"),
        ({"permissions": {"files": []}}, "files"),
        ({"permissions": {"network": 5}}, "permissions"),
        ({"permissions": {"filesystem": {"/": "rwx"}}}, "permissions"),
        ({"permissions": ["net"]}, "permissions"),
        ({"blocking": "no"}, "blocking"),
    ],
)
def test_an_option_that_makes_no_sense_is_refused_at_once(options: dict[str, Any], words: str) -> None:
    with pytest.raises(MisuseError, match=words):
        tool(**options)


def _positional(a: int, /) -> None: ...


def _variadic(*numbers: int) -> None: ...


def _generator() -> Any:
    yield 1


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (_positional, "positional-only"),
        (_variadic, "positional"),
        (_generator, "generator"),
        (lambda x: x, "tool_id"),
        (int, "class int"),
        (5, "type int"),
        (len, "positional-only"),
        (staticmethod(add), "staticmethod"),
    ],
)
def test_what_cannot_be_a_tool_is_refused_with_a_reason(function: Any, words: str) -> None:
    with pytest.raises(MisuseError, match=words):
        native_tool(function)


def test_importing_the_decorator_does_not_import_the_schema_libraries() -> None:
    program = (
        "import sys; from toolgate import tool\n"
        "@tool\ndef f(a: int) -> int: return a\n"
        "print([name for name in ('pydantic', 'docstring_parser', 'jsonschema_rs') if name in sys.modules])"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert finished.stdout == "[]\n"
