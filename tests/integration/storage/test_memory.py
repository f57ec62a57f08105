"""The memory store keeps the newest and forgets the rest."""

from toolgate.adapters.memory.store import MemoryStore
from toolgate.model.page import InvocationFilter
from toolgate.testing.contracts.records import NOON, record_of


async def test_the_oldest_records_and_events_give_way() -> None:
    store = MemoryStore(max_records=3)
    records = [record_of(started_at=NOON + index, events=(str(index),)) for index in range(5)]
    for record in records:
        await store.log.record(record)
    page = await store.history.list(InvocationFilter())
    assert [outcome.invocation.started_at for outcome in page.items] == [NOON + 4, NOON + 3, NOON + 2]
    assert await store.history.get(records[0].outcome.invocation_id) is None
    assert [event.event_type for _, event in await store.outbox.pending()] == ["2", "3", "4"]


async def test_large_outputs_give_way_sooner() -> None:
    store = MemoryStore(max_held_bytes=1000)
    records = [record_of(output=b'"' + b"x" * 398 + b'"') for _ in range(5)]
    for record in records:
        await store.log.record(record)
    kept = [await store.history.exists(record.outcome.invocation_id) for record in records]
    assert kept == [False, False, False, True, True]


async def test_an_output_that_is_too_large_for_the_store_is_recorded_and_forgotten() -> None:
    store = MemoryStore(max_held_bytes=80)
    await store.log.record(record_of(output=b'"' + b"x" * 100 + b'"'))
    await store.log.record(record_of(output=b"1"))
    assert len((await store.history.list(InvocationFilter())).items) == 1


async def test_marks_of_events_that_gave_way_are_forgotten_too() -> None:
    store = MemoryStore(max_records=10)
    for _ in range(50):
        await store.log.record(record_of(events=("a", "b")))
        (_, _), (second, _) = (await store.outbox.pending())[:2]
        await store.outbox.mark_delivered([second], now=NOON)
    assert len(await store.outbox.pending()) <= 10


async def test_a_slow_call_is_listed_where_it_started() -> None:
    """It is recorded last, and began first."""
    store = MemoryStore()
    await store.log.record(record_of(started_at=NOON + 5))
    await store.log.record(record_of(started_at=NOON + 6))
    await store.log.record(record_of(started_at=NOON))
    page = await store.history.list(InvocationFilter(), limit=1)
    assert page.items[0].invocation.started_at == NOON + 6
    page = await store.history.list(InvocationFilter(), limit=2, cursor=page.next_cursor)
    assert [outcome.invocation.started_at for outcome in page.items] == [NOON + 5, NOON]
