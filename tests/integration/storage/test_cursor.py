"""Cursors come back from strangers."""

from hypothesis import given
from hypothesis import strategies as st

from toolgate.adapters.cursor import Cursor
from toolgate.errors import InvalidParameters

cursors = st.builds(Cursor, st.integers(0, 2**53 - 1), st.uuids().map(str))


@given(cursors)
def test_a_cursor_survives_its_text(cursor: Cursor) -> None:
    assert Cursor.decode(cursor.encode()) == cursor


def decode_or_refuse(text: str) -> Cursor | InvalidParameters:
    try:
        return Cursor.decode(text)
    except InvalidParameters as refusal:
        return refusal


@given(cursors, st.integers(0, 100), st.characters())
def test_a_damaged_cursor_is_another_cursor_or_refused(cursor: Cursor, at: int, letter: str) -> None:
    text = cursor.encode()
    damaged = text[: at % len(text)] + letter + text[at % len(text) + 1 :]
    found = decode_or_refuse(damaged)
    assert found.started_at if isinstance(found, Cursor) else found.errors[0].pointer == "/cursor"


@given(st.text())
def test_any_text_is_read_or_refused(text: str) -> None:
    found = decode_or_refuse(text)
    assert isinstance(found, Cursor) or found.facts == {"summary": "the cursor cannot be read"}


@given(cursors, cursors)
def test_cursors_sort_like_the_text_that_is_stored(one: Cursor, other: Cursor) -> None:
    assert (one < other) == ((one.started_at, one.invocation_id) < (other.started_at, other.invocation_id))
