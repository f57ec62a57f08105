"""Bring a database to the present schema. Every start asks; only the first one of a new schema has anything to do.

The answer is one query, and Alembic is imported only if it is needed: the command line must start fast.
"""

from pathlib import Path
from typing import Final

from sqlalchemy import Connection, create_engine

from toolgate.errors import StoreUnavailable

HEAD: Final = "0001"
"""The newest revision; a test compares it with the migration scripts."""

VERSION_QUERY: Final = "SELECT version_num FROM alembic_version"
MIGRATIONS: Final = Path(__file__).parent / "migrations"

_ADVISORY_LOCK = 0x746F6F6C67617465  # "toolgate"
_LOCKS = {"sqlite": "BEGIN IMMEDIATE", "postgresql": f"SELECT pg_advisory_xact_lock({_ADVISORY_LOCK})"}


def upgrade(target: Connection | str) -> None:
    """Migrate the database behind a connection that is not in a transaction, or behind an SQLAlchemy URL.

    Processes that start at once queue up for the lock; those that come late find nothing to do.

    Raises:
        StoreUnavailable: the database is newer than this program.
    """
    if isinstance(target, Connection):
        _upgrade(target)
        return
    engine = create_engine(target)
    try:
        with engine.connect() as connection:
            _upgrade(connection)
    finally:
        engine.dispose()


def _upgrade(connection: Connection) -> None:
    from alembic import command
    from alembic.config import Config
    from alembic.util import CommandError

    with connection.begin():
        connection.exec_driver_sql(_LOCKS[connection.dialect.name])
        config = Config()
        config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
        config.attributes["connection"] = connection
        try:
            command.upgrade(config, "head")
        except CommandError as error:  # its revision is none of ours
            newer = "the database was made by a newer version of Toolgate, or is not one of its databases"
            raise StoreUnavailable(message=newer) from error
