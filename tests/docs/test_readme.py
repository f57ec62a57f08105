"""The README's tour is typed in as it stands, and must answer as it says. `…` in it stands for anything."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


def matches(said: str, expected: str) -> bool:
    pattern = ".*".join(re.escape(part) for part in expected.split("…"))
    return re.fullmatch(pattern, said) is not None


def assert_says(output: str, expected: str) -> None:
    lines, wanted = output.rstrip("\n").splitlines(), expected.rstrip("\n").splitlines()
    assert len(lines) == len(wanted), output
    for said, line in zip(lines, wanted, strict=True):
        assert matches(said.rstrip(), line.rstrip()), f"{said!r} is not {line!r}"


def run(command: list[str], cwd: Path) -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TOOLGATE_")}
    environment |= {"COLUMNS": "160", "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, env=environment, timeout=60, check=False)
    return done.stdout + done.stderr


def test_the_python_tour_prints_what_the_page_says(tmp_path: Path) -> None:
    (source,), (expected,) = blocks("python"), blocks("text")
    script = tmp_path / "tour.py"
    script.write_text(source)
    assert_says(run([sys.executable, str(script)], tmp_path), expected)


def test_the_console_tour_answers_what_the_page_says(tmp_path: Path) -> None:
    (session,) = blocks("console")
    bin_dir = Path(sys.executable).parent
    for typed, expected in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", session, re.MULTILINE):
        command = ["bash", "-c", f'PATH="{bin_dir}:$PATH"; {typed}']
        assert_says(run(command, tmp_path), expected)


@pytest.mark.parametrize("link", sorted(set(re.findall(r"\]\(([^)#:]+)\)", README))))
def test_every_link_of_the_readme_leads_somewhere(link: str) -> None:
    assert (ROOT / link).exists()
