"""What a terminal, a pipe and a machine get to see."""

import io
from typing import Any

import pytest

from toolgate.surfaces.cli.global_options import hoist
from toolgate.surfaces.cli.output import Output
from toolgate.surfaces.cli.signature import example_call, parameters_of
from toolgate.surfaces.cli.terminal import one_line, paint, printable

ATTACKS = {
    "retitle the window": "\x1b]0;owned\x07",
    "clear the screen": "\x1b[2J",
    "c1 control sequence": "\x9b2J",
    "overwrite the line": "safe\rowned",
    "backspaces": "rm\x08\x08ls",
    "right to left override": "evil\u202etxt.exe",
}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def test_a_terminal_gets_a_drawn_table_and_a_pipe_gets_aligned_text(terminal: Terminal) -> None:
    pipe = io.StringIO()
    for stream in (terminal, pipe):
        Output(stream).table(("NAME", "SIZE"), [("a", "1"), ("bbbbbb", "22")])
    assert "─" in terminal.getvalue()
    assert pipe.getvalue() == "NAME    SIZE\na       1\nbbbbbb  22\n"


def test_no_color_leaves_no_escape_sequence(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    Output(terminal).table(("NAME",), [("a",)])
    assert "\x1b" not in terminal.getvalue()
    assert paint("x", "red", terminal) == "x"


def test_colour_is_for_terminals(terminal: Terminal) -> None:
    assert paint("x", "red", terminal) == "\x1b[31mx\x1b[0m"
    assert paint("x", "red", io.StringIO()) == "x"


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
def test_a_tool_cannot_drive_the_terminal_with_its_output(attack: str, terminal: Terminal) -> None:
    terminal_output = Output(terminal)
    terminal_output.text(attack)
    terminal_output.json({"value": attack})
    terminal_output.table(("VALUE",), [(attack,)])
    shown = terminal.getvalue().replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert not set(shown) & set("\x1b\x07\x9b\r\x08\u202e")


def test_a_pipe_gets_the_exact_text() -> None:
    pipe = io.StringIO()
    Output(pipe).text("\x1b[2J")
    assert pipe.getvalue() == "\x1b[2J\n"


def test_markup_in_a_description_is_not_obeyed(terminal: Terminal) -> None:
    Output(terminal).table(("VALUE",), [("[red]x[/red] :smile: [link=http://x]y[/link]",)])
    assert "[red]x[/red] :smile: [link=http://x]y[/link]" in terminal.getvalue()


def test_line_breaks_stay_in_text_and_leave_cells() -> None:
    assert printable("a\n\tb") == "a\n\tb"
    assert one_line("a\n\tb  c") == "a b c"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (["call", "x", "--json"], ["--json", "call", "x"]),
        (["call", "--data-dir", "d", "x", "--config=c"], ["--data-dir", "d", "--config=c", "call", "x"]),
        (["call", "x", "--", "--json"], ["call", "x", "--", "--json"]),
        (["call", "x", "--data-dir"], ["--data-dir", "call", "x"]),
        ([], []),
    ],
)
def test_global_options_may_stand_anywhere(written: list[str], read: list[str]) -> None:
    assert hoist(written) == read


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"properties": None, "required": "a"},
        {"properties": {"a": True, "b": {"$ref": "#/$defs/missing"}, "c": {"$ref": 3}, "d": {"anyOf": [1, {}]}}},
        {"properties": {"a": {"enum": [{"deep": 1}], "type": ["integer", None]}}, "required": ["a"]},
    ],
)
def test_a_schema_of_any_shape_can_be_shown(schema: dict[str, Any]) -> None:
    assert example_call("t", schema).startswith("toolgate call t")
    assert all(parameter.type_text for parameter in parameters_of(schema))


def test_an_example_gives_every_required_parameter_a_value_of_its_type() -> None:
    schema = {
        "properties": {
            "text": {"type": "string"},
            "count": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "mode": {"$ref": "#/$defs/Mode"},
            "extra": {"type": "string"},
        },
        "required": ["text", "count", "mode"],
        "$defs": {"Mode": {"enum": ["a b", "c"]}},
    }
    assert example_call("my tool", schema) == "toolgate call 'my tool' text=text count:=1 'mode=a b'"
