"""docs/errors.md is generated; it must say what the code says."""

import subprocess
import sys
from pathlib import Path

from toolgate.errors import by_number

ROOT = Path(__file__).resolve().parents[2]


def test_the_error_table_of_the_documentation_is_current() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "error_table.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr


def test_every_number_has_a_line() -> None:
    lines = (ROOT / "docs" / "errors.md").read_text(encoding="utf-8").splitlines()
    documented = {line.split(" | ")[0].removeprefix("| ") for line in lines if line.startswith("| E3")}
    assert documented == set(by_number())
