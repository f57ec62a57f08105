"""The texts of the specifications, where they lie beside the checkout. The checked-in lists hold without them."""

from collections.abc import Callable
from pathlib import Path

import pytest

HERE = Path(__file__).resolve().parent
SPEC = HERE.parents[1].parent / "shared" / "spec"

ReadSpec = Callable[[str], str | None]
ReadList = Callable[[str], dict[str, list[str]]]


@pytest.fixture(scope="session")
def read_spec() -> ReadSpec:
    """The text of one specification; None where only the product was checked out."""

    def read(name: str) -> str | None:
        path = SPEC / name
        return path.read_text(encoding="utf-8") if path.is_file() else None

    return read


@pytest.fixture(scope="session")
def read_list() -> ReadList:
    """A checked-in list: `[section]` lines, one entry a line, `#` for remarks."""

    def read(name: str) -> dict[str, list[str]]:
        sections: dict[str, list[str]] = {}
        entries: list[str] = []
        for line in (HERE / name).read_text(encoding="utf-8").splitlines():
            if line.startswith("["):
                entries = sections[line.strip("[]")] = []
            elif line and not line.startswith("#"):
                entries.append(line)
        return sections

    return read
