"""The pages' snippets are run as they stand and must print what the page says (`…` stands for anything). Links lead
somewhere, headings included.
"""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
LINKING = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]

# A body is made of lines that do not begin a fence, so that one block can never swallow the next.
_BODY = r"((?:(?!```).*\n)*)"
_SNIPPET = re.compile(rf"^```python\n{_BODY}```\n\n```(?:text|json)\n{_BODY}```$", re.MULTILINE)
_BLOCK = re.compile(rf"^```.*\n{_BODY}```$", re.MULTILINE)
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


class Snippet(NamedTuple):
    page: str
    line: int
    source: str
    expected: str


class Link(NamedTuple):
    page: Path
    target: str


def _snippets() -> Iterator[Snippet]:
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        for found in _SNIPPET.finditer(text):
            yield Snippet(page.name, text.count("\n", 0, found.start()) + 1, found[1], found[2])


def _links() -> Iterator[Link]:
    for page in LINKING:
        for target in _LINK.findall(_BLOCK.sub("", page.read_text(encoding="utf-8"))):
            if not re.match(r"[a-z]+:", target):
                yield Link(page, target)


def _anchors(page: Path) -> set[str]:
    headings = _HEADING.findall(_BLOCK.sub("", page.read_text(encoding="utf-8")))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def _is_as_expected(said: str, expected: str) -> bool:
    return re.fullmatch(".*".join(map(re.escape, expected.split("…"))), said) is not None


def _run(snippet: Snippet, directory: Path) -> subprocess.CompletedProcess[str]:
    script = directory / "snippet.py"
    script.write_text(snippet.source, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLGATE_")}
    return subprocess.run(
        [sys.executable, script.name],
        cwd=directory,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


SNIPPETS, LINKS = list(_snippets()), list(_links())


@pytest.mark.parametrize("snippet", SNIPPETS, ids=lambda snippet: f"{snippet.page}:{snippet.line}")
def test_a_snippet_prints_what_its_page_says(snippet: Snippet, tmp_path: Path) -> None:
    done = _run(snippet, tmp_path)
    assert done.returncode == 0, done.stderr
    said, expected = done.stdout.splitlines(), snippet.expected.splitlines()
    assert len(said) == len(expected), done.stdout
    for line, wanted in zip(said, expected, strict=True):
        assert _is_as_expected(line, wanted), f"{line!r} is not {wanted!r}"


@pytest.mark.parametrize("page", ["observability", "permissions", "registry", "sandbox", "storage", "validation"])
def test_every_component_page_has_a_snippet_that_runs(page: str) -> None:
    assert any(snippet.page == f"{page}.md" for snippet in SNIPPETS)


@pytest.mark.parametrize("link", LINKS, ids=lambda link: f"{link.page.relative_to(ROOT)}:{link.target}")
def test_every_relative_link_leads_somewhere(link: Link) -> None:
    path, _, anchor = link.target.partition("#")
    target = (link.page.parent / path).resolve() if path else link.page
    assert target.exists()
    assert not anchor or anchor in _anchors(target)


def test_the_index_names_every_page() -> None:
    named = {link.target for link in LINKS if link.page == DOCS / "README.md"}
    assert {page.name for page in PAGES} - {"README.md"} <= named
