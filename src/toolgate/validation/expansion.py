"""How much work can a schema cause? A kilobyte of `anyOf` over shared `$ref`s can ask for billions of steps.

The validator follows every reference anew, so the work for one value is the number of ways through the schema:
alternatives for the same value add up, and of the subschemas below it only those that the same member reaches count
together. For recursive references it remembers its answers, one memory for each way round; where there are few ways
round, recursion is cheap at any depth, and where there are many, values may only be so deep.
"""

from __future__ import annotations

from collections import Counter
from typing import Any, Final, NamedTuple

from toolgate.validation.json_value import MAX_DEPTH
from toolgate.validation.schema_graph import SchemaGraph

_MAX_ROUNDS: Final = 300
_BUDGET: Final = 500_000


class TooComplexError(ValueError):
    """The schema could keep a validator busy for longer than anybody should wait."""


class Expansion(NamedTuple):
    """The ways through a schema, taking each recursion once, and how deep values may be (None: as deep as JSON)."""

    ways: int
    is_recursive: bool
    max_depth: int | None


def expand(schema: dict[str, Any], *, limit: int) -> Expansion:
    """Count the ways through a schema.

    Raises:
        TooComplexError: there are more than `limit`, or it would take too long to count them.
    """
    counter = _Counter(SchemaGraph(schema), limit=limit)
    try:
        ways = counter.ways(id(schema))
        max_depth = counter.max_depth(id(schema)) if counter.recursive else None
    except RecursionError as exc:
        raise TooComplexError from exc
    return Expansion(ways, bool(counter.recursive), max_depth)


class _Counter:
    def __init__(self, graph: SchemaGraph, *, limit: int) -> None:
        self._graph = graph
        self._limit = limit
        self._budget = _BUDGET
        self.recursive: set[int] = set()
        self._circular: set[int] = set()
        self._ways: dict[int, int | None] = {}
        self._spreads: dict[int, Counter[int] | None] = {}

    def ways(self, node: int) -> int:
        """Ways through a subschema and everything below it."""
        if node in self._ways:
            known = self._ways[node]
            if known is None:  # met again inside itself
                self.recursive.add(node)
            return known or 1
        self._ways[node] = None
        total = self._total(node, {below: self.ways(below) for below in self._all_below(node)})
        self._ways[node] = self._checked(total)
        return total

    def max_depth(self, root: int) -> int | None:
        """How deep a value may be so that the ways stay within the limit, every turn of a recursion counted."""
        if any(self._rounds(node, set(), below=False) > _MAX_ROUNDS for node in sorted(self._circular)):
            raise TooComplexError
        if all(self._rounds(node, set(), below=True) <= _MAX_ROUNDS for node in sorted(self.recursive)):
            return None
        ways = {node: 1 for node in self._spreads}
        for depth in range(MAX_DEPTH):
            try:
                ways = {node: self._total(node, ways) for node in ways}
                self._checked(ways[root], steps=sum(map(len, (self._spread(node) for node in ways))))
            except TooComplexError:
                return depth
        return None

    def _total(self, node: int, ways: dict[int, int]) -> int:
        spread = self._spread(node)
        by_member: Counter[str] = Counter()
        for other, times in spread.items():
            for member, below in self._graph.below(other):
                by_member[member] += times * ways[below]
        of_any_member = by_member.pop("", 0)
        return spread.total() + of_any_member + max(by_member.values(), default=0)

    def _all_below(self, node: int) -> set[int]:
        return {below for other in self._spread(node) for _, below in self._graph.below(other)}

    def _spread(self, node: int) -> Counter[int]:
        """How often each subschema is applied to the same value as this one."""
        if node in self._spreads:
            known = self._spreads[node]
            if known is None:  # a circle that never gets to a member
                self._circular.add(node)
                self.recursive.add(node)
            return known or Counter()
        self._spreads[node] = None
        spread = Counter({node: 1})
        for other in self._graph.beside(node):
            spread.update(self._spread(other))
            self._checked(spread.total(), steps=len(spread))
        self._spreads[node] = spread
        return spread

    def _rounds(self, node: int, path: set[int], *, below: bool) -> int:
        """In how many ways one can walk until a subschema comes up for the second time. Stops beyond the limit."""
        if node in path:
            return 1
        self._checked(0)
        path.add(node)
        rounds = 0
        for other in self._graph.successors(node, below=below):
            rounds += self._rounds(other, path, below=below)
            if rounds > _MAX_ROUNDS:
                break
        path.discard(node)
        return rounds

    def _checked(self, total: int, *, steps: int = 1) -> int:
        self._budget -= steps
        if self._budget < 0 or total > self._limit:
            raise TooComplexError
        return total
