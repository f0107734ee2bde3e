"""Counts of waiting and finished rows, for `/status` and `/metrics`. They contain no content."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.store.queries import cursors, digests
from butler.store.queries import work as work_rows
from butler.store.tables import approvals, automation_firings, firings, hooks, outbox, reminders, work

LAST_RETENTION = "last_retention"
"""The fact that holds the time and counts of the last retention."""


@dataclass(frozen=True, slots=True)
class Queue:
    """The waiting rows. `ready` and `oldest` count due work."""

    ready: int
    oldest: datetime | None
    failed: int
    pending: int
    later: int
    """Approved for a later time."""
    unsent: int
    """Messages to the owner that were not accepted yet."""
    next_reminder: datetime | None
    next_digest: datetime | None
    last_retention: datetime | None
    """The time of the last retention."""
    size: int
    """Bytes of the database."""


def queue(connection: sa.Connection, now: datetime) -> Queue:
    """Return what waits now."""
    due = (work.c.state == work_rows.READY, work.c.run_at <= now)
    ready, oldest = connection.execute(sa.select(sa.func.count(), sa.func.min(work.c.run_at)).where(*due)).one()
    waiting = (reminders.c.state == "waiting", reminders.c.due_at > now)
    digest = (work.c.kind == digests.DUE, work.c.state == work_rows.READY, work.c.run_at > now)
    scheduled = (approvals.c.state == "approved", approvals.c.not_before > now)
    return Queue(
        ready=ready,
        oldest=oldest,
        failed=work_rows.count(connection, work_rows.FAILED),
        pending=_count(connection, approvals, approvals.c.state == "pending"),
        later=_count(connection, approvals, *scheduled),
        unsent=_count(connection, outbox, outbox.c.state.in_(("waiting", "kept"))),
        next_reminder=connection.execute(sa.select(sa.func.min(reminders.c.due_at)).where(*waiting)).scalar(),
        next_digest=connection.execute(sa.select(sa.func.min(work.c.run_at)).where(*digest)).scalar(),
        last_retention=_last_retention(connection),
        size=_size(connection),
    )


def hooks_by(connection: sa.Connection) -> dict[tuple[str, str], int]:
    """Count the stored webhooks by receiver and state."""
    return _pairs(connection, hooks, hooks.c.receiver, hooks.c.state)


@dataclass(frozen=True, slots=True)
class Fired:
    """A fired time, and its delay."""

    kind: str
    late_s: float


def fired_since(connection: sa.Connection, since: datetime) -> list[Fired]:
    """Return what was fired after a moment."""
    rows = connection.execute(
        sa.select(firings.c.kind, firings.c.due_at, firings.c.fired_at).where(firings.c.fired_at > since)
    )
    return [Fired(row.kind, (row.fired_at - row.due_at).total_seconds()) for row in rows]


def automation_firings_by_state(connection: sa.Connection) -> dict[str, int]:
    """Count the firings of automations by state."""
    state = automation_firings.c.state
    rows = connection.execute(sa.select(state, sa.func.count()).group_by(state))
    return {row[0]: row[1] for row in rows}


def _pairs(
    connection: sa.Connection, table: sa.Table, one: sa.Column[str], two: sa.Column[str]
) -> dict[tuple[str, str], int]:
    rows = connection.execute(sa.select(one, two, sa.func.count()).select_from(table).group_by(one, two))
    return {(row[0], row[1]): row[2] for row in rows}


def _count(connection: sa.Connection, table: sa.Table, *where: sa.ColumnElement[bool]) -> int:
    return int(connection.execute(sa.select(sa.func.count()).select_from(table).where(*where)).scalar_one())


def _last_retention(connection: sa.Connection) -> datetime | None:
    data: dict[str, Any] | None = cursors.fact(connection, LAST_RETENTION)
    return datetime.fromisoformat(data["at"]) if data else None


def _size(connection: sa.Connection) -> int:
    if connection.dialect.name == "postgresql":
        return int(connection.execute(sa.text("SELECT pg_database_size(current_database())")).scalar_one())
    pages, size = (connection.execute(sa.text(f"PRAGMA {name}")).scalar_one() for name in ("page_count", "page_size"))
    return int(pages) * int(size)
