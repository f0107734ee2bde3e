"""A row that is written unless its key is known, whoever else writes it meanwhile."""

from collections.abc import Mapping
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert


@cache
def _insert(table: sa.Table, key: tuple[str, ...], dialect: str) -> ReturningInsert[Any]:
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    # Another daemon on this store may write the same key meanwhile; it is waited for, and then nothing is written.
    # Whether it was is asked of what it returns: of an INSERT alone not every driver tells how many rows it wrote.
    return insert.on_conflict_do_nothing(index_elements=key or None).returning(*table.primary_key)


def insert_once(connection: sa.Connection, table: sa.Table, values: Mapping[str, Any], *key: str) -> bool:
    """Write a row; False where one is there with the same in the columns of `key`, or of any unique key without one."""
    return connection.execute(_insert(table, key, connection.dialect.name), values).first() is not None
