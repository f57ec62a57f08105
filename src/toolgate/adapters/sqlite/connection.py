"""Opening an SQLite database: private files, WAL, the present schema, and errors as ours."""

import os
import sqlite3
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Literal

from toolgate.adapters.sql.migrate import HEAD, VERSION_QUERY, upgrade
from toolgate.errors import StoreUnavailable

Synchronous = Literal["FULL", "NORMAL"]
"""FULL: a commit has reached the disk. NORMAL: it survives a crash of the process, not a loss of power."""

BUSY_TIMEOUT_MS = 5_000
"""How long a write waits for another process, such as the command line, to finish its own."""

_CHECKPOINT_PAGES = 4_000
_WAL_KEEP_BYTES = 64 * 1024 * 1024
_CACHE_KIB = 16 * 1024


@contextmanager
def sqlite_errors_as_ours() -> Generator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise StoreUnavailable() from error


def prepare(path: Path) -> None:
    """Make sure that the database exists, that only its owner can read it, and that it has the present schema.

    Raises:
        StoreUnavailable: it cannot be opened.
    """
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # SQLite gives the -wal and -shm files the mode of the database, so it is right before the first of them.
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
        path.chmod(0o600)
    except OSError as error:
        raise StoreUnavailable() from error
    with sqlite_errors_as_ours():
        _migrate(path)


def connect_writer(
    path: Path, *, synchronous: Synchronous, busy_timeout_ms: int = BUSY_TIMEOUT_MS
) -> sqlite3.Connection:
    connection = _connect(path, busy_timeout_ms=busy_timeout_ms)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
    connection.execute(f"PRAGMA wal_autocheckpoint = {_CHECKPOINT_PAGES}")
    connection.execute(f"PRAGMA journal_size_limit = {_WAL_KEEP_BYTES}")
    return connection


def connect_reader(path: Path) -> sqlite3.Connection:
    connection = _connect(path)
    connection.execute("PRAGMA query_only = ON")
    return connection


def _connect(path: Path, *, busy_timeout_ms: int = BUSY_TIMEOUT_MS) -> sqlite3.Connection:
    # Transactions are begun by hand. A connection has one user at a time, but is closed by another thread.
    return sqlite3.connect(path, timeout=busy_timeout_ms / 1000, isolation_level=None, check_same_thread=False)


def _migrate(path: Path) -> None:
    with closing(_connect(path)) as connection:
        if _version(connection) == HEAD:
            return
        connection.execute("PRAGMA journal_mode = WAL")
    from sqlalchemy import URL
    from sqlalchemy.exc import DBAPIError

    try:
        upgrade(URL.create("sqlite", database=str(path)).render_as_string())
    except DBAPIError as error:
        raise StoreUnavailable() from error


def _version(connection: sqlite3.Connection) -> str | None:
    has_versions = "SELECT 1 FROM sqlite_master WHERE name = 'alembic_version'"
    if connection.execute(has_versions).fetchone() is None:
        return None
    row = connection.execute(VERSION_QUERY).fetchone()
    return row and row[0]
