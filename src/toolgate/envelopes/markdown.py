"""Untrusted text inside a Markdown document: quoted scalars, inline code and fences that no content can break out of.

A fence is longer than any run of its character inside it, which is enough for a Markdown reader. A line that looks
like structure (a heading, a rule, a fence, front matter) is moved in as well, so that a reader who ignores fences, or
greps, is not fooled either. Control characters are shown, never passed on: a terminal may read the document.
"""

import json
import re
from typing import Final

LINE_LIMIT: Final = 200
CHARACTER_LIMIT: Final = 65_536

# C0, DEL, C1, line and paragraph separators, bidirectional overrides, byte order mark, non-characters, surrogates.
_UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)
_BACKTICKS: Final = re.compile("`+")
_STRUCTURE: Final = re.compile(r"^[ \t]{0,3}(?=#|-{3}|={3}|_{3}|\*{3}|`{3}|~{3}|\.{3})", re.MULTILINE)


def quoted(text: str) -> str:
    """The text as one JSON string, which is also a YAML double-quoted scalar. Always a single line."""
    return _UNPRINTABLE.sub(_escape, json.dumps(text, ensure_ascii=False))


def inline(text: str) -> str:
    """The text, quoted, as inline code: no link, no HTML and no line break can come of it."""
    body = quoted(text)
    ticks = "`" * (_longest_run(body) + 1)
    # A code span that touches its own delimiter needs the space that Markdown strips again; quotes keep it away.
    return f"{ticks}{body}{ticks}"


def fenced(text: str, *, language: str = "text") -> str:
    """The text as a code block."""
    body = _STRUCTURE.sub("    ", visible(text).removesuffix("\n"))
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}{language}\n{body}\n{fence}" if body else f"{fence}{language}\n{fence}"


def visible(text: str) -> str:
    """The text with Unix line ends and its control characters written out."""
    return _UNPRINTABLE.sub(_escape, text.replace("\r\n", "\n"))


def head(text: str) -> tuple[str, bool]:
    """The first lines of a text, and whether anything was left out."""
    lines = text.split("\n", LINE_LIMIT)
    cut = "\n".join(lines[:LINE_LIMIT])[:CHARACTER_LIMIT]
    return cut, len(cut) < len(text.rstrip("\n"))


def _escape(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in _BACKTICKS.findall(text)), default=0)
