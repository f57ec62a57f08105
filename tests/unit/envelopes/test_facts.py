"""Facts of any Python type become JSON, and say no more than they should."""

import enum
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.envelopes.facts import DEPTH_LIMIT, details_of, plain, retry_after_ms
from toolgate.errors import RateLimitExceeded, ToolExecutionFailed
from toolgate.model.outcome import Failure
from toolgate.testing.strategies import json_values


class Colour(enum.Enum):
    RED = "red"


class Secretive:
    def __repr__(self) -> str:
        return "password=hunter2"


@pytest.mark.parametrize(
    ("fact", "shown"),
    [
        (Colour.RED, "red"),
        ({"b"}, ["b"]),
        (datetime(2026, 1, 1, tzinfo=UTC), "2026-01-01T00:00:00+00:00"),
        (timedelta(seconds=2), 2.0),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (float("nan"), None),
        (2**80, "<integer>"),
        ("\ud800", "?"),
        ({1: (b"raw",)}, {"1": ["<bytes>"]}),
    ],
)
def test_a_fact_of_another_type_is_told_in_json(fact: Any, shown: Any) -> None:
    assert plain(fact) == shown


def test_an_objects_repr_is_never_asked() -> None:
    assert "hunter2" not in str(details_of(Failure.of(ToolExecutionFailed(exception="X", thing=Secretive()))))


def test_a_fact_that_contains_itself_ends() -> None:
    loop: list[Any] = []
    loop.append(loop)
    assert orjson.dumps(plain(loop)).count(b"[") == DEPTH_LIMIT


@pytest.mark.parametrize(("said", "wait"), [(250.2, 251), (-5, 0), (True, None), ("soon", None), (float("inf"), None)])
def test_the_wait_is_a_whole_number_of_milliseconds_or_unknown(said: Any, wait: int | None) -> None:
    assert retry_after_ms(Failure.of(RateLimitExceeded(scope="x", retry_after_ms=said))) == wait


@given(json_values)
def test_json_stays_as_it_is(value: Any) -> None:
    assert plain(value, depth=64) == value


@given(
    st.recursive(
        st.binary()
        | st.text(st.characters(codec=None))
        | st.integers()
        | st.floats()
        | st.dates()
        | st.complex_numbers(),
        lambda inner: st.lists(inner) | st.dictionaries(st.integers() | st.text(), inner) | st.tuples(inner),
        max_leaves=8,
    )
)
def test_any_fact_can_be_encoded(value: Any) -> None:
    orjson.dumps(plain(value))
