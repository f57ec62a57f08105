"""RFC 3339 text and back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.model.timestamp import parse_rfc3339, rfc3339

moments = st.floats(min_value=0, max_value=4_000_000_000)


@given(moments)
def test_a_timestamp_reads_back_to_the_microsecond(epoch: float) -> None:
    assert parse_rfc3339(rfc3339(epoch)) == pytest.approx(epoch, abs=1e-6)


@given(moments, moments)
def test_text_sorts_like_time(one: float, other: float) -> None:
    earlier, later = sorted((one, other))
    assert rfc3339(earlier) <= rfc3339(later)


def test_a_fraction_that_rounds_up_carries_into_the_second() -> None:
    assert rfc3339(1_763_176_000.9999999) == "2025-11-15T03:06:41.000000Z"


@pytest.mark.parametrize("text", ["", "yesterday", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z"])
def test_a_text_without_a_zone_or_a_date_is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_rfc3339(text)
