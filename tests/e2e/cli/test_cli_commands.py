"""What the commands say and print, run inside this process."""

from pathlib import Path
from typing import Any

import pytest

MY_TOOLS = '''
import asyncio
from toolgate import tool

@tool(effect="pure")
def add(a: int, b: int = 2) -> int:
    """Add two integers."""
    return a + b

@tool
def fail(secret: str) -> str:
    raise ValueError(f"the secret is {secret}")

@tool
async def wait_forever() -> str:
    await asyncio.Event().wait()
    return ""

@tool(sandbox=True)
def boxed() -> int:
    return 1

@tool(requires_approval=True)
def delicate() -> int:
    return 1
'''


@pytest.fixture
def mine(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "mytools.py").write_text(MY_TOOLS)
    return ("--tools", "mytools.py")


def test_a_denied_call_names_the_setting_that_would_allow_it(run: Any) -> None:
    ended = run("call", "http.get", "url=https://example.com/?key=hush")
    assert (ended.code, ended.out) == (4, "")
    assert "E3204 permission_denied: host example.com" in ended.err
    assert '[local_agent] allowed_hosts = ["example.com"]' in ended.err
    assert """TOOLGATE_LOCAL_AGENT__ALLOWED_HOSTS='["example.com"]'""" in ended.err
    assert "hush" not in ended.err


def test_the_setting_that_is_named_keeps_the_hosts_that_are_allowed_already(
    run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOOLGATE_LOCAL_AGENT__ALLOWED_HOSTS", '["a.example"]')
    ended = run("call", "http.get", "url=http://b.example/")
    assert 'allowed_hosts = ["a.example", "b.example"]' in ended.err


def test_an_allowed_host_on_another_port_is_answered_with_the_port(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOOLGATE_LOCAL_AGENT__ALLOWED_HOSTS", '["a.example"]')
    monkeypatch.setenv("TOOLGATE_LOCAL_AGENT__ALLOWED_PORTS", "[443]")
    ended = run("call", "http.get", "url=http://a.example/")
    assert "allowed_ports = [443, 80]" in ended.err


def test_a_failed_tool_keeps_its_words_to_itself_until_debug_asks(run: Any, mine: tuple[str, str]) -> None:
    quiet = run("call", "fail", "secret=zebra", *mine)
    debug = run("call", "fail", "secret=zebra", *mine, "--debug")
    assert quiet.code == debug.code == 1
    assert "E3108" in quiet.err
    assert "zebra" not in quiet.err
    assert "Traceback" not in quiet.err
    assert "Traceback" in debug.err


def test_a_call_that_takes_too_long_ends_with_its_own_code(run: Any, mine: tuple[str, str]) -> None:
    ended = run("call", "wait_forever", "--timeout", "50ms", *mine)
    assert (ended.code, ended.out) == (7, "")
    assert "--timeout" in ended.err


def test_a_tool_that_needs_a_sandbox_or_a_person_is_refused(run: Any, mine: tuple[str, str]) -> None:
    boxed, delicate = run("call", "boxed", *mine), run("call", "delicate", *mine)
    assert (boxed.code, delicate.code) == (1, 4)
    assert "this version has no sandbox" in boxed.err
    assert "this version has no approvals" in delicate.err


def test_what_was_called_can_be_listed_and_shown_by_the_start_of_its_id(run: Any, tmp_path: Path) -> None:
    (tmp_path / "story.txt").write_text("once upon a time")
    called = run("call", "text.stats", "text=@story.txt", "--json").data
    (listed,) = run("inv", "ls", "--json").data
    assert listed["invocation_id"] == called["invocation_id"]
    shown = run("inv", "show", called["invocation_id"][:8])
    assert shown.code == 0
    assert "once upon a time" in shown.out
    document = run("inv", "show", called["invocation_id"], "--view", "document")
    assert document.out.startswith("---\nresult_type: tool_result\n")


def test_the_start_of_two_ids_finds_neither(run: Any) -> None:
    first = run("call", "echo", "text=x", "--json").data["invocation_id"]
    run("call", "echo", "text=x")
    ended = run("inv", "show", first[:4])
    assert (ended.code, ended.out) == (2, "")
    assert "2 invocations begin with" in ended.err


def test_the_history_can_be_narrowed(run: Any) -> None:
    for text in ("text=1", "nonsense=1"):
        run("call", "echo", text)
    assert [line["kind"] for line in run("inv", "ls", "--kind", "invalid_input", "--json").data] == ["invalid_input"]
    assert len(run("inv", "ls", "--limit", "1", "--json").data) == 1
    assert len(run("inv", "ls", "--tool", "echo", "--json").data) == 2
    assert "invalid_parameters" in run("inv", "ls").out


def test_lists_are_plain_aligned_text_in_a_pipe_and_empty_ones_are_an_empty_array(run: Any) -> None:
    tools = run("tools", "ls")
    assert tools.out.splitlines()[0].split() == ["TOOL", "VERSION", "EFFECT", "SOURCE", "DESCRIPTION"]
    assert tools.out.isascii()
    assert [tool["tool_id"] for tool in run("tools", "ls", "--json").data] == ["echo", "http.get", "text.stats"]
    empty = run("inv", "ls")
    assert (empty.code, empty.out) == (0, "")
    assert run("inv", "ls", "--json").out == "[]\n"


def test_a_tool_is_shown_with_a_call_that_works_as_it_stands(run: Any, mine: tuple[str, str]) -> None:
    page = run("tools", "show", "add", *mine)
    example = page.out.rstrip().splitlines()[-1]
    assert example == "toolgate call add a:=1 --tools mytools.py"
    assert run(*example.split()[1:]).out == "3\n"
    assert run("tools", "show", "add", *mine, "--json").data["versions"][0]["parameters_schema"]["required"] == ["a"]


@pytest.mark.parametrize(
    ("view", "field"), [("l03", "invocation_id"), ("envelope", "policySnapshot"), ("tool_result", "statusName")]
)
def test_each_view_has_its_own_shape(run: Any, view: str, field: str) -> None:
    ended = run("call", "echo", "text=x", "--view", view)
    assert field in ended.data
    assert "✓ success" in ended.err


def test_a_string_is_printed_bare_and_quoted_for_machines(run: Any) -> None:
    assert run("call", "echo", "text=a\nb").out == "a\nb\n"
    document = run("call", "echo", "text=x", "--view", "document", "--json")
    assert document.data.startswith("---\n")


def test_settings_come_from_the_file_that_is_named(run: Any, tmp_path: Path) -> None:
    (tmp_path / "other.toml").write_text('[local_agent]\nagent_did = "did:example:other"\n')
    run("call", "echo", "text=x", "--config", "other.toml")
    assert run("inv", "ls", "--json").data[0]["agent_did"] == "did:example:other"


def test_the_version_is_that_of_the_package(run: Any) -> None:
    from toolgate import __version__

    assert run("--version").out == f"toolgate {__version__}\n"
