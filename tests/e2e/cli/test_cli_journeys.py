"""The journeys of a command-line user, each through the real process."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

MY_TOOLS = '''
import asyncio
import os
from toolgate import tool

print("printed while importing")

@tool(effect="pure")
def add(a: int, b: int = 2) -> int:
    """Add two integers."""
    print("printed by the tool")
    os.write(1, b"written to the descriptor by the tool\\n")
    return a + b

@tool
async def wait_forever() -> str:
    print("waiting", flush=True)
    await asyncio.Event().wait()
    return ""
'''


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which a user works: their tools, and the records of what they did."""
    directory = tmp_path_factory.mktemp("home")
    (directory / "mytools.py").write_text(MY_TOOLS)
    return directory


def test_the_output_of_a_call_is_all_that_stdout_gets(toolgate: Any, home: Path) -> None:
    ended = toolgate("call", "echo", "text=héllo", cwd=home)
    assert (ended.code, ended.out) == (0, "héllo\n")
    assert "✓ success  echo@1.0.0" in ended.err


def test_a_tool_that_prints_cannot_corrupt_the_data(toolgate: Any, home: Path) -> None:
    ended = toolgate("call", "add", "a:=1", "b:=2", "--tools", "mytools.py", cwd=home)
    assert (ended.code, ended.out) == (0, "3\n")
    for printed in ("while importing", "by the tool", "to the descriptor"):
        assert printed in ended.err


def test_json_prints_the_response_of_the_layer_wherever_the_option_stands(toolgate: Any, home: Path) -> None:
    before = toolgate("--json", "call", "echo", "text=x", cwd=home)
    behind = toolgate("call", "echo", "--params", "-", "--json", cwd=home, stdin='{"text": "x"}')
    for ended in (before, behind):
        assert (ended.code, ended.err) == (0, "")
        assert ended.data["status"] == "success"
        assert ended.data["result"] == "x"
        assert ended.data["execution_metadata"]["tool_version"] == "1.0.0"


def test_ctrl_c_ends_a_call_and_leaves_a_record(toolgate: Any, home: Path) -> None:
    with toolgate.start("call", "wait_forever", "--tools", "mytools.py", cwd=home) as process:
        assert any(line == "waiting\n" for line in process.stderr)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (130, "")
    assert "Traceback" not in err
    recorded = toolgate("inv", "ls", "--tool", "wait_forever", "--kind", "cancelled", "--json", cwd=home)
    assert len(recorded.data) == 1


def test_doctor_finds_a_fresh_directory_healthy_and_a_readable_key_sick(toolgate: Any, tmp_path: Path) -> None:
    healthy = toolgate("doctor", "--json", cwd=tmp_path)
    levels = {finding["check"]: finding["level"] for finding in healthy.data}
    assert healthy.code == 0
    assert levels["keys"] == levels["store"] == levels["runner in_process"] == "ok"
    assert levels["runner local"] == "warn"
    (tmp_path / ".toolgate" / "signing-key.pem").chmod(0o644)
    sick = toolgate("doctor", cwd=tmp_path)
    assert sick.code == 1
    assert "→ chmod 600 .toolgate/signing-key.pem" in sick.out


def test_the_demo_goes_as_it_should_and_leaves_nothing_behind(toolgate: Any, tmp_path: Path) -> None:
    ended = toolgate("demo", cwd=tmp_path, TMPDIR=str(tmp_path))
    assert (ended.code, list(tmp_path.iterdir())) == (0, [])
    for expected in ("42", "/b  must be integer", "E3204", "E3103", "envelope"):
        assert expected in ended.out


def test_a_reader_that_goes_away_is_no_error(toolgate: Any, home: Path) -> None:
    with toolgate.start("tools", "ls", cwd=home) as process:
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 141


def test_help_loads_nothing_heavy() -> None:
    program = (
        "import sys; from toolgate.surfaces.cli.app import run; run(['--help']);"
        "heavy = {'toolgate.app', 'rich', 'sqlalchemy', 'uvicorn', 'pydantic', 'msgspec', 'asyncio'};"
        "sys.exit(', '.join(heavy & sys.modules.keys()) or 0)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert "toolgate call echo text=hello" in done.stdout
