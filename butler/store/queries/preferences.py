"""The owner's preferences, each with the message that set it."""

from datetime import datetime

import sqlalchemy as sa

from butler.store.tables import preferences


def put(connection: sa.Connection, name: str, value: str, *, said_in: str, now: datetime) -> None:
    """Set or replace a preference."""
    values = {"value": value, "said_in": said_in, "set_at": now}
    if not connection.execute(preferences.update().where(preferences.c.name == name).values(**values)).rowcount:
        connection.execute(preferences.insert().values(name=name, **values))


def remove(connection: sa.Connection, name: str) -> bool:
    """Remove a preference; return False if there was none."""
    return bool(connection.execute(preferences.delete().where(preferences.c.name == name)).rowcount)


def every(connection: sa.Connection) -> dict[str, str]:
    """Return all preferences, by name."""
    rows = connection.execute(sa.select(preferences.c.name, preferences.c.value).order_by(preferences.c.name))
    return {row.name: str(row.value) for row in rows}
