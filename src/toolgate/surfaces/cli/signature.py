"""A tool's parameters as a person reads them: name, type, whether it must be given, and a call that could work.

Schemas come from anywhere, so nothing here trusts their shape.
"""

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

_EXAMPLES: Final[Mapping[str, str]] = {
    "string": "=text",
    "integer": ":=1",
    "number": ":=1.5",
    "boolean": ":=true",
    "array": ":=[]",
    "object": ":={}",
    "null": ":=null",
}
_ADDRESSES: Final = frozenset({"url", "uri", "href", "link"})
_MAX_ALTERNATIVES: Final = 8


@dataclass(frozen=True)
class Parameter:
    name: str
    types: tuple[str, ...]
    required: bool
    default: Any
    description: str
    choices: tuple[Any, ...] = ()

    @property
    def type_text(self) -> str:
        if self.choices:
            return " | ".join(_json(choice) for choice in self.choices[:_MAX_ALTERNATIVES])
        return " | ".join(self.types) or "any"

    @property
    def takes_text(self) -> bool:
        return not self.types or "string" in self.types


def parameters_of(schema: Mapping[str, Any]) -> list[Parameter]:
    """The top level of a parameters schema."""
    required = schema.get("required")
    names = cast(list[Any], required) if isinstance(required, list) else []
    return [_parameter(name, part, schema, required=name in names) for name, part in _properties(schema).items()]


def example_call(tool_id: str, schema: Mapping[str, Any]) -> str:
    """A command line that gives every required parameter some value of its type."""
    items = [_example(parameter) for parameter in parameters_of(schema) if parameter.required]
    return shlex.join(["toolgate", "call", tool_id, *items])


def _parameter(name: str, part: Mapping[str, Any], root: Mapping[str, Any], *, required: bool) -> Parameter:
    part = _follow(part, root)
    choices = part.get("enum")
    return Parameter(
        name=name,
        types=_types(part, root),
        required=required,
        default=part.get("default"),
        description=str(part.get("description", "")),
        choices=tuple(cast(list[Any], choices)) if isinstance(choices, list) else (),
    )


def _properties(schema: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    found = schema.get("properties")
    if not isinstance(found, Mapping):
        return {}
    properties = cast(Mapping[str, Any], found)
    return {name: part if isinstance(part, Mapping) else {} for name, part in properties.items()}


def _follow(part: Mapping[str, Any], root: Mapping[str, Any]) -> Mapping[str, Any]:
    """The definition that a local reference names, one step far."""
    reference = part.get("$ref")
    if not isinstance(reference, str) or not reference.startswith("#/"):
        return part
    target: Any = root
    for step in reference.removeprefix("#/").split("/"):
        target = cast(Mapping[str, Any], target).get(step) if isinstance(target, Mapping) else None
    return {**target, **part} if isinstance(target, Mapping) else part


def _types(part: Mapping[str, Any], root: Mapping[str, Any]) -> tuple[str, ...]:
    said = part.get("type")
    if isinstance(said, str):
        return (said,)
    if isinstance(said, list):
        return tuple(str(name) for name in cast(list[Any], said))
    branches = part.get("anyOf", part.get("oneOf"))
    if not isinstance(branches, list):
        return ()
    listed = cast(list[Any], branches)
    parts = [_follow(cast(Mapping[str, Any], branch), root) for branch in listed if isinstance(branch, Mapping)]
    names = [name for branch in parts if isinstance(name := branch.get("type"), str)]
    return tuple(dict.fromkeys(names))


def _example(parameter: Parameter) -> str:
    if parameter.choices:
        first = parameter.choices[0]
        return f"{parameter.name}={first}" if isinstance(first, str) else f"{parameter.name}:={_json(first)}"
    if parameter.name in _ADDRESSES:
        return f"{parameter.name}=https://example.com/"
    return parameter.name + _EXAMPLES.get(parameter.types[0] if parameter.types else "string", "=text")


def _json(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()
