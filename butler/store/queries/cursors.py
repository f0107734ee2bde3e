"""Durable positions (cursors), and single facts such as who is paired."""

from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from butler.store.instants import Instant
from butler.store.tables import cursors, facts

RESTORED = "restored"
"""The fact that a restore leaves until a start has checked what it restored."""

_GET = sa.select(cursors.c.value).where(cursors.c.name == sa.bindparam("named"))
_FACT = sa.select(facts.c.value).where(facts.c.name == sa.bindparam("named"))
_UPDATE = {
    table: table.update()
    .where(table.c.name == sa.bindparam("named"))
    .values(value=sa.bindparam("value", type_=table.c.value.type), updated_at=sa.bindparam("updated_at", type_=Instant))
    for table in (cursors, facts)
}


@cache
def _insert(table: sa.Table, dialect: str) -> sa.Insert:
    insert = postgresql.insert(table) if dialect == "postgresql" else sqlite.insert(table)
    # Another daemon on this store may write the same name meanwhile: wait for it; the later value wins.
    values = {"value": insert.excluded.value, "updated_at": insert.excluded.updated_at}
    return insert.on_conflict_do_update(index_elements=["name"], set_=values)


def get(connection: sa.Connection, name: str) -> str | None:
    """Return a cursor's value."""
    return connection.execute(_GET, {"named": name}).scalar()


def begins(connection: sa.Connection, prefix: str) -> bool:
    """Return whether there is a cursor with this prefix."""
    where = cursors.c.name.startswith(prefix, autoescape=True)
    return connection.execute(sa.select(cursors.c.name).where(where).limit(1)).first() is not None


def put(connection: sa.Connection, name: str, value: str, now: datetime) -> None:
    """Set a cursor."""
    _upsert(connection, cursors, name, value, now)


def fact(connection: sa.Connection, name: str) -> Any:
    """Return a fact's value, or None."""
    return connection.execute(_FACT, {"named": name}).scalar()


def put_fact(connection: sa.Connection, name: str, value: Any, now: datetime) -> None:
    """Set a fact; None deletes it."""
    if value is None:
        connection.execute(facts.delete().where(facts.c.name == name))
        return
    _upsert(connection, facts, name, value, now)


def _upsert(connection: sa.Connection, table: sa.Table, name: str, value: Any, now: datetime) -> None:
    row = {"value": value, "updated_at": now}
    if not connection.execute(_UPDATE[table], {"named": name, **row}).rowcount:
        connection.execute(_insert(table, connection.dialect.name), {"name": name, **row})
