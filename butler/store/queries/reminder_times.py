"""How the clock affects reminders: due times pass, an event comes first, the owner changes the time zone."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.events import Event, EventName
from butler.contract.ports import Reminder
from butler.contract.schedules import Every, RecurrenceRule, ZoneChange
from butler.contract.wall_time import moment
from butler.store.queries import firings, reminders, work
from butler.store.queries.firings import FiringKind, FiringNote
from butler.store.queries.reminders import FIRED, REMIND, WAITING
from butler.store.tables import reminders as table
from butler.store.tables import work as work_table

LATE = timedelta(minutes=1)
"""A reminder delayed by more than this says so."""
MOST_MISSED = 1_000
"""The limit for counting missed times, which is the most that a rule with a count can have."""
AGAIN_AFTER = timedelta(days=1)
"""The interval between reports of mails with an unproved sender: they can be forged in any number."""
_BY_WHOM = frozenset({"sender", "contact", "domain"})


@dataclass(frozen=True, slots=True)
class Fired:
    """A fired reminder time, in the transaction that queues its message."""

    reminder: Reminder
    """Its new state; `due_at` is its next time if it is still waiting."""
    due_at: datetime
    """The fired time, the first of the missed ones."""
    at: datetime
    missed: int = 0
    """How many further missed times this message stands for."""
    event: Event | None = None
    """The event that came first; None if its time did."""
    unproved: bool = False
    """Whether the event's sender is unproved; then its time is still to come."""

    @property
    def late(self) -> bool:
        return self.event is None and self.at - self.due_at > LATE

    @property
    def is_over(self) -> bool:
        return self.reminder.state != WAITING


def fire(connection: sa.Connection, reminder_id: str, now: datetime) -> Fired | None:
    """Mark a reminder's due time and all other missed ones as fired, and wait for the next.

    Returns None if that time was already fired, has not come yet, or is no longer wanted.
    """
    reminder = reminders.get(connection, reminder_id)
    if reminder is None or reminder.state != WAITING or reminder.due_at > now:
        return None
    missed, times, rule_at, again_at = -1, reminder.times_past, reminder.rule_at, reminder.again_at
    if again_at is not None and again_at <= now:
        missed, again_at = missed + 1, None
    if rule_at is not None and rule_at <= now:
        passed, rule_at = over(reminder.rule, rule_at, now, times)
        missed, times = missed + passed, times + passed
    if not reminders.set_times(connection, reminder, rule_at=rule_at, again_at=again_at, times=times):
        return None
    after = reminders.get(connection, reminder_id)
    assert after is not None
    if after.state == WAITING:
        work.add(connection, REMIND, reminder_id, now=now, run_at=after.due_at)
    if not firings.fire(connection, FiringKind.REMINDER, reminder_id, reminder.due_at, now):
        return None
    return Fired(after, reminder.due_at, now, max(missed, 0))


def fire_early(connection: sa.Connection, event: Event, now: datetime) -> list[Fired]:
    """Fire a reminder that waits for this event, for good.

    A mail with an unproved sender is reported, and the reminder's time stays.
    """
    fired: list[Fired] = []
    for reminder, since in reminders.awaiting(connection):
        met = [one for one in reminder.until_event if one.matches(event)]
        if event.at < since or not met:
            continue
        if is_unproved(event) and all(any(where.fact in _BY_WHOM for where in one.where) for one in met):
            if _hearsay(connection, reminder, event, now):
                fired.append(Fired(reminder, event.at, now, event=event, unproved=True))
            continue
        times = reminder.times_past + (not reminder.rule.repeats)
        if not reminders.set_times(connection, reminder, rule_at=None, again_at=None, times=times):
            continue
        work.cancel(connection, REMIND, reminder.reminder_id)
        if firings.fire(connection, FiringKind.REMINDER, reminder.reminder_id, reminder.due_at, now):
            after = reminder.model_copy(
                update={"state": FIRED, "times_past": times, "rule_at": None, "again_at": None, "snoozed": False}
            )
            fired.append(Fired(after, reminder.due_at, now, event=event))
    return fired


def is_unproved(event: Event) -> bool:
    """Return whether an event is a mail whose sender is unproved."""
    return event.name is EventName.MAIL_RECEIVED and not event.facts["proved"]


