"""The due times of recurring bulk rules; the rules' own rows store what they do."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.contract.reasons import Reason
from butler.store.queries import work
from butler.store.tables import bulk_schedules

DUE = "bulk_due"
"""The work kind of a rule's due time; its subject is the rule."""


@dataclass(frozen=True, slots=True)
class ScheduleRow:
    """The due time of one rule."""

    rule_id: str
    due_at: datetime
    last_at: datetime | None
    trouble: tuple[Reason, ...]


_COLUMNS = tuple(bulk_schedules.c[name] for name in ScheduleRow.__dataclass_fields__)


def add(connection: sa.Connection, rule_id: str, due_at: datetime, now: datetime) -> None:
    """Store a new rule's schedule with its first due time."""
    connection.execute(bulk_schedules.insert().values(rule_id=rule_id, due_at=due_at))
    wait(connection, rule_id, due_at, now)


def get(connection: sa.Connection, rule_id: str) -> ScheduleRow | None:
    """Return a rule's schedule."""
    row = connection.execute(sa.select(*_COLUMNS).where(bulk_schedules.c.rule_id == rule_id)).first()
    return None if row is None else ScheduleRow(*row)


def settle(
    connection: sa.Connection, rule_id: str, due_at: datetime, following: datetime | None, trouble: Sequence[Reason]
) -> bool:
    """Mark a due time as settled, with any outcome; return False if it already was. None as the next time ends it."""
    found = (bulk_schedules.c.rule_id == rule_id, bulk_schedules.c.due_at == due_at)
    last = (bulk_schedules.c.last_at.is_(None)) | (bulk_schedules.c.last_at < due_at)
    values = {"due_at": following or due_at, "last_at": due_at, "trouble": trouble}
    return bool(connection.execute(bulk_schedules.update().where(*found, last).values(**values)).rowcount)


def wait(connection: sa.Connection, rule_id: str, due_at: datetime, now: datetime) -> None:
    """Schedule a rule for this moment, not before."""
    work.cancel(connection, DUE, rule_id)
    work.add(connection, DUE, rule_id, now=now, run_at=due_at)
