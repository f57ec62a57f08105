"""`KeyValue`: shared state, one contract for every adapter."""

from datetime import timedelta

import pytest

from toolgate.adapters.memory.key_value import MemoryKeyValue
from toolgate.ports import KeyValue
from toolgate.testing import FakeClock


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(params=["memory"])
def state(request: pytest.FixtureRequest, clock: FakeClock) -> KeyValue:
    return {"memory": MemoryKeyValue}[request.param](clock)


async def test_what_was_put_is_got(state: KeyValue) -> None:
    assert await state.get("k") is None
    await state.put("k", b"1")
    assert await state.get("k") == b"1"


async def test_what_was_deleted_is_gone(state: KeyValue) -> None:
    await state.put("k", b"1")
    await state.delete("k")
    await state.delete("k")
    assert await state.get("k") is None


async def test_an_entry_lives_as_long_as_its_ttl(state: KeyValue, clock: FakeClock) -> None:
    await state.put("k", b"1", ttl=timedelta(seconds=10))
    clock.advance(9.9)
    assert await state.get("k") == b"1"
    clock.advance(0.1)
    assert await state.get("k") is None


async def test_swap_refuses_when_the_value_has_moved_on(state: KeyValue) -> None:
    await state.put("k", b"2")
    assert not await state.swap("k", b"1", b"3")
    assert await state.swap("k", b"2", b"3")
    assert await state.get("k") == b"3"


async def test_swap_from_nothing_makes_an_entry_once(state: KeyValue) -> None:
    assert await state.swap("k", None, b"1")
    assert not await state.swap("k", None, b"2")


async def test_an_expired_entry_counts_as_nothing_for_swap(state: KeyValue, clock: FakeClock) -> None:
    await state.put("k", b"1", ttl=timedelta(seconds=1))
    clock.advance(1)
    assert await state.swap("k", None, b"2")