def _hearsay(connection: sa.Connection, reminder: Reminder, event: Event, now: datetime) -> bool:
    """Return whether to report a mail with an unproved sender; not if one was reported lately, or this one before."""
    kind, subject = FiringKind.REMINDER, reminder.reminder_id
    if firings.noted_since(connection, kind, subject, FiringNote.UNPROVED, now - AGAIN_AFTER):
        return False
    return firings.fire(connection, kind, subject, event.at, now, note=FiringNote.UNPROVED)


def uncovered_due_time(connection: sa.Connection, reminder_id: str, now: datetime) -> datetime | None:
    """Return when a reminder is due, if that is later and no other work row covers that time."""
    reminder = reminders.get(connection, reminder_id)
    if reminder is None or reminder.state != WAITING or reminder.due_at <= now:
        return None
    ours = (work_table.c.subject == reminder_id, work_table.c.kind == REMIND, work_table.c.state == work.READY)
    rows = connection.execute(sa.select(sa.func.count()).select_from(work_table).where(*ours)).scalar_one()
    return None if rows > 1 else reminder.due_at


def travel(connection: sa.Connection, left: Collection[str], zone: str, now: datetime) -> list[Reminder]:
    """Move reminders that follow the owner's old time zone to another one; return those that moved.

    Each wall time fires once: if the move skips it, at the moment at which it would have been due. A reminder with a
    third zone stays there, as on a journey that kept its moments.
    """
    rows = connection.execute(sa.select(table).where(table.c.state == WAITING).order_by(table.c.due_at)).mappings()
    return [
        reminders.until_it_holds(partial(_move, connection, reminder.reminder_id, zone, now))
        for reminder in reminders.load(rows.all())
        if reminder.rule.zone in left and reminder.rule.moved(zone, now) != reminder.rule
    ]


def _move(connection: sa.Connection, reminder_id: str, zone: str, now: datetime) -> Reminder | None:
    reminder = reminders.known(connection, reminder_id)
    rule = reminder.rule.moved(zone, now)
    if reminder.state != WAITING or rule == reminder.rule:
        return reminder
    rule_at = next_in_new_zone(reminder.rule, rule, reminder.rule_at, now, reminder.times_past)
    again_at, times = reminder.again_at, reminder.times_past
    return reminders.wait_until(connection, reminder, now, rule_at=rule_at, again_at=again_at, times=times, rule=rule)


def heal(connection: sa.Connection, now: datetime) -> int:
    """Recompute, after the clock was set back, the due times that a fast clock had put far ahead.

    No time fires again. Returns how many reminders changed.
    """
    changed = 0
    for reminder_id in firings.ahead(connection, FiringKind.REMINDER, now):
        reminder = reminders.get(connection, reminder_id)
        if reminder is None or reminder.state != WAITING or reminder.rule_at is None or not reminder.rule.repeats:
            continue
        last = firings.last(connection, FiringKind.REMINDER, reminder_id)
        due_at = reminder.rule.next_fire(max(now, last or now), reminder.times_past)
        if due_at is None or due_at >= reminder.rule_at:
            continue
        again_at = reminder.again_at
        # If another daemon has changed it meanwhile, that daemon has handled it.
        healed = reminders.wait_until(
            connection, reminder, now, rule_at=due_at, again_at=again_at, times=reminder.times_past
        )
        changed += healed is not None
    return changed


def over(rule: RecurrenceRule, due_at: datetime, now: datetime, times: int) -> tuple[int, datetime | None]:
    """Count the past times of a rule from `due_at` on, and return the next one."""
    passed = 1
    for at in islice(rule.fires(due_at, times + 1), MOST_MISSED):
        if at > now:
            return passed, at
        passed += 1
    return passed, rule.next_fire(max(now, due_at), times + passed)


def next_in_new_zone(
    rule: RecurrenceRule, moved: RecurrenceRule, due_at: datetime | None, now: datetime, times: int
) -> datetime | None:
    """Return the next time of a rule that moved to another zone with this many past times."""
    if due_at is None or due_at <= now or moved.keeps is ZoneChange.INSTANT:
        return due_at
    if moved.every in {Every.MINUTE, Every.HOUR}:
        return moved.next_fire(now, times)
    at = moment(rule.wall(due_at), ZoneInfo(moved.zone))
    return at if at > now else due_at
