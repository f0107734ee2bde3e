"""Work rows: "look at this", written in the transaction of what they announce.

Statements of the busy paths are built once: building one costs several times what running it does.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any

import sqlalchemy as sa

from butler.contract.reasons import Reason
from butler.store.tables import work

READY = "ready"
FAILED = "failed"


@dataclass(frozen=True, slots=True)
class NewWork:
    """A work row to be written. Without a lane it runs beside everything else."""

    kind: str
    subject: str
    lane: str = ""
    run_at: datetime | None = None
    """The moment to wait for: by the clock, however that is set meanwhile."""
    wait: timedelta | None = None
    """The duration to wait for instead: setting the clock neither extends nor shortens it."""


@dataclass(frozen=True, slots=True)
class WorkRow:
    """One work row, to be handled after `run_at` and after what precedes it in its lane."""

    work_id: int
    kind: str
    subject: str
    lane: str
    run_at: datetime
    attempts: int
    faults: int
    """Attempts that ended in an unexpected error."""
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
    sa.or_(work.c.run_at > work.c.created_at, work.c.waits_s.is_not(None)).label("delayed"),
)
_IS_READY = work.c.state == READY
_ADD = work.insert().returning(work.c.work_id)
_WRITTEN = (
    sa.select(*_COLUMNS)
    .where(_IS_READY, work.c.work_id > sa.bindparam("after"))
    .order_by(work.c.work_id)
    .limit(sa.bindparam("most"))
)
_WAITING = (
    sa.select(*_COLUMNS)
    .where(_IS_READY, work.c.run_at <= sa.bindparam("until"), work.c.waits_s.is_not(None))
    .order_by(work.c.work_id)
)
_ADD_ALL = work.insert()
_DONE = work.delete().where(work.c.work_id == sa.bindparam("id"))


def add(
    connection: sa.Connection,
    kind: str,
    subject: str,
    *,
    now: datetime,
    lane: str = "",
    run_at: datetime | None = None,
    wait: timedelta | None = None,
) -> int:
    """Write a work row; return its id. Without a lane it runs beside everything else.

    It waits for the moment `run_at`, or for the duration `wait`, however the clock is set meanwhile.
    """
    return connection.execute(_ADD, _values(NewWork(kind, subject, lane, run_at, wait), now)).scalar_one()


def add_all(connection: sa.Connection, rows: Iterable[NewWork], *, now: datetime) -> None:
    """Write several work rows, in their order."""
    if values := [_values(row, now) for row in rows]:
        connection.execute(_ADD_ALL, values)


def _values(row: NewWork, now: datetime) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "subject": row.subject,
        "lane": row.lane or f"{row.kind}:{row.subject}",
        "run_at": row.run_at or now if row.wait is None else now + row.wait,
        "state": READY,
        "created_at": now,
        "waits_s": None if row.wait is None else row.wait.total_seconds(),
    }


def cancel(connection: sa.Connection, kind: str, subject: str) -> None:
    """Delete a work row that has not begun. If the engine has already taken it up, its handler still gets it."""
    cancel_all(connection, (kind,), subject)


def cancel_all(connection: sa.Connection, kinds: tuple[str, ...], subject: str) -> None:
    """Delete rows of several kinds, as `cancel` does."""
    connection.execute(_cancel(kinds), {"subject": subject})


@cache
def _cancel(kinds: tuple[str, ...]) -> sa.Delete:
    # An IN would be rendered again at each execution.
    of_kind = sa.or_(*(work.c.kind == kind for kind in kinds))
    return work.delete().where(work.c.subject == sa.bindparam("subject"), of_kind, _IS_READY)


def written(connection: sa.Connection, after: int, limit: int = 500) -> list[WorkRow]:
    """Return ready rows with an id past `after`, due or not, in the order of writing."""
    return [WorkRow(*row) for row in connection.execute(_WRITTEN, {"after": after, "most": limit})]


def ready(connection: sa.Connection, now: datetime, after: int = 0, limit: int = 500) -> list[WorkRow]:
    """Return due rows, in the order of writing."""
    rows = connection.execute(
        sa.select(*_COLUMNS)
        .where(_IS_READY, work.c.run_at <= now, work.c.work_id > after)
        .order_by(work.c.work_id)
        .limit(limit)
    )
    return [WorkRow(*row) for row in rows]


def waiting(connection: sa.Connection, until: datetime) -> list[WorkRow]:
    """Return the rows whose duration is over by then, in their order."""
    return [WorkRow(*row) for row in connection.execute(_WAITING, {"until": until})]


def last_id(connection: sa.Connection) -> int:
    """Return the id of the last written row; 0 if there is none."""
    return connection.execute(sa.select(sa.func.max(work.c.work_id))).scalar() or 0


def next_due(connection: sa.Connection, now: datetime) -> datetime | None:
    """Return when the next row becomes due."""
    return connection.execute(sa.select(sa.func.min(work.c.run_at)).where(_IS_READY, work.c.run_at > now)).scalar()


def done(connection: sa.Connection, work_id: int) -> None:
    """Delete a handled row."""
    connection.execute(_DONE, {"id": work_id})


def done_all(connection: sa.Connection, work_ids: Sequence[int]) -> None:
    """Delete handled rows."""
    if work_ids:
        connection.execute(_DONE, [{"id": work_id} for work_id in work_ids])


def again(
    connection: sa.Connection,
    work_id: int,
    run_at: datetime,
    error: Reason,
    *,
    fault: bool = False,
    wait: timedelta | None = None,
) -> None:
    """Put the row back for later; `fault` counts an unexpected error, `wait` is as in `NewWork`."""
    values = {
        "run_at": run_at,
        "attempts": work.c.attempts + 1,
        "faults": work.c.faults + int(fault),
        "last_error": (error,),
        "waits_s": None if wait is None else wait.total_seconds(),
    }
    connection.execute(work.update().where(work.c.work_id == work_id).values(values))


def adjust_to_clock(connection: sa.Connection, step: timedelta, now: datetime) -> None:
    """Correct waiting rows after the clock was set by `step` (negative: back) to `now`; zero if that was not seen.

    Durations keep their remainder, and never exceed the whole. Rows that were due when written stay due. Rows that wait
    for a moment go on waiting for it.
    """
    was_due = work.c.waits_s.is_(None) & (work.c.run_at <= work.c.created_at)
    waits = sa.select(work.c.work_id, work.c.run_at, work.c.waits_s).where(
        _IS_READY, work.c.run_at > min(now, now - step), sa.or_(work.c.waits_s.is_not(None), was_due)
    )
    for work_id, run_at, waits_s in connection.execute(waits).all():
        left = now if waits_s is None else min(run_at + step, now + timedelta(seconds=waits_s))
        connection.execute(work.update().where(work.c.work_id == work_id).values(run_at=left))


def fail(connection: sa.Connection, work_id: int, error: Reason) -> None:
    """Mark the row as failed, for a person to look at."""
    connection.execute(
        work.update()
        .where(work.c.work_id == work_id)
        .values(state=FAILED, attempts=work.c.attempts + 1, faults=work.c.faults + 1, last_error=(error,))
    )


def count(connection: sa.Connection, state: str) -> int:
    """Count the rows in a state (`ready`, `failed`)."""
    return int(
        connection.execute(sa.select(sa.func.count()).select_from(work).where(work.c.state == state)).scalar_one()
    )
