"""Work rows: "look at this", written in the same transaction as what they announce."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.store.tables import work


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One thing to look at, not before `run_at`, after what stands before it in its lane."""

    work_id: int
    kind: str
    subject: str
    lane: str
    run_at: datetime
    attempts: int


_COLUMNS = (work.c.work_id, work.c.kind, work.c.subject, work.c.lane, work.c.run_at, work.c.attempts)


def add(
    connection: sa.Connection, kind: str, subject: str, *, now: datetime, lane: str = "", run_at: datetime | None = None
) -> int:
    """Write a work row; its id. Without a lane of its own it runs beside everything else."""
    work_id: int = connection.execute(
        work.insert()
        .values(
            kind=kind,
            subject=subject,
            lane=lane or f"{kind}:{subject}",
            run_at=run_at or now,
            state="ready",
            created_at=now,
        )
        .returning(work.c.work_id)
    ).scalar_one()
    return work_id


def cancel(connection: sa.Connection, kind: str, subject: str) -> None:
    """Take back what has not begun."""
    connection.execute(work.delete().where(work.c.kind == kind, work.c.subject == subject, work.c.state == "ready"))


def ready(connection: sa.Connection, now: datetime, after: int = 0, limit: int = 500) -> list[WorkRow]:
    """Rows that are due, in the order of writing."""
    rows = connection.execute(
        sa.select(*_COLUMNS)
        .where(work.c.state == "ready", work.c.run_at <= now, work.c.work_id > after)
        .order_by(work.c.work_id)
        .limit(limit)
    )
    return [WorkRow(*row) for row in rows]


def next_due(connection: sa.Connection, now: datetime) -> datetime | None:
    """When the next row that is not due yet will be."""
    return connection.execute(
        sa.select(sa.func.min(work.c.run_at).label("at")).where(work.c.state == "ready", work.c.run_at > now)
    ).scalar()


def done(connection: sa.Connection, work_id: int) -> None:
    """The row has said what it had to say."""
    connection.execute(work.delete().where(work.c.work_id == work_id))


def again(connection: sa.Connection, work_id: int, run_at: datetime, error: str) -> None:
    """Put the row back for later."""
    connection.execute(
        work.update()
        .where(work.c.work_id == work_id)
        .values(run_at=run_at, attempts=work.c.attempts + 1, last_error=error)
    )


def fail(connection: sa.Connection, work_id: int, error: str) -> None:
    """Set the row aside, for a person to look at."""
    connection.execute(
        work.update()
        .where(work.c.work_id == work_id)
        .values(state="failed", attempts=work.c.attempts + 1, last_error=error)
    )


def count(connection: sa.Connection, state: str) -> int:
    """How many rows are in a state (`ready`, `failed`)."""
    return int(
        connection.execute(sa.select(sa.func.count()).select_from(work).where(work.c.state == state)).scalar_one()
    )
