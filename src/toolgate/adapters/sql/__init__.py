"""The tables and migrations that SQLite and PostgreSQL share."""
