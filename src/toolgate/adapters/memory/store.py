"""The store of a process that keeps nothing: history of the newest calls, the outbox, the tools.

`record` is on the path of every call, so it only files the record it is given; whatever costs is done by the reader.
Both the number of records and the bytes of their outputs are bounded, oldest first.
"""

import builtins
import heapq
from collections import deque
from collections.abc import Sequence
from itertools import islice

import msgspec

from toolgate.adapters.cursor import Cursor, check_limit, is_invocation_id
from toolgate.errors import IdempotencyConflict, StoreUnavailable
from toolgate.model.event import Event
from toolgate.model.manifest import ToolDefinition
from toolgate.model.outcome import Outcome, Record
from toolgate.model.page import InvocationFilter, Page

MAX_RECORDS = 10_000
MAX_HELD_BYTES = 256 * 1024 * 1024


class MemoryOutbox:
    """Implements `Outbox`. Events that nobody fetches give way to newer ones."""

    def __init__(self, *, max_events: int) -> None:
        self._events: deque[Event] = deque(maxlen=max_events)
        self._last_position = 0
        self._delivered: set[int] = set()

    def add(self, events: tuple[Event, ...]) -> None:
        self._events.extend(events)
        self._last_position += len(events)

    async def pending(self, *, limit: int = 100) -> Sequence[tuple[int, Event]]:
        waiting = enumerate(self._events, start=self._first_position)
        return list(islice((pair for pair in waiting if pair[0] not in self._delivered), limit))

    async def mark_delivered(self, positions: Sequence[int], *, now: float) -> None:
        first = self._first_position
        self._delivered.update(position for position in positions if first <= position <= self._last_position)
        while self._events and self._first_position in self._delivered:
            self._delivered.remove(self._first_position)
            self._events.popleft()
        if len(self._delivered) > len(self._events):  # marks of events that gave way
            self._delivered = {position for position in self._delivered if position >= self._first_position}

    @property
    def _first_position(self) -> int:
        return self._last_position - len(self._events) + 1


class MemoryInvocations:
    """Implements `InvocationLog` and `InvocationHistory` over one set of records."""

    def __init__(self, outbox: MemoryOutbox, *, max_records: int, max_held_bytes: int) -> None:
        self._add_events = outbox.add
        self._max_records = max_records
        self._max_held_bytes = max_held_bytes
        self._by_id: dict[str, Record] = {}
        # Each with the latest start of all calls up to it, so that a list of the newest knows when it may stop.
        self._filed: deque[tuple[float, str, int]] = deque()
        self._latest_start = 0.0
        self._held_bytes = 0
        self._closed = False

    async def record(self, record: Record) -> None:
        invocation, by_id = record.outcome.invocation, self._by_id
        invocation_id = invocation.invocation_id
        if invocation_id in by_id:
            raise IdempotencyConflict(what="invocation_id")
        if self._closed or not is_invocation_id(invocation_id):
            raise StoreUnavailable()
        if invocation.started_at > self._latest_start:
            self._latest_start = invocation.started_at
        by_id[invocation_id] = record
        # What is held for it, about: its parameters are in its first event, too.
        held_bytes = len(record.output or b"") + 2 * len(invocation.parameters)
        self._filed.append((self._latest_start, invocation_id, held_bytes))
        self._add_events(record.events)
        self._held_bytes += held_bytes
        while len(by_id) > self._max_records or self._held_bytes > self._max_held_bytes:
            _, oldest, freed_bytes = self._filed.popleft()
            del by_id[oldest]
            self._held_bytes -= freed_bytes

    async def get(self, invocation_id: str) -> Outcome | None:
        record = self._all().get(invocation_id)
        return None if record is None else _stored(record)

    async def exists(self, invocation_id: str) -> bool:
        return invocation_id in self._all()

    async def list(self, wanted: InvocationFilter, *, limit: int = 50, cursor: str | None = None) -> Page[Outcome]:
        self._all()
        limit, after = check_limit(limit), None if cursor is None else Cursor.decode(cursor)
        newest = self._newest(wanted, limit + 1, after=after)
        items = tuple(_stored(self._by_id[key.invocation_id]) for key in newest[:limit])
        return Page(items, newest[limit - 1].encode() if len(newest) > limit else None)

    def close(self) -> None:
        self._closed = True

    def _newest(self, wanted: InvocationFilter, count: int, *, after: Cursor | None) -> Sequence[Cursor]:
        """The keys of the newest calls that match, newest first."""
        heap: builtins.list[Cursor] = []
        for latest_start, invocation_id, _ in reversed(self._filed):
            record = self._by_id[invocation_id]
            if len(heap) == count and latest_start * 1_000_000 < heap[0].started_at_us - 1:
                break  # nothing that was filed before can be newer
            if not _matches(record, wanted):
                continue
            key = Cursor.of(record.outcome)
            if after is None or key < after:
                heapq.heappush(heap, key) if len(heap) < count else heapq.heappushpop(heap, key)
        return sorted(heap, reverse=True)

    def _all(self) -> dict[str, Record]:
        if self._closed:
            raise StoreUnavailable()
        return self._by_id


class MemoryToolStore:
    """Implements `ToolStore`."""

    def __init__(self) -> None:
        self._definitions: dict[str, ToolDefinition] = {}

    async def save(self, definitions: Sequence[ToolDefinition], *, now: float) -> None:
        self._definitions.update((definition.tool_id, definition) for definition in definitions)

    async def load(self) -> tuple[ToolDefinition, ...]:
        return tuple(self._definitions[tool_id] for tool_id in sorted(self._definitions))


class MemoryStore:
    def __init__(self, *, max_records: int = MAX_RECORDS, max_held_bytes: int = MAX_HELD_BYTES) -> None:
        self.outbox = MemoryOutbox(max_events=max_records)
        invocations = MemoryInvocations(self.outbox, max_records=max_records, max_held_bytes=max_held_bytes)
        self.log = invocations
        self.history = invocations
        self.tools = MemoryToolStore()

    async def close(self) -> None:
        self.log.close()


def _stored(record: Record) -> Outcome:
    """The outcome with the output as it was stored: redacted, and a copy that nobody else can change."""
    output = None if record.output is None else msgspec.json.decode(record.output)
    return msgspec.structs.replace(record.outcome, output=output)


def _matches(record: Record, wanted: InvocationFilter) -> bool:
    outcome, invocation = record.outcome, record.outcome.invocation
    return (
        (wanted.tool_id is None or wanted.tool_id == invocation.tool_id)
        and (wanted.agent_did is None or wanted.agent_did == invocation.agent_did)
        and (wanted.tenant_id is None or wanted.tenant_id == invocation.tenant_id)
        and (wanted.kind is None or wanted.kind is outcome.kind)
        and (wanted.correlation_id is None or wanted.correlation_id == invocation.correlation_id)
    )
