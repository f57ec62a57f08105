"""A function's signature as JSON Schema, and the way from JSON back to its arguments.

pydantic does the work for everything it knows, msgspec for its own structs. Both are imported when the first
function is read, not with the package.
"""

from __future__ import annotations

import functools
import inspect
import json
import types
import typing
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, cast

from toolgate.errors import MisuseError
from toolgate.model.run import ToolContext
from toolgate.registry.sources.binding import Bind, Need, bind_for, is_for_msgspec, need_of

_REFUSED_KINDS = {
    inspect.Parameter.POSITIONAL_ONLY: "is positional-only, but parameters come by name",
    inspect.Parameter.VAR_POSITIONAL: "takes any number of positional arguments, but parameters come by name",
}


class Signature(NamedTuple):
    """What there is to know about a function."""

    parameters_schema: dict[str, Any]
    description: str
    context_parameter: str | None
    bind: Bind | None
    returns: Any
    name: str

    def result_schema(self) -> dict[str, Any] | None:
        """The schema of what the function returns; None if it does not say.

        Raises:
            MisuseError: the return type has no JSON form.
        """
        if self.returns is Any or self.returns in (inspect.Signature.empty, typing.NoReturn, typing.Never):
            return None
        return _hint_schema(self.returns, mode="serialization", of=f"the result of {self.name}")


def underlying(function: Callable[..., Any]) -> Any:
    """The plain function in a partial, a bound method or a callable object."""
    while isinstance(function, functools.partial):
        function = cast("functools.partial[Any]", function).func
    if inspect.ismethod(function):
        return function.__func__
    return function if inspect.isroutine(function) else type(function).__call__


def read_signature(function: Callable[..., Any]) -> Signature:
    """Read a function's parameters, result and docstring.

    Raises:
        MisuseError: it cannot be called with parameters by name, or a type has no JSON form.
    """
    plain = underlying(function)
    name = getattr(plain, "__qualname__", "the function")
    _refuse_streams(plain, name)
    hints = _hints(plain, name)
    parameters = _parameters(function, name)
    contexts = [parameter for parameter in parameters if _is_context(hints.get(parameter))]
    if len(contexts) > 1:
        raise MisuseError(f"{name} asks for the ToolContext twice")
    docs = _Docs.of(function, plain)
    accepted = {
        parameter: _Accepted.of(spec, hints.get(parameter, Any), docs.parameters.get(parameter))
        for parameter, spec in parameters.items()
        if parameter not in contexts
    }
    return Signature(
        parameters_schema=_parameters_schema(accepted, name),
        description=docs.description,
        context_parameter=contexts[0] if contexts else None,
        bind=bind_for({parameter: each.hint for parameter, each in accepted.items() if not each.is_rest}),
        returns=hints.get("return", inspect.Signature.empty),
        name=name,
    )


class _Accepted(NamedTuple):
    """One parameter that callers may give."""

    hint: Any
    default: Any
    description: str | None
    is_rest: bool

    @classmethod
    def of(cls, spec: inspect.Parameter, hint: Any, description: str | None) -> _Accepted:
        return cls(hint, spec.default, _own_description(hint) or description, spec.kind is spec.VAR_KEYWORD)

    @property
    def is_required(self) -> bool:
        return self.default is inspect.Parameter.empty


def _refuse_streams(plain: Any, name: str) -> None:
    if inspect.isgeneratorfunction(plain) or inspect.isasyncgenfunction(plain):
        raise MisuseError(f"{name} is a generator; a tool returns one result (return a list instead)")


def _hints(plain: Any, name: str) -> dict[str, Any]:
    try:
        return typing.get_type_hints(plain, include_extras=True)
    except NameError as exc:
        raise MisuseError(f"{name}: the type {exc.name} is not known where the function is defined") from exc
    except TypeError as exc:
        raise MisuseError(f"{name}: its type hints cannot be read: {exc}") from exc


def _parameters(function: Callable[..., Any], name: str) -> dict[str, inspect.Parameter]:
    try:
        parameters = dict(inspect.signature(function).parameters)
    except (ValueError, TypeError) as exc:
        raise MisuseError(f"{name} does not say which parameters it takes; wrap it in a function that does") from exc
    for parameter in parameters.values():
        if reason := _REFUSED_KINDS.get(parameter.kind):
            raise MisuseError(f"{name}: {parameter.name} {reason}")
    given = _already_given(function)
    return {key: value for key, value in parameters.items() if key not in given}


def _already_given(function: Callable[..., Any]) -> set[str]:
    """Arguments that a partial has fixed: not the caller's business, and often a secret."""
    given: set[str] = set()
    while isinstance(function, functools.partial):
        partial = cast("functools.partial[Any]", function)
        given.update(partial.keywords)
        function = partial.func
    return given


