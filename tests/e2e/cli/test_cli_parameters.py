"""Parameters as people write them in a shell."""

import io
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolgate.surfaces.cli.complaint import CommandFailed
from toolgate.surfaces.cli.duration import parse_seconds
from toolgate.surfaces.cli.parameters import parse_parameters

names = st.text(st.characters(exclude_characters="=", exclude_categories=["Cs"]), min_size=1).filter(
    lambda name: not name.endswith(":")
)
texts = st.text(st.characters(exclude_categories=["Cs"])).filter(lambda text: not text.startswith("@"))
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(names, texts, max_size=5))
def test_text_arrives_as_it_was_written_whatever_it_looks_like(wanted: dict[str, str]) -> None:
    parsed = parse_parameters([f"{name}={text}" for name, text in wanted.items()])
    assert parsed.values == wanted
    assert parsed.written_as_text == set(wanted)


@given(st.dictionaries(names, values, max_size=5))
def test_json_arrives_as_the_value_it_stands_for(wanted: dict[str, Any]) -> None:
    items = [f"{name}:={json.dumps(value)}" for name, value in wanted.items()]
    assert parse_parameters(items).values == wanted
    assert parse_parameters([], document=json.dumps(wanted)).values == wanted


@given(st.lists(st.text(), max_size=4), st.none() | st.text())
def test_nothing_that_a_shell_can_pass_raises_anything_but_a_complaint(items: list[str], document: str | None) -> None:
    harmless = [item for item in items if "@" not in item]
    with suppress(CommandFailed):
        parse_parameters(harmless, document=None if document and document[0] in "@-" else document)


def test_a_number_written_with_a_plain_equals_sign_stays_text() -> None:
    assert parse_parameters(["a=1", "b:=1"]).values == {"a": "1", "b": 1}


def test_a_colon_or_an_equals_sign_in_the_value_is_part_of_the_value() -> None:
    assert parse_parameters(["url=http://x/?a:=1&b==2"]).values == {"url": "http://x/?a:=1&b==2"}


def test_files_are_read_as_text_or_as_json(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text(" 1\n")
    (tmp_path / "a.json").write_text("[1]")
    parsed = parse_parameters([f"a=@{tmp_path}/a.txt", f"b:=@{tmp_path}/a.json"])
    assert parsed.values == {"a": " 1\n", "b": [1]}


def test_standard_input_can_hold_all_parameters_and_items_stand_above_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"a": 1, "b": 2}')))
    assert parse_parameters(["b=x"], document="-").values == {"a": 1, "b": "x"}


@pytest.mark.parametrize(
    "item",
    [
        "text",
        "=x",
        "a:={",
        "a:=NaN",
        "a=\udcff",
        "a=@/no/such/file",
        "a=@/dev/zero",
        "a=@/",
        "a=@\0",
        "a:=" + "[" * 100_000,
    ],
)
def test_hostile_items_are_refused(item: str) -> None:
    with pytest.raises(CommandFailed):
        parse_parameters([item])


def test_a_name_given_twice_is_refused() -> None:
    with pytest.raises(CommandFailed, match="twice"):
        parse_parameters(["a=1", "a:=1"])


def test_what_is_not_utf_8_is_not_text(tmp_path: Path) -> None:
    (tmp_path / "raw").write_bytes(b"\xff")
    with pytest.raises(CommandFailed, match="UTF-8"):
        parse_parameters([f"a=@{tmp_path}/raw"])


@pytest.mark.parametrize(
    ("text", "seconds"), [("90", 90), ("1.5s", 1.5), ("500ms", 0.5), ("15m", 900), ("2h", 7200), ("1d", 86_400)]
)
def test_lengths_of_time_have_units(text: str, seconds: float) -> None:
    assert parse_seconds(text, option="--timeout") == pytest.approx(seconds)


@given(st.text().filter(lambda text: not text[:1].isdigit()))
def test_anything_else_is_no_length_of_time(text: str) -> None:
    with pytest.raises(CommandFailed):
        parse_seconds(text, option="--timeout")


@pytest.mark.parametrize("text", ["1 h", "-1", "1e9", "inf", "nan", "9" * 100, "٣s", "1h\n"])
def test_numbers_that_only_look_like_time_are_refused(text: str) -> None:
    with pytest.raises(CommandFailed):
        parse_seconds(text, option="--timeout")
