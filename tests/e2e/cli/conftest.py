"""Runs the real command as its own process, the way a user does, or (much faster) inside this one."""

import asyncio
import json
import logging
import os
import shutil
import subprocess
import sys
from collections.abc import Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolgate import Toolgate

DEADLINE_SECONDS = 60


@dataclass(frozen=True)
class Ended:
    """How a run of the command ended."""

    code: int
    out: str
    err: str

    @property
    def data(self) -> Any:
        return json.loads(self.out)


class Command:
    """`toolgate …` as a process, in a clean environment."""

    environment = {name: value for name, value in os.environ.items() if not name.startswith("TOOLGATE_")}  # noqa: RUF012

    def __call__(self, *arguments: str, cwd: Path, stdin: str = "", **environment: str) -> Ended:
        """Run it and wait for its end."""
        done = subprocess.run(
            self.line(*arguments),
            cwd=cwd,
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            env={**self.environment, **environment},
            timeout=DEADLINE_SECONDS,
            check=False,
        )
        return Ended(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, cwd: Path) -> "subprocess.Popen[str]":
        return subprocess.Popen(
            self.line(*arguments),
            cwd=cwd,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def line(self, *arguments: str) -> list[str]:
        return [sys.executable, "-m", "toolgate", *arguments]


@pytest.fixture(scope="session")
def toolgate() -> Command:
    return Command()


@pytest.fixture(scope="session")
def prepared_dir(signing_key_dir: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data directory whose keys are made and whose database is migrated: both take longer than most tests."""
    directory = tmp_path_factory.mktemp("prepared") / "data"
    shutil.copytree(signing_key_dir, directory)
    directory.chmod(0o700)

    async def open_once() -> None:
        async with Toolgate(settings={"data_dir": str(directory)}):
            pass

    asyncio.run(open_once())
    return directory


@pytest.fixture
def data_dir(tmp_path: Path, prepared_dir: Path) -> Path:
    return shutil.copytree(prepared_dir, tmp_path / "data")


@pytest.fixture
def fresh_process_state(monkeypatch: pytest.MonkeyPatch) -> Generator[None]:
    """A command changes its process; a test that runs one inside its own puts things back."""
    logger = logging.getLogger("toolgate")
    before = logger.handlers, logger.propagate, logger.level
    modules = set(sys.modules)
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [name for name in os.environ if name.startswith("TOOLGATE_")]:
        monkeypatch.delenv(name)
    yield
    logger.handlers, logger.propagate = before[:2]
    logger.setLevel(before[2])
    for name in sys.modules.keys() - modules:
        if name.startswith("toolgate_tools_"):
            del sys.modules[name]


class InProcess:
    """The same command without the cost of a process: for tests that need many runs."""

    def __init__(self, capsys: pytest.CaptureFixture[str], data_dir: Path) -> None:
        self._capsys = capsys
        self._data_dir = data_dir

    def __call__(self, *arguments: str) -> Ended:
        from toolgate.surfaces.cli.app import run

        options = () if "--data-dir" in arguments else ("--data-dir", str(self._data_dir))
        self._capsys.readouterr()
        code = run([*options, *arguments])
        captured = self._capsys.readouterr()
        return Ended(code, captured.out, captured.err)


@pytest.fixture
def run(
    capsys: pytest.CaptureFixture[str],
    data_dir: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    fresh_process_state: None,
) -> InProcess:
    monkeypatch.chdir(tmp_path)
    return InProcess(capsys, data_dir)