def _is_context(hint: Any) -> bool:
    if typing.get_origin(hint) in (typing.Union, types.UnionType, typing.Annotated):
        return any(_is_context(part) for part in typing.get_args(hint))
    return hint is ToolContext


class _Docs(NamedTuple):
    description: str
    parameters: dict[str, str]

    @classmethod
    def of(cls, function: Any, plain: Any) -> _Docs:
        """The docstring's words, in Google, NumPy or reST style."""
        import docstring_parser

        described = type(cast("object", function)) if plain.__name__ == "__call__" else plain
        text = inspect.cleandoc(plain.__doc__ or described.__doc__ or "")
        try:
            parsed = docstring_parser.parse(text)
        except docstring_parser.ParseError:
            return cls(text.strip(), {})
        description = "\n\n".join(part for part in (parsed.short_description, parsed.long_description) if part)
        return cls(description, {each.arg_name: each.description for each in parsed.params if each.description})


def _own_description(hint: Any) -> str | None:
    """The text in `Annotated[int, "how many"]`."""
    if typing.get_origin(hint) is typing.Annotated:
        for extra in hint.__metadata__:
            text = extra if isinstance(extra, str) else getattr(extra, "documentation", None)
            if isinstance(text, str):
                return text
    return None


def _parameters_schema(accepted: Mapping[str, _Accepted], name: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object", "properties": {}, "additionalProperties": False}
    definitions: dict[str, Any] = {}
    for parameter, each in accepted.items():
        own = _hint_schema(each.hint, mode="validation", of=f"{parameter} of {name}")
        _merge(definitions, own.pop("$defs", {}), name)
        if each.is_rest and need_of(each.hint) is Need.LIBRARY:
            raise MisuseError(f"{name}: **{parameter} can take JSON types only")
        if each.is_rest:
            schema["additionalProperties"] = own or True
        else:
            schema["properties"][parameter] = _described(own, each)
    required = [parameter for parameter, each in accepted.items() if each.is_required and not each.is_rest]
    return {**schema, **({"required": required} if required else {}), **({"$defs": definitions} if definitions else {})}


def _merge(definitions: dict[str, Any], more: dict[str, Any], name: str) -> None:
    for title, definition in more.items():
        if definitions.setdefault(title, definition) != definition:
            raise MisuseError(f"{name} uses two different types with the name {title}; rename one of them")


def _described(schema: dict[str, Any], accepted: _Accepted) -> dict[str, Any]:
    if accepted.description and "description" not in schema:
        schema["description"] = accepted.description
    if not accepted.is_required:
        schema.update(_default_of(accepted.default))
    return schema


def _default_of(default: Any) -> dict[str, Any]:
    """The default as the schema shows it; one without a JSON form is left to the function."""
    from pydantic.fields import FieldInfo
    from pydantic_core import PydanticSerializationError, to_jsonable_python

    if isinstance(default, FieldInfo):
        raise MisuseError("write Annotated[type, Field(…)] and a plain default: Field(…) cannot be the default itself")
    try:
        shown = to_jsonable_python(default)
        json.dumps(shown, allow_nan=False).encode()
    except (PydanticSerializationError, ValueError, TypeError):
        return {}
    return {"default": shown}


def _hint_schema(hint: Any, *, mode: typing.Literal["validation", "serialization"], of: str) -> dict[str, Any]:
    import msgspec
    import pydantic
    from pydantic.errors import PydanticInvalidForJsonSchema, PydanticSchemaGenerationError, PydanticUserError

    try:
        if is_for_msgspec(hint):
            return _msgspec_schema(hint)
        return pydantic.TypeAdapter(hint).json_schema(mode=mode, schema_generator=_schema_generator())
    except (PydanticInvalidForJsonSchema, PydanticSchemaGenerationError) as exc:
        raise MisuseError(f"{of} has a type that JSON cannot say; use JSON types, a dataclass or a model") from exc
    except (PydanticUserError, NameError, TypeError, msgspec.ValidationError) as exc:
        raise MisuseError(f"the type of {of} cannot be used: {exc}") from exc


def _msgspec_schema(hint: Any) -> dict[str, Any]:
    import msgspec

    (schema,), components = msgspec.json.schema_components((hint,), ref_template="#/$defs/{name}")
    return {**schema, "$defs": components} if components else schema


@functools.cache
def _schema_generator() -> Any:
    from pydantic.json_schema import GenerateJsonSchema

    class Untitled(GenerateJsonSchema):
        """Leaves out the titles that only repeat a field's name."""

        def field_title_should_be_set(self, schema: Any) -> bool:
            return False

    return Untitled
