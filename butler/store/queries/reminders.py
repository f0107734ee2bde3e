"""Reminders as rows: a rule, the next time that it is due, and the work row that fires it then."""

import uuid
from datetime import datetime

import sqlalchemy as sa

from butler.contract.events import EventFilter
from butler.contract.ports import Reminder
from butler.contract.provenance import Origin
from butler.contract.schedules import Rule, once
from butler.store.queries import firings, work
from butler.store.queries.firings import FiringKind
from butler.store.queries.notes import dump_labels, load_labels
from butler.store.tables import reminders

REMIND = "remind"
"""The work that looks at a reminder when it is due; its subject is the reminder's id."""
WAITING, SAID, DONE, REMOVED = "waiting", "said", "done", "removed"


def add(
    connection: sa.Connection,
    call_id: str,
    text: str,
    rule: Rule,
    *,
    due_at: datetime,
    now: datetime,
    origins: frozenset[Origin] = frozenset(),
    until_event: tuple[EventFilter, ...] = (),
) -> Reminder:
    """Keep a reminder and the work row that fires it; the one that stands, when this call was made before."""
    row = connection.execute(sa.select(reminders).where(reminders.c.call_id == call_id)).mappings().first()
    if row is not None:
        return _reminder(row)
    reminder_id = uuid.uuid4().hex
    connection.execute(
        reminders.insert().values(
            reminder_id=reminder_id,
            call_id=call_id,
            text=text,
            zone=rule.zone,
            local_time=rule.local(due_at).replace(tzinfo=None).isoformat(),
            due_at=due_at,
            state=WAITING,
            rule=rule.model_dump(mode="json"),
            until_event=[one.model_dump(mode="json") for one in until_event] or None,
            labels=dump_labels(origins),
            created_at=now,
        )
    )
    work.add(connection, REMIND, reminder_id, now=now, run_at=due_at)
    made = get(connection, reminder_id)
    assert made is not None
    return made


def get(connection: sa.Connection, reminder_id: str) -> Reminder | None:
    """One reminder."""
    row = connection.execute(sa.select(reminders).where(reminders.c.reminder_id == reminder_id)).mappings().first()
    return None if row is None else _reminder(row)


def waiting(connection: sa.Connection, limit: int) -> list[Reminder]:
    """What is still to come, the next first."""
    rows = connection.execute(
        sa.select(reminders).where(reminders.c.state == WAITING).order_by(reminders.c.due_at).limit(limit)
    )
    return [_reminder(row) for row in rows.mappings()]


def fire(connection: sa.Connection, reminder_id: str, now: datetime) -> Reminder | None:
    """Take the time that a reminder is due at as said, and have its next one waited for.

    As it was before; None when that time was said before, is not come yet, or is not wanted any more.
    """
    reminder = get(connection, reminder_id)
    if reminder is None or reminder.state != WAITING or reminder.due_at > now:
        return None
    if not firings.fire(connection, FiringKind.REMINDER, reminder_id, reminder.due_at, now):
        return None
    said = reminder.said + (not reminder.snoozed)
    # Times that were missed meanwhile are one.
    following = reminder.rule.next_fire(max(now, reminder.due_at), said)
    values: dict[str, object] = {"said": said, "snoozed": False, "state": SAID if following is None else WAITING}
    if following is not None:
        local = reminder.rule.local(following).replace(tzinfo=None).isoformat()
        values |= {"due_at": following, "local_time": local, "zone": reminder.rule.zone}
        work.add(connection, REMIND, reminder_id, now=now, run_at=following)
    this = (reminders.c.reminder_id == reminder_id, reminders.c.due_at == reminder.due_at)
    connection.execute(reminders.update().where(*this).values(**values))
    return reminder


def _reminder(row: sa.RowMapping) -> Reminder:
    local_time = datetime.fromisoformat(row["local_time"])
    rule = Rule.model_validate(row["rule"]) if row["rule"] else once(local_time, row["zone"])
    return Reminder(
        reminder_id=row["reminder_id"],
        text=row["text"],
        rule=rule,
        zone=row["zone"],
        local_time=local_time,
        due_at=row["due_at"],
        state=row["state"],
        said=row["said"],
        snoozed=row["snoozed"],
        until_event=tuple(EventFilter.model_validate(one) for one in row["until_event"] or ()),
        origins=load_labels(row["labels"] or ()),
    )
