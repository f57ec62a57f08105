"""What is safe and sensible to write to a terminal: colour only where it is wanted, control characters never."""

import os
import re
from typing import Final, Literal, TextIO

Colour = Literal["green", "red", "yellow", "dim", "bold"]

_CODES: Final[dict[Colour, str]] = {"green": "32", "red": "31", "yellow": "33", "dim": "2", "bold": "1"}

# C0 and C1 controls (a tool's text could move the cursor or retitle the window) and characters that reorder text.
_CONTROLS: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def wants_colour(stream: TextIO) -> bool:
    """True for a terminal, unless its user said no (https://no-color.org)."""
    return stream.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def paint(text: str, colour: Colour, stream: TextIO) -> str:
    return f"\x1b[{_CODES[colour]}m{text}\x1b[0m" if wants_colour(stream) else text


def printable(text: str) -> str:
    """The text with what a terminal would obey made visible; line breaks and tabs stay."""
    return _CONTROLS.sub(lambda found: _visible(found[0]), text)


def one_line(text: str) -> str:
    return " ".join(printable(text).split())


def _visible(character: str) -> str:
    return f"\\x{ord(character):02x}" if ord(character) < 0x100 else f"\\u{ord(character):04x}"
