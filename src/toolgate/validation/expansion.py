"""How much work can a schema cause? A kilobyte of `anyOf` over shared `$ref`s can ask for billions of steps.

The validator remembers its answers for recursive references, but follows all others every time. So the work for one
value is bounded by the number of ways through the schema: alternatives for the same value add up, and of the
subschemas below it only those that the same member reaches count together.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final, NamedTuple, cast

from toolgate.validation.references import KEYWORDS, References

_SAME_VALUE: Final = ("allOf", "anyOf", "oneOf", "not", "if", "then", "else")
_SAME_VALUE_BY_NAME: Final = ("dependentSchemas", "dependencies")
_ANY_MEMBER: Final = (
    "additionalProperties", "unevaluatedProperties", "propertyNames",
    "items", "prefixItems", "additionalItems", "unevaluatedItems", "contains",
)  # fmt: skip
_BUDGET: Final = 500_000

Schema = dict[str, Any]


class TooComplexError(ValueError):
    """The schema could keep a validator busy for longer than anybody should wait."""


class Expansion(NamedTuple):
    """The number of ways through a schema, taking each recursion once."""

    ways: int
    is_recursive: bool


def expand(schema: Schema, *, limit: int) -> Expansion:
    """Count the ways through a schema.

    Raises:
        TooComplexError: there are more than `limit`, or it would take too long to count them.
    """
    counter = _Counter(schema, limit=limit)
    try:
        ways = counter.ways(schema)
    except RecursionError as exc:
        raise TooComplexError from exc
    return Expansion(ways, counter.is_recursive)


class _Counter:
    """One count. Subschemas are kept by identity; the root schema keeps them all alive."""

    def __init__(self, schema: Schema, *, limit: int) -> None:
        self._references = References(schema)
        self._limit = limit
        self._budget = _BUDGET
        self.is_recursive = False
        self._ways: dict[int, int] = {}
        self._open: set[int] = set()
        self._spreads: dict[int, Counter[int]] = {}
        self._nodes: dict[int, Schema] = {}

    def ways(self, node: Schema) -> int:
        """Ways through a subschema and everything below it."""
        if (known := self._ways.get(id(node))) is not None:
            self.is_recursive |= id(node) in self._open
            return known
        self._ways[id(node)] = 1  # for when it is met again inside itself: the validator remembers it
        self._open.add(id(node))
        spread = self._spread(node)
        by_member: Counter[str] = Counter()
        for other, times in spread.items():
            for member, below in self._below(self._nodes[other]):
                by_member[member] += times * self.ways(below)
        of_any_member = by_member.pop("", 0)
        total = spread.total() + of_any_member + max(by_member.values(), default=0)
        self._spend(1, total=total)
        self._ways[id(node)] = total
        self._open.discard(id(node))
        return total

    def _spread(self, node: Schema) -> Counter[int]:
        """How often each subschema is applied to the same value as this one."""
        if (known := self._spreads.get(id(node))) is not None:
            return known
        self._nodes[id(node)] = node
        self._spreads[id(node)] = Counter()  # a circle adds nothing
        spread = Counter({id(node): 1})
        for other in self._beside(node):
            spread.update(self._spread(other))
            self._spend(len(spread), total=spread.total())
        self._spreads[id(node)] = spread
        return spread

    def _beside(self, node: Schema) -> Iterator[Schema]:
        for keyword in KEYWORDS:
            if isinstance(node.get(keyword), str):
                yield from _schemas(self._references.resolve(node, node[keyword]))
        for keyword in _SAME_VALUE:
            yield from _schemas(node.get(keyword))
        for keyword in _SAME_VALUE_BY_NAME:
            yield from _schemas(list(_members(node.get(keyword)).values()))

    def _below(self, node: Schema) -> Iterator[tuple[str, Schema]]:
        """Subschemas for members of the value, with the member's name; "" stands for any member."""
        for name, subschema in _members(node.get("properties")).items():
            yield from ((f"/{name}", schema) for schema in _schemas(subschema))
        for keyword in _ANY_MEMBER:
            yield from (("", schema) for schema in _schemas(node.get(keyword)))
        for subschema in _members(node.get("patternProperties")).values():
            yield from (("", schema) for schema in _schemas(subschema))

    def _spend(self, steps: int, *, total: int) -> None:
        self._budget -= steps
        if self._budget < 0 or total > self._limit:
            raise TooComplexError


def _schemas(value: Any) -> Iterator[Schema]:
    """The subschemas in a keyword's value: itself or a list of them. `true` and `false` cost nothing."""
    if isinstance(value, dict):
        yield cast("Schema", value)
    elif isinstance(value, list):
        yield from (cast("Schema", item) for item in cast("list[Any]", value) if isinstance(item, dict))


def _members(value: Any) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
