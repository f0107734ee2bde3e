"""Reminders as rows: a rule, its next due time, and the work row that fires it then.

`rule_at` is the next time of the rule, `again_at` the time of a snooze; `due_at` is the earlier one.
`butler.store.queries.reminder_times` handles changes of the clock and of the zone.
"""

import uuid
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.contract.errors import Refuse
from butler.contract.events import EventFilter
from butler.contract.ports import DeliveredReminder, Reminder
from butler.contract.provenance import Origin
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import say, say_clock, say_date
from butler.store.errors import StoreBusyError
from butler.store.queries import event_publisher, work
from butler.store.queries.firings import FiringKind
from butler.store.queries.notes import dump_labels, load_labels
from butler.store.tables import firings, outbox, reminders

REMIND = "remind"
"""The work kind of a reminder's due time; its subject is the reminder's id."""
TRIES = 5
"""Attempts to re-read what another daemon has changed meanwhile."""
WAITING, FIRED, DONE, REMOVED = "waiting", "fired", "done", "removed"

_BY_ID = sa.select(reminders).where(reminders.c.reminder_id == sa.bindparam("id"))
_BY_CALL = sa.select(reminders).where(reminders.c.call_id == sa.bindparam("call"))
_ADD = reminders.insert()
_AWAITS = sa.select(sa.literal(1)).where(reminders.c.awaits_event, reminders.c.state == WAITING).limit(1)


def add(
    connection: sa.Connection,
    call_id: str,
    text: str,
    rule: RecurrenceRule,
    *,
    now: datetime,
    origins: frozenset[Origin] = frozenset(),
    until_event: tuple[EventFilter, ...] = (),
) -> Reminder:
    """Store a reminder and its work row; return the existing one if this call was made before.

    Raises `Refuse` if all of its times are past.
    """
    row = connection.execute(_BY_CALL, {"call": call_id}).mappings().first()
    if row is not None:
        return _reminder(row)
    due_at = first_time(rule, now)
    reminder_id = uuid.uuid4().hex
    values = {
        "reminder_id": reminder_id,
        "call_id": call_id,
        "text": text,
        "zone": rule.zone,
        "local_time": _wall(rule, due_at),
        "due_at": due_at,
        "rule_at": due_at,
        "state": WAITING,
        "rule": rule.model_dump(mode="json"),
        "until_event": [one.model_dump(mode="json") for one in until_event] or None,
        "awaits_event": bool(until_event),
        "labels": dump_labels(origins),
        "created_at": now,
    }
    connection.execute(_ADD, values)
    work.add(connection, REMIND, reminder_id, now=now, run_at=due_at)
    return known(connection, reminder_id)


def first_time(rule: RecurrenceRule, now: datetime) -> datetime:
    """Return the first time of a new rule; raise `Refuse` if there is none."""
    due_at = rule.next_fire(now)
    if due_at is None:
        day, clock = say_date(rule.start), say_clock(rule.start)
        raise Refuse(say("{day} {clock} is in the past", day=day, clock=clock))
    return due_at


def depth(connection: sa.Connection, reminder_id: str) -> int:
    """Return how many automations in succession led to its creation."""
    call_id = connection.execute(sa.select(reminders.c.call_id).where(reminders.c.reminder_id == reminder_id)).scalar()
    return event_publisher.depth_of_call(connection, call_id or "")


def get(connection: sa.Connection, reminder_id: str) -> Reminder | None:
    """Return one reminder."""
    row = connection.execute(_BY_ID, {"id": reminder_id}).mappings().first()
    return None if row is None else _reminder(row)


def known(connection: sa.Connection, reminder_id: str) -> Reminder:
    """Return a reminder that was not removed; raise `Refuse` if there is none."""
    reminder = get(connection, reminder_id)
    if reminder is None or reminder.state == REMOVED:
        raise Refuse(say("there is no such reminder any more"))
    return reminder


def waiting(connection: sa.Connection, limit: int) -> list[Reminder]:
    """Return the waiting reminders, the next first."""
    rows = connection.execute(
        sa.select(reminders).where(reminders.c.state == WAITING).order_by(reminders.c.due_at).limit(limit)
    )
    return [_reminder(row) for row in rows.mappings()]


