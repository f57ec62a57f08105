"""PostgreSQL through asyncpg, with a group-commit writer."""
