"""Writes a row unless its key is known, with concurrent writers."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert


@cache
def _insert(table: sa.Table, key: tuple[str, ...], dialect: str) -> ReturningInsert[Any]:
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    # Another daemon on this store may write the same key meanwhile: wait for it, then write nothing. Read the outcome
    # from RETURNING: not every driver tells how many rows an INSERT alone wrote.
    return insert.on_conflict_do_nothing(index_elements=key or None).returning(*table.primary_key)


def insert_once(connection: sa.Connection, table: sa.Table, values: Mapping[str, Any], *key: str) -> bool:
    """Write a row; return False if a row has the same values in the columns of `key` (if none, in any unique key)."""
    return connection.execute(_insert(table, key, connection.dialect.name), values).first() is not None
