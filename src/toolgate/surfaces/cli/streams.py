"""Standard output belongs to the data alone. A tool that prints, or starts a process that does, writes to stderr."""

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO

_STDOUT, _STDERR = 1, 2


def open_standard_streams() -> None:
    """Give a process that was started with a closed stream one that swallows, before a database gets its number."""
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _STDERR:
        pass
    os.close(descriptor)
    for name in ("stdin", "stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, "r+", encoding="utf-8"))  # noqa: PTH123, SIM115 - lives as long as we do
    for stream in (sys.stdout, sys.stderr):
        if (reconfigure := getattr(stream, "reconfigure", None)) is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")


@contextmanager
def claimed_stdout() -> Generator[TextIO]:
    """The real standard output, while everybody else's goes to standard error."""
    stdout = sys.stdout
    stdout.flush()
    if not _is_real(stdout):
        with redirect_stdout(sys.stderr):
            yield stdout
        return
    with os.fdopen(os.dup(_STDOUT), "w", encoding="utf-8", errors="backslashreplace") as data:
        os.dup2(_STDERR, _STDOUT)
        try:
            with redirect_stdout(sys.stderr):
                yield data
                data.flush()
        finally:
            os.dup2(data.fileno(), _STDOUT)


def _is_real(stream: TextIO) -> bool:
    try:
        return stream.fileno() == _STDOUT
    except (OSError, ValueError):
        return False
