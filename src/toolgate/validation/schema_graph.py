"""A schema as a graph: which subschemas apply to the same value, and which to its members. Nodes go by identity."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, cast

from toolgate.validation.references import KEYWORDS, References

_SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_SAME_VALUE_BY_NAME: Final = ("dependentSchemas", "dependencies")
_ANY_MEMBER: Final = (
    "additionalProperties", "unevaluatedProperties", "propertyNames",
    "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
)  # fmt: skip

Schema = dict[str, Any]


class SchemaGraph:
    """Keeps the schema alive, so that identities stay true."""

    def __init__(self, schema: Schema) -> None:
        self._references = References(schema)
        self._nodes: dict[int, Schema] = {id(schema): schema}
        self._beside: dict[int, tuple[int, ...]] = {}
        self._below: dict[int, tuple[tuple[str, int], ...]] = {}

    def beside(self, node: int) -> tuple[int, ...]:
        """Subschemas that apply to the same value."""
        if node not in self._beside:
            self._beside[node] = tuple(map(self._enter, self._find_beside(self._nodes[node])))
        return self._beside[node]

    def below(self, node: int) -> tuple[tuple[str, int], ...]:
        """Subschemas for members of the value, with the member's name; "" stands for any member."""
        if node not in self._below:
            found = self._find_below(self._nodes[node])
            self._below[node] = tuple((member, self._enter(schema)) for member, schema in found)
        return self._below[node]

    def successors(self, node: int, *, below: bool) -> tuple[int, ...]:
        """What comes next: for the same value, and if asked also for its members."""
        return (*self.beside(node), *(other for _, other in self.below(node))) if below else self.beside(node)

    def _enter(self, schema: Schema) -> int:
        self._nodes[id(schema)] = schema
        return id(schema)

    def _find_beside(self, schema: Schema) -> Iterator[Schema]:
        for keyword in KEYWORDS:
            if isinstance(schema.get(keyword), str):
                yield from _schemas(self._references.resolve(schema, schema[keyword]))
        for keyword in _SAME_VALUE:
            yield from _schemas(schema.get(keyword))
        for keyword in _SAME_VALUE_BY_NAME:
            yield from _schemas(list(_members(schema.get(keyword)).values()))

    def _find_below(self, schema: Schema) -> Iterator[tuple[str, Schema]]:
        for name, subschema in _members(schema.get("properties")).items():
            yield from ((f"/{name}", each) for each in _schemas(subschema))
        for keyword in _ANY_MEMBER:
            yield from (("", each) for each in _schemas(schema.get(keyword)))
        for subschema in _members(schema.get("patternProperties")).values():
            yield from (("", each) for each in _schemas(subschema))


def _schemas(value: Any) -> Iterator[Schema]:
    """The subschemas in a keyword's value: itself or a list of them. `true` and `false` cost nothing."""
    if isinstance(value, dict):
        yield cast("Schema", value)
    elif isinstance(value, list):
        yield from (cast("Schema", item) for item in cast("list[Any]", value) if isinstance(item, dict))


def _members(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
