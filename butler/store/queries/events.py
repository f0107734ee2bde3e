"""Events as rows, written in the transaction of what they report."""

import hashlib
from collections.abc import Sequence
from datetime import datetime

import sqlalchemy as sa

from butler.contract.events import Event, EventName
from butler.store.queries import work
from butler.store.queries.insert_or_ignore import insert_once
from butler.store.tables import events

HAPPENED = "event"
"""The work kind that runs an event's listeners; its subject is the event's id."""

_BY_ID = sa.select(events).where(events.c.event_id == sa.bindparam("id"))
_FIELDS = tuple(Event.model_fields)


def id_of(dedup_key: str) -> str:
    """Return the id of the event with a key, the same on every call."""
    return hashlib.sha256(dedup_key.encode()).hexdigest()[:32]


def emit(connection: sa.Connection, event: Event, dedup_key: str, now: datetime) -> bool:
    """Store an event, and schedule its listeners; return False if the key is known. Wake the engine after commit."""
    values = event.model_dump(mode="json") | {"at": event.at, "dedup_key": dedup_key}
    if not insert_once(connection, events, values, "dedup_key"):
        return False
    work.add(connection, HAPPENED, event.event_id, now=now)
    return True


def get(connection: sa.Connection, event_id: str) -> Event | None:
    """Return one event."""
    row = connection.execute(_BY_ID, {"id": event_id}).mappings().first()
    return None if row is None else _event(row)


def beginning_with(connection: sa.Connection, beginning: str) -> Sequence[Event]:
    """Return at most two events whose id has this prefix."""
    query = sa.select(events).where(events.c.event_id.startswith(beginning, autoescape=True)).limit(2)
    return [_event(row) for row in connection.execute(query).mappings()]


def first_at(connection: sa.Connection) -> datetime | None:
    """Return the time of the oldest stored event."""
    return connection.execute(sa.select(sa.func.min(events.c.at))).scalar()


def since(
    connection: sa.Connection, name: EventName | None, after: datetime, limit: int, *, subject: str = ""
) -> Sequence[Event]:
    """Return events of a name, or of any, after a moment: the newest of them, in order.

    `subject` is a prefix of the wanted subjects.
    """
    query = sa.select(events).where(events.c.at > after).order_by(events.c.at.desc(), events.c.seq.desc()).limit(limit)
    if name is not None:
        query = query.where(events.c.name == name)
    if subject:
        query = query.where(sa.func.substr(events.c.subject, 1, len(subject)) == subject)
    return [_event(row) for row in reversed(connection.execute(query).mappings().all())]


def _event(row: sa.RowMapping) -> Event:
    return Event.model_validate({name: row[name] for name in _FIELDS})
