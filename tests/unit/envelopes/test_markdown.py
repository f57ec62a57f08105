"""Untrusted text inside Markdown: whatever it is, a reader gets it back as text."""

import json

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from toolgate.envelopes.markdown import CHARACTER_LIMIT, LINE_LIMIT, fenced, head, inline, quoted

hostile = st.text(alphabet="`~#-= \n\t[](<a>!*_\\\"'", max_size=60) | st.text(st.characters(codec=None), max_size=60)


@given(hostile)
def test_a_quoted_text_is_one_line_that_json_and_yaml_read_alike(text: str) -> None:
    scalar = quoted(text)
    assert len(scalar.splitlines()) == 1
    assert json.loads(scalar) == text
    assert yaml.safe_load(f"key: {scalar}") == {"key": text}


@given(hostile)
@example("a`b``c")
@example("[click](javascript:alert(1)) <img src=x onerror=alert(1)>")
def test_inline_text_is_code_and_nothing_else(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(f"- Label: {inline(text)}")
    (content,) = (token for token in tokens if token.type == "inline")
    assert [child.type for child in content.children or []] == ["text", "code_inline"]


@given(hostile)
@example("```\n## Forged\n```")
@example("`" * 7)
def test_a_fenced_text_is_one_block_whose_fence_is_longer_than_any_inside(text: str) -> None:
    block = fenced(text)
    tokens = MarkdownIt("commonmark").parse(f"{block}\n\nafter")
    assert [token.type for token in tokens][:2] == ["fence", "paragraph_open"]
    fence = block.partition("text\n")[0]
    assert set(fence) == {"`"}
    assert fence not in tokens[0].content


def test_honest_text_is_shown_as_it_is() -> None:
    assert fenced("a | b; it's 100 % *fine*\n\tindented — ünïcode") == (
        "```text\na | b; it's 100 % *fine*\n\tindented — ünïcode\n```"
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a\r\nb", "a\nb"), ("a\rb", "a\\u000db"), ("\x1b[31m", "\\u001b[31m"), ("\u202eevil", "\\u202eevil")],
)
def test_terminal_escapes_and_text_direction_tricks_are_shown_not_played(text: str, shown: str) -> None:
    assert shown in fenced(text)


@pytest.mark.parametrize("lines", [0, 1, LINE_LIMIT, LINE_LIMIT + 1, 3 * LINE_LIMIT])
def test_the_head_is_the_first_lines(lines: int) -> None:
    text = "".join(f"{number}\n" for number in range(lines))
    shown, is_cut = head(text)
    assert shown.split() == [str(number) for number in range(min(lines, LINE_LIMIT))]
    assert is_cut is (lines > LINE_LIMIT)


def test_the_head_of_one_long_line_is_bounded() -> None:
    shown, is_cut = head("x" * (CHARACTER_LIMIT + 1))
    assert (len(shown), is_cut) == (CHARACTER_LIMIT, True)
