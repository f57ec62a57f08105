"""Column types that mean the same on both databases: natively on PostgreSQL, as sortable or JSON text on SQLite."""

from typing import Any

from sqlalchemy import BigInteger, Integer, LargeBinary, String, Text
from sqlalchemy.dialects.postgresql import ARRAY, JSON, JSONB, TIMESTAMP, UUID
from sqlalchemy.types import TypeEngine

POSTGRES = "postgresql"


def uuid() -> TypeEngine[Any]:
    """A UUID; on SQLite its 36 characters, which for version 7 sort by time."""
    return String(36).with_variant(UUID(as_uuid=False), POSTGRES)


def json() -> TypeEngine[Any]:
    return Text().with_variant(JSONB(), POSTGRES)


def exact_json() -> TypeEngine[Any]:
    """JSON whose text is kept as it was written: JSONB forgets the order of keys, and models read schemas in order."""
    return Text().with_variant(JSON(), POSTGRES)


def timestamp() -> TypeEngine[Any]:
    """A moment; on SQLite the RFC 3339 text of `model.timestamp`, which sorts like time."""
    return Text().with_variant(TIMESTAMP(timezone=True), POSTGRES)


def text_list() -> TypeEngine[Any]:
    return Text().with_variant(ARRAY(Text), POSTGRES)


def position() -> TypeEngine[Any]:
    """An ever-growing integer key. SQLite counts by itself only in a column that is exactly INTEGER."""
    return BigInteger().with_variant(Integer(), "sqlite")


def binary() -> TypeEngine[Any]:
    return LargeBinary()
