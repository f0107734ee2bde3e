"""Durable positions (cursors), and single facts such as who is paired."""

from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.store.tables import cursors, facts


def get(connection: sa.Connection, name: str) -> str | None:
    """A cursor's value."""
    return connection.execute(sa.select(cursors.c.value).where(cursors.c.name == name)).scalar()


def put(connection: sa.Connection, name: str, value: str, now: datetime) -> None:
    """Set a cursor."""
    _upsert(connection, cursors, name, value, now)


def fact(connection: sa.Connection, name: str) -> Any:
    """A fact's value, or None."""
    return connection.execute(sa.select(facts.c.value).where(facts.c.name == name)).scalar()


def put_fact(connection: sa.Connection, name: str, value: Any, now: datetime) -> None:
    """Set a fact."""
    _upsert(connection, facts, name, value, now)


def _upsert(connection: sa.Connection, table: sa.Table, name: str, value: Any, now: datetime) -> None:
    changed = connection.execute(
        table.update().where(table.c.name == name).values(value=value, updated_at=now)
    ).rowcount
    if not changed:
        connection.execute(table.insert().values(name=name, value=value, updated_at=now))
