"""The folders are the architecture: these tests fail when a wall moves."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "toolgate"

ROOMS = {
    "model",
    "registry",
    "permissions",
    "resilience",
    "external",
    "sandbox",
    "validation",
    "results",
    "bridges",
    "audit",
    "engine",
    "envelopes",
    "adapters",
    "surfaces",
    "sdk",
    "testing",
}
TOP_LEVEL = {"__init__.py", "__main__.py", "app.py", "config.py", "errors.py", "ports.py", "py.typed"}

PROOF_OWNERS = {"Token": "permissions", "Grant": "permissions", "Permit": "resilience"}

MAX_LINES = 350
LONG_BY_NATURE = {"errors.py"}  # the table: one class a row


def modules() -> list[Path]:
    return sorted(SOURCE.rglob("*.py"))


def test_the_tree_is_the_designs_tree() -> None:
    assert {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"} == ROOMS
    assert {path.name for path in SOURCE.iterdir() if path.is_file()} == TOP_LEVEL


@pytest.mark.parametrize("proof", PROOF_OWNERS)
def test_only_its_owner_makes_a_proof(proof: str) -> None:
    makers = {
        path.relative_to(SOURCE).parts[0]
        for path in modules()
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == proof
    }
    assert makers <= {PROOF_OWNERS[proof]}


def test_every_module_says_what_it_is() -> None:
    silent = [str(path.relative_to(SOURCE)) for path in modules() if not ast.get_docstring(ast.parse(path.read_text()))]
    assert silent == []


def test_no_module_outgrows_its_noun() -> None:
    """Contract suites are tests that happen to ship: a list of cases may be long."""
    long = {
        str(path.relative_to(SOURCE))
        for path in modules()
        if "contracts" not in path.parts and len(path.read_text().splitlines()) > MAX_LINES
    }
    assert long <= LONG_BY_NATURE


def test_nobody_but_the_clock_asks_what_time_it_is() -> None:
    """Time comes from the Clock port; thread_time (a resource measurement) is not a clock."""
    asking = {
        str(path.relative_to(SOURCE))
        for path in modules()
        if "adapters/system_clock" not in str(path)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and (node.value.id, node.attr) in {("time", "time"), ("time", "monotonic"), ("datetime", "now")}
    }
    assert asking == set()
