"""One mapping from what became of a call to what the process ends with."""

import re
from pathlib import Path

import pytest

from toolgate.errors import Kind
from toolgate.surfaces.cli.exit_codes import EXIT_CODES, ExitCode

NOT_FROM_AN_OUTCOME = {ExitCode.INTERRUPTED, ExitCode.BROKEN_PIPE}

PROMISED = {
    Kind.SUCCESS: 0,
    Kind.FAILED: 1,
    Kind.INVALID_INPUT: 2,
    Kind.NOT_FOUND: 3,
    Kind.DENIED: 4,
    Kind.APPROVAL: 5,
    Kind.RATE_LIMITED: 6,
    Kind.CIRCUIT_OPEN: 6,
    Kind.TIMEOUT: 7,
    Kind.INTERNAL: 8,
}


def test_every_kind_of_outcome_has_an_exit_code() -> None:
    assert EXIT_CODES.keys() == set(Kind)


def test_every_exit_code_is_reached_by_some_kind() -> None:
    assert set(EXIT_CODES.values()) == set(ExitCode) - NOT_FROM_AN_OUTCOME


@pytest.mark.parametrize(("kind", "code"), PROMISED.items())
def test_the_promised_codes_are_kept(kind: Kind, code: int) -> None:
    assert EXIT_CODES[kind] == code


def test_only_what_did_not_fail_ends_with_zero() -> None:
    assert {kind for kind, code in EXIT_CODES.items() if code == 0} == {Kind.SUCCESS, Kind.PENDING, Kind.RUNNING}


def test_the_documentation_has_the_same_table() -> None:
    page = (Path(__file__).parents[3] / "docs" / "cli.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d) \| [^|]+ \| ([\w, ]+)", page, re.MULTILINE)
    documented = {Kind(kind): int(code) for code, kinds in rows for kind in kinds.strip().split(", ")}
    assert documented == EXIT_CODES
