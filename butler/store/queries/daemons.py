"""Daemons by their epoch: a number that grows with every start. The newest one owns the data."""

import secrets
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.store.tables import daemons

KEPT = 200
"""Rows of former daemons to keep. Work begun by an older one is treated as if it might still run."""
_NEWEST = sa.select(daemons.c.token).order_by(daemons.c.epoch.desc()).limit(1)


@dataclass(frozen=True, slots=True)
class Epoch:
    """One daemon's hold on the data."""

    number: int
    token: str
    place: str
    """The identity of its lock file; a former holder of the same file has surely ended."""


def begin(connection: sa.Connection, place: str, process: int, now: datetime) -> Epoch:
    """Begin a new epoch, which fences off every daemon before."""
    token = secrets.token_hex(8)
    row = {"token": token, "place": place, "process": process, "started_at": now}
    number = connection.execute(daemons.insert().returning(daemons.c.epoch), row).scalar_one()
    connection.execute(daemons.delete().where(daemons.c.epoch <= number - KEPT))
    return Epoch(number, token, place)


def newest(connection: sa.Connection) -> str | None:
    """Return the token of the daemon that owns the data."""
    return connection.execute(_NEWEST).scalar()


def place_of(connection: sa.Connection, number: int) -> str:
    """Return the identity of a daemon's lock file; empty if it is no longer known."""
    query = sa.select(daemons.c.place).where(daemons.c.epoch == number)
    return connection.execute(query).scalar() or ""
