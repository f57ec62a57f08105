"""JSON pointers (RFC 6901) to faults. Names in them come from callers, so they are made short and printable."""

from collections.abc import Iterable

NAME_LIMIT = 64


def json_pointer(path: Iterable[str | int]) -> str:
    """The pointer to a path of names and indices; the empty path is the whole document."""
    return "".join(f"/{_escape(printable(str(step)))}" for step in path)


def printable(name: str, *, limit: int = NAME_LIMIT) -> str:
    """A name from outside in a form that can stand in a message, a log line or a terminal."""
    short = name if len(name) <= limit else f"{name[: limit - 1]}…"
    return short if short.isprintable() else "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short)


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
