"""How much work can a schema cause? A kilobyte of `anyOf` over shared `$ref`s can ask for billions of steps.

The validator follows every reference anew, so the work for one value is the number of ways through the schema:
alternatives for the same value add up, and of the subschemas below it only those that the same member reaches count
together. For recursive references it remembers its answers, one memory for each way round. Where there are few ways
round, recursion is cheap at any depth; where there are many, values may only be so deep.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any, Final, NamedTuple

from toolgate.validation.json_value import MAX_DEPTH
from toolgate.validation.schema_graph import SchemaGraph

_MAX_ROUNDS: Final = 300
_BUDGET: Final = 500_000


class TooComplexError(ValueError):
    """The schema could keep a validator busy for longer than anybody should wait."""


class Expansion(NamedTuple):
    """The ways through a schema for values of depth 0, 1, 2 …; the last entry holds for all deeper ones.

    `max_depth` says how deep values may be; None stands for as deep as JSON.
    """

    ways: tuple[int, ...]
    max_depth: int | None

    def ways_at(self, depth: int) -> int:
        return self.ways[min(depth, len(self.ways) - 1)]


def expand(schema: dict[str, Any], *, limit: int) -> Expansion:
    """Count the ways through a schema.

    Raises:
        TooComplexError: for the simplest value there are more than `limit`, or it would take too long to count them.
    """
    graph = SchemaGraph(schema)
    if graph.size_of_tree is not None and graph.size_of_tree <= limit:
        return Expansion((graph.size_of_tree,), None)
    try:
        return _Counter(graph, limit=limit).expand(id(schema))
    except RecursionError as exc:
        raise TooComplexError from exc


class _Move(NamedTuple):
    """One level down: how often which subschemas apply, for every member and for each by its name."""

    base: int
    any_member: Counter[int]
    members: tuple[Counter[int], ...]

    @property
    def size(self) -> int:
        return 1 + len(self.any_member) + sum(map(len, self.members))

    @property
    def width(self) -> int:
        """How many ways lead down from here, for one member."""
        return self.any_member.total() + max((member.total() for member in self.members), default=0)

    def targets(self) -> Iterator[int]:
        return chain(self.any_member, *self.members)

    def ways(self, ways: Mapping[int, int]) -> int:
        of_any_member = sum(times * ways[node] for node, times in self.any_member.items())
        of_members = (sum(times * ways[node] for node, times in member.items()) for member in self.members)
        return self.base + of_any_member + max(of_members, default=0)


class _Counter:
    def __init__(self, graph: SchemaGraph, *, limit: int) -> None:
        self._graph = graph
        self._limit = limit
        self._budget = _BUDGET
        self._spreads: dict[int, Counter[int] | None] = {}
        self._explored: set[int] = set()
        self._circular: set[int] = set()
        self._recursive: set[int] = set()

    def expand(self, root: int) -> Expansion:
        self._explore(root)
        if any(self._rounds(node, set(), below=False) > _MAX_ROUNDS for node in self._circular):
            raise TooComplexError
        ways = self._ways_by_depth(root)
        if ways[0] > self._limit:
            raise TooComplexError
        is_bounded = ways[-1] <= self._limit or self._remembers_enough(root)
        return Expansion(ways, None if is_bounded else len(ways) - 2)

    def _explore(self, root: int) -> None:
        """Visit everything once; note the subschemas that are met again inside themselves."""
        path = {root: self._next(root)}
        while path:
            node, others = next(reversed(path.items()))
            other = next(others, None)
            if other is None:
                path.pop(node)
            elif other in path:
                self._recursive.add(other)
            elif other not in self._explored:
                path[other] = self._next(other)

    def _next(self, node: int) -> Iterator[int]:
        self._explored.add(node)
        self._spread(node)
        return iter(self._graph.successors(node, below=True))

    def _ways_by_depth(self, *roots: int) -> tuple[int, ...]:
        """The most ways from any of the roots for depth 0, 1, 2 …, until they stay or are beyond the limit."""
        moves = self._moves(roots)
        if all(move.width <= 1 for move in moves.values()):  # one way down from everywhere: the depth adds, at most
            most = max(move.base for move in moves.values())
            return tuple(most * (depth + 1) for depth in range(MAX_DEPTH + 1))
        ways = dict.fromkeys(moves, 0)
        by_depth: list[int] = []
        for _ in range(MAX_DEPTH + 1):
            before = ways
            ways = {node: move.ways(before) for node, move in moves.items()}
            self._budget -= sum(move.size for move in moves.values())
            by_depth.append(max(ways[root] for root in roots) if self._budget >= 0 else self._limit + 1)
            if ways == before or by_depth[-1] > self._limit:
                break
        return tuple(by_depth)

    def _moves(self, roots: tuple[int, ...]) -> dict[int, _Move]:
        moves: dict[int, _Move] = {}
        pending = list(roots)
        while pending:
            node = pending.pop()
            if node not in moves:
                moves[node] = self._move(node)
                self._spend(moves[node].size)
                pending.extend(moves[node].targets())
        return moves

    def _move(self, node: int) -> _Move:
        """From a subschema to those of its members. What has no members of its own is counted right here."""
        spread = self._spread(node)
        by_member: dict[str, Counter[int]] = {}
        leaves: Counter[str] = Counter()
        for other, times in spread.items():
            for member, below in self._graph.below(other):
                if any(map(self._graph.below, self._spread(below))):
                    by_member.setdefault(member, Counter())[below] += times
                else:
                    leaves[member] += times * self._spread(below).total()
        of_any_member = leaves.pop("", 0)
        base = spread.total() + of_any_member + max(leaves.values(), default=0)
        return _Move(base, by_member.pop("", Counter()), tuple(by_member.values()))

    def _spread(self, node: int) -> Counter[int]:
        """How often each subschema is applied to the same value as this one."""
        if node in self._spreads:
            known = self._spreads[node]
            if known is None:  # a circle that never gets to a member
                self._circular.add(node)
            return known or Counter()
        self._spreads[node] = None
        spread = Counter({node: 1})
        for other in self._graph.beside(node):
            spread.update(self._spread(other))
            self._spend(len(spread))
            if spread.total() > self._limit:
                raise TooComplexError
        self._spreads[node] = spread
        return spread

    def _remembers_enough(self, root: int) -> bool:
        """True if there are few ways round each recursion, and little work apart from the recursions."""
        self._budget = _BUDGET
        try:
            if any(self._rounds(node, set(), below=True) > _MAX_ROUNDS for node in self._recursive):
                return False
            return bool(self._recursive) and self._most_ways_apart(root) <= self._limit
        except (RecursionError, TooComplexError):
            return False

    def _most_ways_apart(self, root: int) -> int:
        apart = _Counter(self._graph.without(self._recursive), limit=self._limit)
        for node in (root, *self._recursive):
            apart._explore(node)
        return apart._ways_by_depth(root, *self._recursive)[-1]

    def _rounds(self, node: int, path: set[int], *, below: bool) -> int:
        """In how many ways one can walk until a subschema comes up for the second time. Stops beyond the limit."""
        self._budget -= 1
        if node in path or self._budget < 0:
            return 1 if self._budget >= 0 else _MAX_ROUNDS + 1
        path.add(node)
        rounds = 0
        for other in self._graph.successors(node, below=below):
            rounds += self._rounds(other, path, below=below)
            if rounds > _MAX_ROUNDS:
                break
        path.discard(node)
        return rounds

    def _spend(self, steps: int) -> None:
        self._budget -= steps
        if self._budget < 0:
            raise TooComplexError
