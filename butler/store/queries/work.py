"""Work rows: "look at this", written in the same transaction as what they announce.

Statements of the busy paths are built once: building one costs several times what running it does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from typing import Any

import sqlalchemy as sa

from butler.store.tables import work

READY = "ready"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NewWork:
    """One thing to look at, to be written. Without a lane of its own it runs beside everything else."""

    kind: str
    subject: str
    lane: str = ""
    run_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One thing to look at, not before `run_at`, after what stands before it in its lane."""

    work_id: int
    kind: str
    subject: str
    lane: str
    run_at: datetime
    attempts: int
    faults: int
    """Attempts that ended in an error which nobody foresaw."""
    delayed: bool
    """Written for later; its lane does not wait for it until then."""


_COLUMNS = (
    work.c.work_id,
    work.c.kind,
    work.c.subject,
    work.c.lane,
    work.c.run_at,
    work.c.attempts,
    work.c.faults,
    (work.c.run_at > work.c.created_at).label("delayed"),
)
_IS_READY = work.c.state == READY
_ADD = work.insert().returning(work.c.work_id)
_WRITTEN = (
    sa.select(*_COLUMNS)
    .where(_IS_READY, work.c.work_id > sa.bindparam("after"))
    .order_by(work.c.work_id)
    .limit(sa.bindparam("most"))
)
_ADD_ALL = work.insert()
_DONE = work.delete().where(work.c.work_id == sa.bindparam("id"))


def add(
    connection: sa.Connection, kind: str, subject: str, *, now: datetime, lane: str = "", run_at: datetime | None = None
) -> int:
    """Write a work row; its id. Without a lane of its own it runs beside everything else."""
    return connection.execute(_ADD, _values(NewWork(kind, subject, lane, run_at), now)).scalar_one()


def add_all(connection: sa.Connection, rows: Iterable[NewWork], *, now: datetime) -> None:
    """Write several work rows at once, in their order."""
    if values := [_values(row, now) for row in rows]:
        connection.execute(_ADD_ALL, values)


def _values(row: NewWork, now: datetime) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "subject": row.subject,
        "lane": row.lane or f"{row.kind}:{row.subject}",
        "run_at": row.run_at or now,
        "state": READY,
        "created_at": now,
    }


def cancel(connection: sa.Connection, kind: str, subject: str) -> None:
    """Take back what has not begun. A row that the engine has already taken up still reaches its handler."""
    cancel_all(connection, (kind,), subject)


def cancel_all(connection: sa.Connection, kinds: tuple[str, ...], subject: str) -> None:
    """The same for rows of several kinds."""
    connection.execute(_cancel(kinds), {"subject": subject})


@cache
def _cancel(kinds: tuple[str, ...]) -> sa.Delete:
    # An IN would be written out anew for each execution.
    of_kind = sa.or_(*(work.c.kind == kind for kind in kinds))
    return work.delete().where(work.c.subject == sa.bindparam("subject"), of_kind, _IS_READY)


def written(connection: sa.Connection, after: int, limit: int = 500) -> list[WorkRow]:
    """Ready rows with an id past `after`, due or not, in the order of writing."""
    return [WorkRow(*row) for row in connection.execute(_WRITTEN, {"after": after, "most": limit})]


def ready(connection: sa.Connection, now: datetime, after: int = 0, limit: int = 500) -> list[WorkRow]:
    """Rows that are due, in the order of writing."""
    rows = connection.execute(
        sa.select(*_COLUMNS)
        .where(_IS_READY, work.c.run_at <= now, work.c.work_id > after)
        .order_by(work.c.work_id)
        .limit(limit)
    )
    return [WorkRow(*row) for row in rows]


def last_id(connection: sa.Connection) -> int:
    """The id of the row that was written last; 0 where there is none."""
    return connection.execute(sa.select(sa.func.max(work.c.work_id))).scalar() or 0


def next_due(connection: sa.Connection, now: datetime) -> datetime | None:
    """When the next row that is not due yet will be."""
    return connection.execute(sa.select(sa.func.min(work.c.run_at)).where(_IS_READY, work.c.run_at > now)).scalar()


def done(connection: sa.Connection, work_id: int) -> None:
    """The row has said what it had to say."""
    connection.execute(_DONE, {"id": work_id})


def done_all(connection: sa.Connection, work_ids: Sequence[int]) -> None:
    """These rows have said what they had to say."""
    if work_ids:
        connection.execute(_DONE, [{"id": work_id} for work_id in work_ids])


def again(connection: sa.Connection, work_id: int, run_at: datetime, error: str, *, fault: bool = False) -> None:
    """Put the row back for later; `fault` counts an error which nobody foresaw."""
    connection.execute(
        work.update()
        .where(work.c.work_id == work_id)
        .values(run_at=run_at, attempts=work.c.attempts + 1, faults=work.c.faults + int(fault), last_error=error)
    )


def fail(connection: sa.Connection, work_id: int, error: str) -> None:
    """Set the row aside, for a person to look at."""
    connection.execute(
        work.update()
        .where(work.c.work_id == work_id)
        .values(state=FAILED, attempts=work.c.attempts + 1, faults=work.c.faults + 1, last_error=error)
    )


def count(connection: sa.Connection, state: str) -> int:
    """How many rows are in a state (`ready`, `failed`)."""
    return int(
        connection.execute(sa.select(sa.func.count()).select_from(work).where(work.c.state == state)).scalar_one()
    )
