"""One PostgreSQL for the session, a new database for each test."""

from collections.abc import AsyncIterator, Iterator
from urllib.parse import urlsplit
from uuid import uuid4

import asyncpg
import pytest

from toolgate.testing.postgres_server import PostgresServer, postgres_server


@pytest.fixture(scope="session")
def server() -> Iterator[PostgresServer]:
    with postgres_server() as running:
        yield running


@pytest.fixture
async def postgres_url(server: PostgresServer) -> AsyncIterator[str]:
    """An empty database without tables."""
    name = f"t{uuid4().hex}"
    admin = await asyncpg.connect(server.url)
    await admin.execute(f"CREATE DATABASE {name}")
    yield urlsplit(server.url)._replace(path=f"/{name}").geturl()
    await admin.execute(f"DROP DATABASE {name} WITH (FORCE)")
    await admin.close()
