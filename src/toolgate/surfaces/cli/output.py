"""How a command shows what it found: tables on a terminal, aligned text in a pipe, JSON for machines.

Data goes to standard output. Talk (progress, notes, complaints) goes to standard error.
"""

import sys
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TextIO

from toolgate.surfaces.cli.complaint import Complaint
from toolgate.surfaces.cli.streams import claimed_stdout
from toolgate.surfaces.cli.terminal import Colour, one_line, paint, printable, wants_colour

Row = Sequence[str]


@dataclass(frozen=True)
class Output:
    data: TextIO
    as_json: bool = False

    @property
    def on_terminal(self) -> bool:
        return self.data.isatty()

    def json(self, value: Any) -> None:
        """Print a value as JSON. What a terminal would obey is escaped there; a pipe gets the exact bytes."""
        self.text(to_json(value))

    def text(self, text: str) -> None:
        # Flushed, so that on a terminal the data stands above what is said about it afterwards.
        print(printable(text) if self.on_terminal else text, file=self.data, flush=True)

    def table(self, headings: Row, rows: Sequence[Row]) -> None:
        """Print rows; what stands in a cell is one line and never markup."""
        cells = [[one_line(cell) for cell in row] for row in rows]
        if self.on_terminal:
            _draw(headings, cells, self.data)
        else:
            self.text("\n".join(aligned([headings, *cells])))


@contextmanager
def open_output(*, as_json: bool) -> Generator[Output]:
    """The way to the user, while whatever a tool prints is kept away from the data."""
    with claimed_stdout() as data:
        yield Output(data, as_json)


def to_json(value: Any) -> str:
    import msgspec

    return msgspec.json.format(msgspec.json.encode(value), indent=2).decode()


def aligned(rows: Sequence[Row]) -> list[str]:
    """Columns that line up, for pipes and logs."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]


def _draw(headings: Row, rows: Sequence[Row], file: TextIO) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table

    table = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading in headings:
        table.add_column(heading, overflow="fold")
    for row in rows:
        table.add_row(*row)
    colours = "auto" if wants_colour(file) else None
    Console(file=file, markup=False, highlight=False, emoji=False, color_system=colours).print(table)
    file.flush()


# ---------------------------------------------------------------- talk


def say(text: str, colour: Colour | None = None) -> None:
    """Tell the user something that is not data."""
    safe = printable(text)
    print(paint(safe, colour, sys.stderr) if colour else safe, file=sys.stderr)


def complain(complaint: Complaint) -> None:
    say(f"✗ {complaint.code}: {one_line(complaint.what)}", "red")
    for error in complaint.errors:
        say(f"    {error.pointer or '/'}  {one_line(error.message)}")
    if complaint.why:
        say(f"  why:  {one_line(complaint.why)}")
    for position, step in enumerate(complaint.next_steps):
        say(f"  {'     ' if position else 'next:'} {step}")
