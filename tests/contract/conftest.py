"""The stores that every suite runs on."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import asyncpg
import pytest

from toolgate.adapters.memory.store import MemoryStore
from toolgate.adapters.postgres.connection import prepare as prepare_postgres
from toolgate.adapters.postgres.store import PostgresStore
from toolgate.adapters.sql.tables import metadata
from toolgate.adapters.sqlite.connection import prepare as prepare_sqlite
from toolgate.adapters.sqlite.store import SqliteStore
from toolgate.testing.contracts.records import Store
from toolgate.testing.postgres_server import postgres_server

# Not TRUNCATE: it gives every table and index a new file, and flushes them.
_EMPTY = "; ".join(f"DELETE FROM {table}" for table in metadata.tables)


@pytest.fixture(scope="session")
def migrated_postgres_url() -> Iterator[str]:
    with postgres_server() as server:
        asyncio.run(prepare_postgres(server.url))
        yield server.url


@pytest.fixture
async def postgres_url(migrated_postgres_url: str) -> str:
    connection = await asyncpg.connect(migrated_postgres_url)
    await connection.execute(_EMPTY)
    await connection.close()
    return migrated_postgres_url


@pytest.fixture
async def memory_store() -> AsyncIterator[Store]:
    store = MemoryStore()
    yield store
    await store.close()


@pytest.fixture(scope="session")
def migrated_sqlite_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sqlite") / "toolgate.db"
    prepare_sqlite(path)
    return path


@pytest.fixture
async def sqlite_store(migrated_sqlite_file: Path, tmp_path: Path) -> AsyncIterator[Store]:
    store = await SqliteStore.open(Path(shutil.copy(migrated_sqlite_file, tmp_path)))
    yield store
    await store.close()


@pytest.fixture
async def postgres_store(postgres_url: str) -> AsyncIterator[Store]:
    store = await PostgresStore.open(postgres_url)
    yield store
    await store.close()


@pytest.fixture(params=["memory", "sqlite", "postgres"])
def store(request: pytest.FixtureRequest) -> Store:
    return request.getfixturevalue(f"{request.param}_store")
