"""Reaching PostgreSQL: connections, the present schema, and errors as ours."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from toolgate.adapters.sql.migrate import HEAD, VERSION_QUERY, upgrade
from toolgate.errors import StoreUnavailable

try:
    import asyncpg
except ImportError as missing:
    raise ImportError("PostgreSQL needs the package asyncpg: pip install toolgate[postgres]") from missing

_driver: Any = asyncpg  # it has no types

CONNECT_TIMEOUT_SECONDS = 10
COMMAND_TIMEOUT_SECONDS = 30
READ_CONNECTIONS = 4

DATABASE_ERRORS = (asyncpg.PostgresError, asyncpg.InterfaceError, asyncpg.InternalClientError, OSError, TimeoutError)

# Statements are short and prepared: compiling one to machine code costs more than it saves.
_SETTINGS = {"application_name": "toolgate", "jit": "off"}

# A page of a few rows and a page of a rare tenant want different plans, and planning is the smaller cost.
_READ_SETTINGS = {**_SETTINGS, "plan_cache_mode": "force_custom_plan"}


@contextmanager
def postgres_errors_as_ours() -> Generator[None]:
    try:
        yield
    except DATABASE_ERRORS as error:
        raise StoreUnavailable() from error


async def connect(url: str) -> Any:
    return await _driver.connect(
        url,
        timeout=CONNECT_TIMEOUT_SECONDS,
        command_timeout=COMMAND_TIMEOUT_SECONDS,
        server_settings=_SETTINGS,
    )


async def open_pool(url: str) -> Any:
    return await _driver.create_pool(
        url,
        min_size=1,
        max_size=READ_CONNECTIONS,
        timeout=CONNECT_TIMEOUT_SECONDS,
        command_timeout=COMMAND_TIMEOUT_SECONDS,
        server_settings=_READ_SETTINGS,
        reset=_keep,
    )


async def _keep(_connection: Any) -> None:
    """Our reads leave no session state behind, so there is nothing to pay a round trip for."""


async def prepare(url: str) -> None:
    """Bring the schema up to date.

    Raises:
        StoreUnavailable: the database cannot be reached.
    """
    with postgres_errors_as_ours():
        connection = await connect(url)
        try:
            current = await _version(connection)
        finally:
            await connection.close()
        if current != HEAD:
            await _migrate(url)


async def _version(connection: Any) -> str | None:
    if await connection.fetchval("SELECT to_regclass('alembic_version')") is None:
        return None
    return await connection.fetchval(VERSION_QUERY)


async def _migrate(url: str) -> None:
    from sqlalchemy.exc import DBAPIError
    from sqlalchemy.ext.asyncio import create_async_engine

    engine = create_async_engine("postgresql+asyncpg://", async_creator=lambda: connect(url))
    try:
        async with engine.connect() as connection:
            await connection.run_sync(upgrade)
    except DBAPIError as error:
        raise StoreUnavailable() from error
    finally:
        await engine.dispose()
