"""Whatever a user (or who wrote their files) does: a complaint with a next step, the right code, never a traceback."""

from pathlib import Path
from typing import Any

import pytest

from toolgate.errors import ToolgateError, by_number
from toolgate.surfaces.cli.complaint import complaint_of

SETTINGS_FILES = {
    "not toml": b"x = [",
    "not text": b"\xff\xfe",
    "a bomb of brackets": b"a = " + b"[" * 100_000,
    "an unknown key": b"nonsense = 1",
    "a wrong type": b"[executor]\nthreads = 'many'",
    "an unknown store": b"store = 'nope://x'",
    "a key that is not there": b"[permission_checker]\njwt_public_key_path = '/no/such.pem'",
}

TOOL_FILES = {
    "a syntax error": "def x(:",
    "an error at import": "1/0",
    "an exit at import": "import sys; sys.exit(3)",
    "a missing module": "import no_such_module_anywhere",
    "no tool": "x = 1",
    "a wrong option": "from toolgate import tool\n@tool(nope=1)\ndef f(): ...",
    "no parameters by name": "from toolgate import tool\n@tool\ndef f(*a: int) -> int: return 1",
    "a name that is taken": "from toolgate import tool\n@tool\ndef echo(x: int) -> int: return x",
}

ARGUMENTS = [
    ("call", "echo", "text"),
    ("call", "echo", "=x"),
    ("call", "echo", "a:={"),
    ("call", "echo", "text=\udcff"),
    ("call", "\udcff", "a=1"),
    ("call", "", "a=1"),
    ("call", "\x1b[2J", "a=1"),
    ("call", "x" * 100_000),
    ("call", "echo", "text=@/no/such/file"),
    ("call", "echo", "--params", "[1]"),
    ("call", "echo", "--params", "@/etc"),
    ("call", "echo", "text=1", "--timeout", "banana"),
    ("call", "echo", "text=1", "--timeout", "0"),
    ("call", "echo", "text=1", "--idempotency-key", ""),
    ("call", "echo", "text=1", "--version-range", "not a range"),
    ("call", "echo", "text=1", "--view", "nope"),
    ("call", "echo", "text=1", "--tools", ""),
    ("call", "echo", "text=1", "--tools", "no/such/file.py"),
    ("call", "echo", "text=1", "--tools", "no.such.module"),
    ("call", "echo", "text=1", "--tools", ".."),
    ("tools", "show", "\udcff"),
    ("inv", "show", "x"),
    ("inv", "show", "ffffffff"),
    ("inv", "show", "'; drop table invocations; --"),
    ("inv", "ls", "--limit", "0"),
    ("inv", "ls", "--kind", "nope"),
    ("token", "mint", "--tool", "e", "--agent", "", "--tenant", "t"),
    ("token", "mint", "--tool", "e", "--agent", "a", "--tenant", "t", "--lifetime", "25h"),
    ("token", "mint", "--tool", "e", "--agent", "a", "--tenant", "t", "--port", "99999"),
    ("up", "--port", "99999"),
    ("up", "--host", "999.1.1.1", "--port", "0"),
    ("nonsense",),
    ("--nonsense",),
]


def assert_complains(ended: Any) -> None:
    assert ended.code in range(1, 9)
    assert ended.out == ""
    assert "Traceback" not in ended.err
    assert "next: " in ended.err or "Try 'toolgate" in ended.err
    assert "internal_error" not in ended.err or "the store" in ended.err
    assert "\x1b" not in ended.err


@pytest.mark.parametrize("arguments", ARGUMENTS, ids=lambda words: " ".join(words)[:40].encode("ascii", "replace"))
def test_hostile_arguments_end_in_a_complaint(run: Any, arguments: tuple[str, ...]) -> None:
    assert_complains(run(*arguments))


@pytest.mark.parametrize("content", SETTINGS_FILES.values(), ids=SETTINGS_FILES.keys())
def test_a_hostile_settings_file_ends_in_a_complaint(run: Any, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "toolgate.toml").write_bytes(content)
    ended = run("call", "echo", "text=x")
    assert_complains(ended)
    assert ended.code == 2


@pytest.mark.parametrize("content", TOOL_FILES.values(), ids=TOOL_FILES.keys())
def test_a_hostile_tools_file_ends_in_a_complaint(run: Any, tmp_path: Path, content: str) -> None:
    (tmp_path / "mine.py").write_text(content)
    ended = run("tools", "ls", "--tools", "mine.py")
    assert_complains(ended)
    assert ended.code == 2


@pytest.mark.parametrize("command", [("tools", "ls"), ("call", "echo", "text=x"), ("inv", "ls"), ("doctor",)])
def test_a_corrupt_database_ends_in_a_complaint(run: Any, data_dir: Path, command: tuple[str, ...]) -> None:
    (data_dir / "toolgate.db").write_bytes(b"this is not a database" * 500)
    ended = run(*command)
    assert ended.code == (1 if command == ("doctor",) else 8)
    assert "file is not a database" in ended.err + ended.out
    assert "Traceback" not in ended.err


def test_a_private_key_that_others_can_read_is_refused_with_the_command_that_mends_it(run: Any, data_dir: Path) -> None:
    (data_dir / "signing-key.pem").chmod(0o644)
    ended = run("call", "echo", "text=x")
    assert_complains(ended)
    assert "run: chmod 600" in ended.err


def test_a_private_key_that_is_none_is_refused(run: Any, data_dir: Path) -> None:
    (data_dir / "signing-key.pem").write_text("garbage")
    assert_complains(run("token", "mint", "--tool", "e", "--agent", "a", "--tenant", "t"))


@pytest.mark.parametrize("place", ["/proc/nope", "/dev/null"])
def test_a_data_directory_that_cannot_be_is_refused(run: Any, place: str) -> None:
    ended = run("call", "echo", "text=x", "--data-dir", place)
    assert ended.code == 8
    assert "Traceback" not in ended.err


def test_the_password_of_an_unreachable_store_is_not_repeated(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGATE_STORE", "postgresql://user:hunter2@127.0.0.1:1/x")
    ended = run("tools", "ls")
    assert ended.code == 8
    assert "hunter2" not in ended.err


def test_a_server_for_other_machines_needs_to_be_asked_for_on_the_command_line(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLGATE_SERVER__HOST", "0.0.0.0")
    ended = run("up")
    assert_complains(ended)
    assert "toolgate up --host 0.0.0.0" in ended.err


@pytest.mark.parametrize("number", sorted(by_number()))
def test_every_row_of_the_error_table_can_be_said(number: str) -> None:
    error: ToolgateError = by_number()[number]()
    complaint = complaint_of(error)
    assert complaint.what
    assert complaint.next_steps


def test_a_number_written_as_text_is_answered_with_how_to_write_it(run: Any, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("from toolgate import tool\n@tool\ndef f(n: int, s: str) -> int: return n")
    ended = run("call", "f", "n=3", "s=x", "--tools", "mine.py")
    assert ended.code == 2
    assert "/n  must be integer" in ended.err
    assert "write n:=3 for integer" in ended.err
    secret = run("call", "f", "n=hunter2", "s=x", "--tools", "mine.py")
    assert "write n:=INTEGER for integer" in secret.err
    assert "hunter2" not in secret.err


def test_an_unknown_tool_is_answered_with_one_that_is_close(run: Any) -> None:
    ended = run("call", "ecko", "text=x")
    assert ended.code == 3
    assert "toolgate tools show echo" in ended.err
    assert "toolgate tools ls" in ended.err
