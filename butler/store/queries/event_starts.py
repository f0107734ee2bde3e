"""The work that finds starting calendar events: one row that is due now, and one for the next time."""

from datetime import datetime

import sqlalchemy as sa

from butler.store.queries import work
from butler.store.tables import work as rows

STARTING = "event_starting"
"""The work kind; it covers all calendars, so it has no subject."""

_NEXT = sa.select(rows.c.work_id).where(
    rows.c.kind == STARTING,
    rows.c.state == work.READY,
    rows.c.run_at > sa.bindparam("now", type_=rows.c.run_at.type),
    rows.c.run_at <= sa.bindparam("at", type_=rows.c.run_at.type),
)


def look(connection: sa.Connection, now: datetime) -> None:
    """Schedule a look now, after a running one. Wake the engine after commit."""
    work.add(connection, STARTING, "", now=now, lane=STARTING)


def look_at(connection: sa.Connection, at: datetime, now: datetime) -> None:
    """Schedule a look then, unless one is due sooner."""
    if not connection.execute(_NEXT, {"now": now, "at": at}).first():
        work.add(connection, STARTING, "", now=now, lane=STARTING, run_at=at)