def any_awaits(connection: sa.Connection) -> bool:
    """Return whether any reminder waits for an event."""
    return connection.execute(_AWAITS).first() is not None


def awaiting(connection: sa.Connection) -> list[tuple[Reminder, datetime]]:
    """Return the reminders that wait for an event, each with the moment since which it does."""
    query = sa.select(reminders).where(reminders.c.awaits_event, reminders.c.state == WAITING)
    return [(_reminder(row), row["created_at"]) for row in connection.execute(query).mappings()]


def delivered(connection: sa.Connection, limit: int) -> list[DeliveredReminder]:
    """Return the sent reminders, the latest first, with the time when the provider accepted each."""
    query = (
        sa.select(
            reminders,
            firings.c.due_at.label("fired_due_at"),
            firings.c.fired_at,
            sa.case((outbox.c.state == "sent", outbox.c.sent_at), else_=None).label("delivered_at"),
        )
        .join(reminders, reminders.c.reminder_id == firings.c.subject)
        .outerjoin(outbox, outbox.c.message_id == firings.c.message_id)
        .where(firings.c.kind == FiringKind.REMINDER.value)
        .order_by(firings.c.fired_at.desc())
        .limit(limit)
    )
    return [
        DeliveredReminder(
            reminder=_reminder(row),
            due_at=row["fired_due_at"],
            fired_at=row["fired_at"],
            delivered_at=row["delivered_at"],
        )
        for row in connection.execute(query.select_from(firings)).mappings()
    ]


def snooze(connection: sa.Connection, reminder_id: str, until: datetime, now: datetime) -> Reminder:
    """Snooze the last fired time until a moment; if none was fired, postpone the first one."""
    until = until.replace(microsecond=0)

    def put_off() -> Reminder | None:
        reminder = known(connection, reminder_id)
        if until <= now:
            there = reminder.rule.local(until)
            raise Refuse(say("{day} {clock} is in the past", day=say_date(there), clock=say_clock(there)))
        rule_at: datetime | None = reminder.rule_at
        times = reminder.times_past
        if reminder.state == WAITING and rule_at is not None and (not reminder.rule.repeats or not times):
            times += 1
            rule_at = reminder.rule.next_fire(rule_at, times)
        return wait_until(connection, reminder, now, rule_at=rule_at, again_at=until, times=times)

    return until_it_holds(put_off)


def skip(connection: sa.Connection, reminder_id: str, due_at: datetime, now: datetime) -> Reminder:
    """Skip the next due time, if it is still this one; it may have been the last."""

    def leave_out() -> Reminder | None:
        reminder = known(connection, reminder_id)
        if reminder.state != WAITING or reminder.due_at != due_at:
            return reminder
        rule_at: datetime | None = reminder.rule_at
        again_at: datetime | None = reminder.again_at
        times = reminder.times_past
        if again_at == due_at:
            again_at = None
        if rule_at is not None and rule_at == due_at:
            times += 1
            rule_at = reminder.rule.next_fire(rule_at, times)
        return wait_until(connection, reminder, now, rule_at=rule_at, again_at=again_at, times=times, over=DONE)

    return until_it_holds(leave_out)


def change(
    connection: sa.Connection,
    reminder_id: str,
    now: datetime,
    *,
    text: str = "",
    rule: RecurrenceRule | None = None,
    origins: frozenset[Origin] = frozenset(),
) -> Reminder:
    """Change a reminder's words, of these `origins`, or its times; a finished one waits again."""
    reminder = known(connection, reminder_id)
    if rule is None and reminder.state != WAITING:
        raise Refuse(say("this reminder is over"))
    if text and text != reminder.text:
        _set(connection, reminder_id, text=text, labels=dump_labels(origins))
    if rule is None:
        return known(connection, reminder_id)
    if rule == reminder.rule and reminder.state == WAITING and not reminder.snoozed:
        return known(connection, reminder_id)
    rule_at = first_time(rule, now)

    def follow() -> Reminder | None:
        before = known(connection, reminder_id)
        return wait_until(connection, before, now, rule_at=rule_at, again_at=None, times=0, rule=rule)

    return until_it_holds(follow)


