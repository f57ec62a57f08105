"""JSON pointers (RFC 6901) to faults. Names in them come from callers, so they are made short and printable."""

from collections.abc import Iterable

NAME_LIMIT = 64


def json_pointer(path: Iterable[str | int]) -> str:
    """The pointer to a path of names and indices; the empty path is the whole document."""
    return "".join(f"/{escape_step(printable(str(step)))}" for step in path)


def printable(name: str, *, limit: int = NAME_LIMIT) -> str:
    """A name from outside in a form that can stand in a message, a log line or a terminal."""
    short = name if len(name) <= limit else f"{name[: limit - 1]}…"
    return short if short.isprintable() else "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in short)


def escape_step(name: str) -> str:
    """A name as one step of a pointer."""
    return name.replace("~", "~0").replace("/", "~1")


def read_step(step: str) -> str:
    """The name that a step of a pointer stands for."""
    return step.replace("~1", "/").replace("~0", "~")
