"""`InvocationHistory`: lists of what was recorded, newest first, narrowed by filters, in pages that miss nothing.

The fixture `store` answers a fresh, empty `Store`.
"""

import asyncio
from typing import Any

import pytest

from toolgate.errors import InvalidParameters, Kind
from toolgate.model.outcome import Outcome, Record
from toolgate.model.page import InvocationFilter, Page
from toolgate.testing.contracts.records import NOON, Store, failure_of, record_of, stored

EVERYTHING = InvocationFilter()


async def record_all(store: Store, *records: Record) -> None:
    await asyncio.gather(*(store.log.record(record) for record in records))


async def ids_of_all_pages(store: Store, wanted: InvocationFilter, *, limit: int) -> list[str]:
    found: list[str] = []
    page: Page[Outcome] = await store.history.list(wanted, limit=limit)
    found += [outcome.invocation_id for outcome in page.items]
    while page.next_cursor is not None:
        page = await store.history.list(wanted, limit=limit, cursor=page.next_cursor)
        assert 1 <= len(page.items) <= limit
        found += [outcome.invocation_id for outcome in page.items]
    return found


async def test_a_list_is_newest_first_whatever_the_order_of_recording(store: Store) -> None:
    records = [record_of(started_at=NOON + offset) for offset in (3, 1, 4, 1.5, 9, 2.6)]
    await record_all(store, *records)
    newest_first = sorted(records, key=lambda record: -record.outcome.invocation.started_at)
    assert (await store.history.list(EVERYTHING)).items == tuple(stored(record) for record in newest_first)


@pytest.mark.parametrize("limit", [1, 2, 7, 20, 100])
async def test_pages_show_everything_exactly_once(store: Store, limit: int) -> None:
    """Also calls that started in the same instant: the id decides their order."""
    records = [record_of(started_at=NOON + index // 5) for index in range(20)]
    await record_all(store, *records)
    key = {record.outcome.invocation_id: (record.outcome.invocation.started_at,) for record in records}
    expected = sorted(key, key=lambda invocation_id: (key[invocation_id], invocation_id), reverse=True)
    assert await ids_of_all_pages(store, EVERYTHING, limit=limit) == expected


async def test_a_page_that_is_exactly_full_is_the_last(store: Store) -> None:
    await record_all(store, *(record_of() for _ in range(3)))
    assert (await store.history.list(EVERYTHING, limit=3)).next_cursor is None
    assert (await store.history.list(EVERYTHING, limit=2)).next_cursor is not None


async def test_new_calls_do_not_disturb_the_pages_behind(store: Store) -> None:
    await record_all(store, *(record_of(started_at=NOON + index) for index in range(4)))
    first = await store.history.list(EVERYTHING, limit=2)
    await store.log.record(record_of(started_at=NOON + 100))
    second = await store.history.list(EVERYTHING, limit=2, cursor=first.next_cursor)
    assert [outcome.invocation.started_at for outcome in second.items] == [NOON + 1, NOON]


@pytest.mark.parametrize(
    ("name", "value"),
    [("tool_id", "t"), ("agent_did", "did:agent:x"), ("tenant_id", "x"), ("correlation_id", "trace-1")],
)
async def test_a_list_can_be_narrowed(store: Store, name: str, value: str) -> None:
    facts: dict[str, Any] = {name: value}
    wanted = [record_of(started_at=NOON + index, **facts) for index in range(3)]
    await record_all(store, *wanted, record_of(), record_of())
    expected = [record.outcome.invocation_id for record in reversed(wanted)]
    assert await ids_of_all_pages(store, InvocationFilter(**facts), limit=2) == expected


@pytest.mark.parametrize("kind", [Kind.SUCCESS, Kind.TIMEOUT, Kind.DENIED])
async def test_a_list_can_be_narrowed_to_a_kind(store: Store, kind: Kind) -> None:
    records = [failure_of(one, started_at=NOON + at) for at in range(3) for one in (Kind.TIMEOUT, Kind.DENIED)]
    records += [record_of(started_at=NOON + at) for at in range(3)]
    await record_all(store, *records)
    found = await ids_of_all_pages(store, InvocationFilter(kind=kind), limit=2)
    matching = [record.outcome for record in records if record.outcome.kind is kind]
    newest_first = sorted(matching, key=lambda outcome: -outcome.invocation.started_at)
    assert found == [outcome.invocation_id for outcome in newest_first]


async def test_conditions_of_a_filter_add_up(store: Store) -> None:
    wanted = record_of(tenant_id="t1", tool_id="a", agent_did="did:agent:x")
    others: list[dict[str, Any]] = [
        {"tenant_id": "t2", "tool_id": "a", "agent_did": "did:agent:x"},
        {"tenant_id": "t1", "tool_id": "b", "agent_did": "did:agent:x"},
        {"tenant_id": "t1", "tool_id": "a", "agent_did": "did:agent:y"},
    ]
    await record_all(store, wanted, *(record_of(**facts) for facts in others))
    asked = InvocationFilter(tenant_id="t1", tool_id="a", agent_did="did:agent:x", kind=Kind.SUCCESS)
    assert (await store.history.list(asked)).items == (stored(wanted),)


async def test_an_empty_history_is_an_empty_page(store: Store) -> None:
    assert await store.history.list(EVERYTHING) == Page(())


@pytest.mark.parametrize("limit", [0, -1])
async def test_a_page_has_at_least_one_row(store: Store, limit: int) -> None:
    with pytest.raises(InvalidParameters) as refusal:
        await store.history.list(EVERYTHING, limit=limit)
    assert refusal.value.errors[0].pointer == "/limit"


FORGED_CURSORS = [
    "",
    "garbage",
    "\0",
    "\ud800",
    "é",
    "=" * 40,
    "MTox",  # 1:1
    "MTotMTowMDAwMDAwMC0wMDAwLTAwMDAtMDAwMC0wMDAwMDAwMDAwMDA",  # a negative time
    "MTo5OTk5OTk5OTk5OTk5OTk5OTk6MDAwMDAwMDAtMDAwMC0wMDAwLTAwMDAtMDAwMDAwMDAwMDAw",  # the year 31000
    "MTowOicgT1IgMT0xIC0tICAgICAgICAgICAgICAgICAgICAgICAgICAg",  # SQL in the place of the id
    "x" * 100_000,
]


@pytest.mark.parametrize("cursor", FORGED_CURSORS)
async def test_a_forged_cursor_is_refused(store: Store, cursor: str) -> None:
    with pytest.raises(InvalidParameters) as refusal:
        await store.history.list(EVERYTHING, cursor=cursor)
    assert refusal.value.errors[0].pointer == "/cursor"


async def test_a_cursor_may_point_where_nothing_is(store: Store) -> None:
    await record_all(store, *(record_of(started_at=NOON + index) for index in range(3)))
    page = await store.history.list(EVERYTHING, limit=2)
    nobody = InvocationFilter(tenant_id="nobody")
    assert (await store.history.list(nobody, cursor=page.next_cursor)).items == ()
