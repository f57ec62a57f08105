"""`Outbox`: events go out in the order in which they were committed, until somebody says that they went.

The fixture `store` answers a fresh, empty `Store`.
"""

from toolgate.testing.contracts.records import NOON, Store, record_of


async def waiting_types(store: Store, *, limit: int = 100) -> list[str]:
    return [event.event_type for _, event in await store.outbox.pending(limit=limit)]


async def test_nothing_waits_at_first(store: Store) -> None:
    assert list(await store.outbox.pending()) == []


async def test_events_wait_from_their_record_on_and_come_back_byte_for_byte(store: Store) -> None:
    record = record_of(events=("invoked", "succeeded"))
    await store.log.record(record)
    assert [event.body for _, event in await store.outbox.pending()] == [event.body for event in record.events]


async def test_events_wait_in_the_order_of_their_commits(store: Store) -> None:
    for number in range(5):
        await store.log.record(record_of(events=(f"{number}a", f"{number}b")))
    pending = await store.outbox.pending()
    assert [event.event_type for _, event in pending] == [f"{n}{part}" for n in range(5) for part in "ab"]
    positions = [position for position, _ in pending]
    assert positions == sorted(set(positions))


async def test_a_fetch_takes_the_oldest_and_leaves_them(store: Store) -> None:
    await store.log.record(record_of(events=("1", "2", "3")))
    assert await waiting_types(store, limit=2) == ["1", "2"]
    assert await waiting_types(store, limit=2) == ["1", "2"]


async def test_what_was_delivered_is_gone_and_the_rest_stays_in_order(store: Store) -> None:
    await store.log.record(record_of(events=("1", "2", "3", "4")))
    positions = {event.event_type: position for position, event in await store.outbox.pending()}
    await store.outbox.mark_delivered([positions["2"], positions["3"]], now=NOON)
    assert await waiting_types(store) == ["1", "4"]
    await store.outbox.mark_delivered([positions["1"]], now=NOON)
    await store.log.record(record_of(events=("5",)))
    assert await waiting_types(store) == ["4", "5"]


async def test_marking_twice_or_in_vain_is_harmless(store: Store) -> None:
    await store.log.record(record_of(events=("1", "2")))
    first = (await store.outbox.pending())[0][0]
    await store.outbox.mark_delivered([], now=NOON)
    await store.outbox.mark_delivered([first, 10**9, -1], now=NOON)
    await store.outbox.mark_delivered([first], now=NOON + 1)
    assert await waiting_types(store) == ["2"]


async def test_a_position_is_never_given_again(store: Store) -> None:
    await store.log.record(record_of(events=("1", "2")))
    before = [position for position, _ in await store.outbox.pending()]
    await store.outbox.mark_delivered(before, now=NOON)
    await store.log.record(record_of(events=("3",)))
    ((after, event),) = await store.outbox.pending()
    assert event.event_type == "3"
    assert after > max(before)


async def test_a_hostile_tenant_cannot_keep_its_events_back(store: Store) -> None:
    await store.log.record(record_of(tenant_id="nul\0 and \ud800" + "x" * 1000, events=("1",)))
    assert await waiting_types(store) == ["1"]
