"""Write docs/errors.md from the error classes, or (`--check`) say whether it is current.

python scripts/error_table.py [--check]
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from toolgate.errors import ToolgateError, by_number

PAGE = Path(__file__).resolve().parent.parent / "docs" / "errors.md"

HEAD = """\
# Errors

Every failure that Toolgate answers with. This page is generated from `src/toolgate/errors.py` by
`python scripts/error_table.py`.

* **Number** and **code** are stable: a number is never reused. In a problem document the type is
  `urn:toolgate:error:<number>`, or `urn:toolgate:error:<code>` where there is no number.
* **Category** is the envelope's taxonomy: category / code.
* **Retryable** says whether this *kind* of failure is passing. Whether one particular call may be sent again also
  depends on what it may have done already: `may_repeat` says so.
* A class is what the Python interfaces raise: `from toolgate.errors import …`.

| Number | Code | Class | HTTP | Category | Retryable | Meaning |
| --- | --- | --- | --- | --- | --- | --- |
"""


def rows() -> list[type[ToolgateError]]:
    """Every class that says what it means (the others only group them), by number, those without one last."""
    raised = [cls for cls in _family(ToolgateError) if cls.__doc__]
    return sorted(raised, key=lambda cls: (cls.number or "E9999", cls is not by_number().get(cls.number or "")))


def _family(cls: type[ToolgateError]) -> Iterator[type[ToolgateError]]:
    for child in cls.__subclasses__():
        yield child
        yield from _family(child)


def line(cls: type[ToolgateError]) -> str:
    cells = (
        cls.number or "–",
        f"`{cls.code}`",
        f"`{cls.__name__}`",
        str(cls.http_status),
        f"{cls.category} / {cls.taxonomy_code}",
        "yes" if cls.retryable else "no",
        re.sub(r"\s+", " ", cls.__doc__ or "").strip(),
    )
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"


def page() -> str:
    return HEAD + "".join(line(cls) for cls in rows())


def main(arguments: list[str]) -> int:
    if arguments == ["--check"]:
        current = PAGE.exists() and PAGE.read_text(encoding="utf-8") == page()
        if not current:
            print("docs/errors.md is out of date; run: python scripts/error_table.py", file=sys.stderr)
        return 0 if current else 1
    if arguments:
        print(__doc__, file=sys.stderr)
        return 2
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
