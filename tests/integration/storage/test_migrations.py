"""The migrations make exactly the tables that the statements are written for, once, whoever starts first."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import asyncpg
import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, create_engine
from sqlalchemy.exc import OperationalError
from sqlalchemy.ext.asyncio import create_async_engine

from toolgate.adapters.postgres.connection import connect
from toolgate.adapters.postgres.connection import prepare as prepare_postgres
from toolgate.adapters.sql.migrate import HEAD, MIGRATIONS, VERSION_QUERY, upgrade
from toolgate.adapters.sql.tables import metadata
from toolgate.adapters.sqlite.connection import prepare as prepare_sqlite
from toolgate.errors import StoreUnavailable

PREPARE = (
    "import sys, pathlib; from toolgate.adapters.sqlite.connection import prepare; prepare(pathlib.Path(sys.argv[1]))"
)


def differences(connection: Connection) -> list[Any]:
    return compare_metadata(MigrationContext.configure(connection), metadata)


@contextmanager
def sqlite_connection(path: Path) -> Iterator[Connection]:
    engine = create_engine(f"sqlite:///{path}")
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def test_migrated_sqlite_has_the_tables_of_the_metadata(tmp_path: Path) -> None:
    prepare_sqlite(tmp_path / "toolgate.db")
    with sqlite_connection(tmp_path / "toolgate.db") as connection:
        assert differences(connection) == []


async def test_migrated_postgres_has_the_tables_of_the_metadata(postgres_url: str) -> None:
    await prepare_postgres(postgres_url)
    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: connect(postgres_url))
    async with engine.connect() as connection:
        assert await connection.run_sync(differences) == []
    await engine.dispose()


def test_the_newest_revision_is_the_one_a_start_looks_for() -> None:
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_a_second_upgrade_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "toolgate.db"
    prepare_sqlite(path)
    with sqlite_connection(path) as connection:
        before = connection.exec_driver_sql("SELECT name, sql FROM sqlite_master").fetchall()
        connection.rollback()
        upgrade(connection)
        assert connection.exec_driver_sql("SELECT name, sql FROM sqlite_master").fetchall() == before


def test_an_up_to_date_database_is_opened_without_alembic(tmp_path: Path) -> None:
    """The command line starts often."""
    path = tmp_path / "toolgate.db"
    prepare_sqlite(path)
    code = f"{PREPARE}; print('alembic' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "False"


def test_processes_that_start_at_once_share_one_migration(tmp_path: Path) -> None:
    path = tmp_path / "new" / "toolgate.db"
    starting = [subprocess.Popen([sys.executable, "-c", PREPARE, str(path)], stderr=subprocess.PIPE) for _ in range(4)]
    failures = [process.communicate(timeout=60)[1] for process in starting]
    assert [process.returncode for process in starting] == [0] * 4, failures
    with sqlite3.connect(path) as connection:
        assert connection.execute(VERSION_QUERY).fetchall() == [(HEAD,)]
    connection.close()


async def test_instances_that_start_at_once_share_one_migration(postgres_url: str) -> None:
    await asyncio.gather(*(prepare_postgres(postgres_url) for _ in range(4)))
    connection = await asyncpg.connect(postgres_url)
    assert [row[0] for row in await connection.fetch(VERSION_QUERY)] == [HEAD]
    await connection.close()


def test_a_migration_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    path = tmp_path / "toolgate.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE event_outbox (somebody_elses INTEGER)")
    connection.close()
    with sqlite_connection(path) as sqlalchemy_connection, pytest.raises(OperationalError, match="event_outbox"):
        upgrade(sqlalchemy_connection)
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("event_outbox",)]
    connection.close()


def test_a_database_that_is_newer_than_the_program_is_refused_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "toolgate.db"
    prepare_sqlite(path)
    database = sqlite3.connect(path)
    database.execute("UPDATE alembic_version SET version_num = '9999'")
    database.commit()
    database.close()
    with pytest.raises(StoreUnavailable, match="newer version"):
        prepare_sqlite(path)
