"""A schema as a graph: which subschemas apply to the same value, and which to its members. Nodes go by identity."""

from __future__ import annotations

from collections.abc import Iterator, Set
from copy import copy
from typing import Any, Final, cast

from toolgate.validation.references import KEYWORDS, References

_SAME_VALUE: Final = frozenset({"allOf", "anyOf", "oneOf", "not", "if", "then", "else"})
_SAME_VALUE_BY_NAME: Final = frozenset({"dependentSchemas", "dependencies"})
_ANY_MEMBER: Final = frozenset(
    {
        "additionalProperties", "unevaluatedProperties", "propertyNames",
        "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
    }
)  # fmt: skip
_BESIDE: Final = _SAME_VALUE | _SAME_VALUE_BY_NAME | frozenset(KEYWORDS)
_BELOW: Final = _ANY_MEMBER | {"properties", "patternProperties"}

Schema = dict[str, Any]


class SchemaGraph:
    """Keeps the schema alive, so that identities stay true."""

    def __init__(self, schema: Schema) -> None:
        self._references = References(schema)
        self._nodes: dict[int, Schema] = {id(schema): schema}
        self._beside: dict[int, tuple[int, ...]] = {}
        self._below: dict[int, tuple[tuple[str, int], ...]] = {}

    @property
    def size_of_tree(self) -> int | None:
        """How many subschemas there are at most, if each can be reached in one way only."""
        return None if self._references.found else self._references.objects

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

    def without(self, targets: Set[int]) -> SchemaGraph:
        """The same graph with no way into these subschemas."""
        cut = copy(self)
        cut._beside = {node: tuple(o for o in self.beside(node) if o not in targets) for node in self._nodes}
        cut._below = {node: tuple(e for e in self.below(node) if e[1] not in targets) for node in self._nodes}
        return cut

    def _enter(self, schema: Schema) -> int:
        self._nodes[id(schema)] = schema
        return id(schema)

    def _find_beside(self, schema: Schema) -> Iterator[Schema]:
        if _BESIDE.isdisjoint(schema):
            return
        for keyword, value in schema.items():
            if keyword in _SAME_VALUE:
                yield from _schemas(value)
            elif keyword in _SAME_VALUE_BY_NAME:
                yield from _schemas(list(_members(value).values()))
            elif keyword in KEYWORDS and isinstance(value, str):
                yield from _schemas(self._references.resolve(schema, value))

    def _find_below(self, schema: Schema) -> Iterator[tuple[str, Schema]]:
        if _BELOW.isdisjoint(schema):
            return
        for keyword, value in schema.items():
            if keyword == "properties":
                yield from ((f"/{name}", each) for name, one in _members(value).items() for each in _schemas(one))
            elif keyword == "patternProperties":
                yield from (("", each) for each in _schemas(list(_members(value).values())))
            elif keyword in _ANY_MEMBER:
                yield from (("", each) for each in _schemas(value))


def _schemas(value: Any) -> Iterator[Schema]:
    """The subschemas in a keyword's value: itself or a list of them. `true` and `false` cost nothing."""
    if isinstance(value, dict):
        yield cast("Schema", value)
    elif isinstance(value, list):
        yield from (cast("Schema", item) for item in cast("list[Any]", value) if isinstance(item, dict))


def _members(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