def settle(connection: sa.Connection, reminder_id: str, now: datetime, *, removed: bool = False) -> Reminder:
    """Mark a reminder as done: drop its snooze, and end it unless it repeats; or remove it for good."""

    def end() -> Reminder | None:
        reminder = get(connection, reminder_id)
        if removed and reminder is not None and reminder.state == REMOVED:
            return reminder
        reminder = known(connection, reminder_id)
        rule_at = reminder.rule_at if reminder.rule.repeats and not removed else None
        over = REMOVED if removed else DONE
        return wait_until(
            connection, reminder, now, rule_at=rule_at, again_at=None, times=reminder.times_past, over=over
        )

    return until_it_holds(end)


def until_it_holds(change: Callable[[], Reminder | None]) -> Reminder:
    """Run a function that reads and changes a reminder, again if another daemon changed it in between."""
    for _ in range(TRIES):
        if (changed := change()) is not None:
            return changed
    raise StoreBusyError("a reminder is changed again and again by others")


def wait_until(
    connection: sa.Connection,
    reminder: Reminder,
    now: datetime,
    *,
    rule_at: datetime | None,
    again_at: datetime | None,
    times: int,
    over: str = FIRED,
    rule: RecurrenceRule | None = None,
) -> Reminder | None:
    """Have a reminder wait for the earlier of these times, or be `over` if there is neither.

    Returns None, without changes, if another daemon has changed its time meanwhile.
    """
    if not set_times(connection, reminder, rule_at=rule_at, again_at=again_at, times=times, over=over, rule=rule):
        return None
    work.cancel(connection, REMIND, reminder.reminder_id)
    changed = get(connection, reminder.reminder_id)
    assert changed is not None
    if changed.state == WAITING:
        work.add(connection, REMIND, reminder.reminder_id, now=now, run_at=changed.due_at)
    return changed


def set_times(
    connection: sa.Connection,
    reminder: Reminder,
    *,
    rule_at: datetime | None,
    again_at: datetime | None,
    times: int,
    over: str = FIRED,
    rule: RecurrenceRule | None = None,
) -> bool:
    """Store a reminder's times and rule, without a work row.

    Returns False if another daemon has changed its time meanwhile.
    """
    due_at = min((at for at in (rule_at, again_at) if at is not None), default=None)
    values: dict[str, Any] = {
        "times_past": times,
        "rule_at": rule_at,
        "again_at": again_at,
        "state": WAITING if due_at is not None else over,
        "snoozed": due_at is not None and due_at != rule_at,
    }
    if rule is not None:
        values["rule"] = rule.model_dump(mode="json")
    if due_at is not None:
        by = rule or reminder.rule
        values |= {"due_at": due_at, "local_time": _wall(by, due_at), "zone": by.zone}
    as_it_was = (reminders.c.due_at == reminder.due_at, reminders.c.state == reminder.state)
    return _set(connection, reminder.reminder_id, *as_it_was, **values)


def _set(connection: sa.Connection, reminder_id: str, *where: sa.ColumnElement[bool], **values: object) -> bool:
    this = reminders.update().where(reminders.c.reminder_id == reminder_id, *where)
    return connection.execute(this.values(**values)).rowcount == 1


def _wall(rule: RecurrenceRule, at: datetime) -> str:
    return rule.local(at).replace(tzinfo=None).isoformat()


def load(rows: Sequence[sa.RowMapping]) -> list[Reminder]:
    """Build reminders from rows."""
    return [_reminder(row) for row in rows]


def _reminder(row: sa.RowMapping) -> Reminder:
    local_time = datetime.fromisoformat(row["local_time"])
    rule = (
        RecurrenceRule.model_validate(row["rule"])
        if row["rule"]
        else RecurrenceRule(zone=row["zone"], start=local_time)
    )
    return Reminder(
        reminder_id=row["reminder_id"],
        text=row["text"],
        rule=rule,
        zone=row["zone"],
        local_time=local_time,
        due_at=row["due_at"],
        state=row["state"],
        times_past=row["times_past"],
        snoozed=row["snoozed"],
        rule_at=row["rule_at"],
        again_at=row["again_at"],
        until_event=tuple(EventFilter.model_validate(one) for one in row["until_event"] or ()),
        origins=load_labels(row["labels"] or ()),
    )
