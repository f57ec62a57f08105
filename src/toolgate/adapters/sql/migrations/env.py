"""Alembic's entry: runs the revisions on the connection, and in the transaction, that `migrate.upgrade` gives it."""

from alembic import context

from toolgate.adapters.sql.tables import metadata

context.configure(connection=context.config.attributes["connection"], target_metadata=metadata)
context.run_migrations()
