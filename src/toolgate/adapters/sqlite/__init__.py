"""SQLite in WAL mode, with a group-commit writer."""
