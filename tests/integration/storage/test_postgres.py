"""PostgreSQL under trouble: what waits is answered, what was answered is stored, and it goes on afterwards."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator

import asyncpg
import msgspec
import pytest

from toolgate.adapters.postgres.store import PostgresStore
from toolgate.errors import IdempotencyConflict, StoreUnavailable
from toolgate.model.page import InvocationFilter
from toolgate.model.run import Usage
from toolgate.testing.contracts.records import NOON, record_of
from toolgate.testing.postgres_server import postgres_server

EVERYTHING = InvocationFilter()


@pytest.fixture
async def store(postgres_url: str) -> AsyncIterator[PostgresStore]:
    store = await PostgresStore.open(postgres_url)
    yield store
    await store.close()


async def test_callers_that_wait_together_share_commits(store: PostgresStore) -> None:
    await asyncio.gather(*(store.log.record(record_of(events=("a", "b"))) for _ in range(400)))
    assert store.commits < 40
    assert len(await store.outbox.pending(limit=1000)) == 800


async def test_events_of_one_call_stay_together_in_order(store: PostgresStore) -> None:
    await asyncio.gather(*(store.log.record(record_of(events=("1", "2", "3"))) for _ in range(200)))
    by_call: dict[str, list[str]] = {}
    for _, event in await store.outbox.pending(limit=1000):
        by_call.setdefault(event.invocation_id, []).append(event.event_type)
    assert set(map(tuple, by_call.values())) == {("1", "2", "3")}


async def test_a_record_that_cannot_be_stored_fails_alone(store: PostgresStore) -> None:
    records = [record_of() for _ in range(9)]
    records.insert(3, record_of(output=b"{not json"))
    too_much = record_of()
    outcome = msgspec.structs.replace(too_much.outcome, usage=Usage(cpu_ms=2**70))
    records.insert(6, msgspec.structs.replace(too_much, outcome=outcome))
    answers = await asyncio.gather(*(store.log.record(record) for record in records), return_exceptions=True)
    assert [index for index, answer in enumerate(answers) if type(answer) is StoreUnavailable] == [3, 6]
    assert len((await store.history.list(EVERYTHING)).items) == 9


async def test_two_instances_cannot_store_the_same_id(store: PostgresStore, postgres_url: str) -> None:
    other = await PostgresStore.open(postgres_url)
    records = [record_of(events=("e",)) for _ in range(50)]
    writes = [log.record(record) for record in records for log in (store.log, other.log)]
    answers = await asyncio.gather(*writes, return_exceptions=True)
    assert sorted(type(answer).__name__ for answer in answers) == ["IdempotencyConflict"] * 50 + ["NoneType"] * 50
    assert len(await store.outbox.pending()) == 50
    await other.close()


async def test_a_lost_connection_is_replaced(store: PostgresStore, postgres_url: str) -> None:
    await store.log.record(record_of())
    admin = await asyncpg.connect(postgres_url)
    await admin.fetch(
        "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity "
        "WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    await admin.close()
    record = record_of()
    try:
        await store.log.record(record)
    except StoreUnavailable:
        await store.log.record(record)
    assert await eventually_exists(store, record.outcome.invocation_id)


async def eventually_exists(store: PostgresStore, invocation_id: str) -> bool:
    """A pool may hand out connections that it does not know to be lost yet."""
    for _ in range(5):
        try:
            return await store.history.exists(invocation_id)
        except StoreUnavailable:
            continue
    return False


async def test_a_server_that_goes_down_is_unavailable_and_comes_back() -> None:
    with postgres_server() as server:
        store = await PostgresStore.open(server.url)
        before = record_of()
        await store.log.record(before)
        await asyncio.to_thread(server.stop)
        answers = await asyncio.gather(
            store.log.record(record_of()),
            store.history.get(before.outcome.invocation_id),
            store.outbox.pending(),
            store.tools.load(),
            return_exceptions=True,
        )
        assert {type(answer) for answer in answers} == {StoreUnavailable}
        await asyncio.to_thread(server.start)
        await store.log.record(record_of())
        assert await store.history.exists(before.outcome.invocation_id)
        await store.close()


async def test_more_callers_than_the_queue_holds_are_refused_at_once(postgres_url: str) -> None:
    store = await PostgresStore.open(postgres_url, max_waiting=10)
    answers = await asyncio.gather(*(store.log.record(record_of()) for _ in range(50)), return_exceptions=True)
    kept = [answer for answer in answers if answer is None]
    assert {type(answer) for answer in answers} == {StoreUnavailable, type(None)}
    assert len((await store.history.list(EVERYTHING, limit=100)).items) == len(kept)
    await store.close()


async def test_a_server_that_is_not_there_is_unavailable_without_its_password() -> None:
    with pytest.raises(StoreUnavailable) as refusal:
        await PostgresStore.open("postgresql://toolgate:hunter2@127.0.0.1:1/toolgate")
    seen = f"{refusal.value} {refusal.value!r} {refusal.value.facts} {refusal.value.__cause__!r}"
    assert "hunter2" not in seen


async def test_a_store_says_how_it_is_and_not_where(store: PostgresStore, postgres_url: str) -> None:
    assert postgres_url not in repr(store)
    assert "commits" in repr(store)


async def test_a_page_ends_before_it_holds_too_much_output(
    store: PostgresStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("toolgate.adapters.postgres.history.MAX_PAGE_BYTES", 2_500)
    output = msgspec.json.encode("x" * 998)
    for index in range(5):
        await store.log.record(record_of(output=output, started_at=NOON + index))
    page = await store.history.list(EVERYTHING)
    assert [outcome.invocation.started_at for outcome in page.items] == [NOON + 4, NOON + 3]
    assert page.next_cursor is not None


async def test_a_duplicate_that_arrives_while_the_first_is_under_way_is_refused(store: PostgresStore) -> None:
    record = record_of()
    answers = await asyncio.gather(*(store.log.record(record) for _ in range(10)), return_exceptions=True)
    assert [type(answer) for answer in answers] == [type(None)] + [IdempotencyConflict] * 9


def test_a_missing_driver_says_what_to_install() -> None:
    code = "import sys; sys.modules['asyncpg'] = None; import toolgate.adapters.postgres.store"
    failed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert "pip install toolgate[postgres]" in failed.stderr
