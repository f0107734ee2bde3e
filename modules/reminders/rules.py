"""Builds reminder rules from tool arguments, and the report on them."""

from datetime import datetime, time, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.asked_times import Times, kept, rule_of
from butler.contract.errors import Refuse
from butler.contract.events import Compare, Condition, EventFilter, EventName
from butler.contract.ports import Reminder
from butler.contract.rule_words import rule_in_words
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import say

TOLD = 3
"""Next times to report."""


def changed(reminder: Reminder, given: Times, to_clock: time | None, zone: str, now: datetime) -> RecurrenceRule | None:
    """Return a reminder's new rule; None if its times do not change, or only its next one.

    Times are in `zone`, where the owner is, even for a reminder that stayed in another zone.
    """
    rule = reminder.rule
    if given.every is not None:
        return rule_of(given, zone, now)
    if to_clock is not None:
        return _at_clock(reminder, to_clock, zone, now)
    if given.at is not None and not rule.repeats:
        return RecurrenceRule(zone=zone, start=given.at, later=given.later, keeps=kept(given, zone, now))
    return None


def _at_clock(reminder: Reminder, clock: time, zone: str, now: datetime) -> RecurrenceRule:
    """Keep the days and the times left; a single reminder stays on its day, or moves to the next if that time is past.

    Raise `Refuse` for a reminder that is due throughout the hours of a day.
    """
    rule = reminder.rule
    if rule.within is not None:
        raise Refuse(say("How often exactly? Say it like “every 2 hours” or “every 3 days at 9”."))
    if rule.repeats:
        start, left = datetime.combine(rule.start.date(), clock), rule.times - reminder.times_past
        times = left if left > 0 else rule.times
        return rule.model_copy(update={"zone": zone, "start": start, "later": False, "at": (), "times": times})
    day = max(reminder.due_at, now).astimezone(ZoneInfo(zone)).date()
    start = datetime.combine(day, clock)
    once = RecurrenceRule(zone=zone, start=start)
    return once if once.next_fire(now) else once.model_copy(update={"start": start + timedelta(days=1)})


def describe_reminder(reminder: Reminder, now: datetime) -> dict[str, Any]:
    """Return the report on a created or changed reminder: its rule in words and its next times, with their zone."""
    record = reminder.model_dump(mode="json", exclude={"until_event"})
    already = reminder.times_past
    fires = [reminder.rule.local(at).isoformat() for at in islice(reminder.rule.fires(now, already), TOLD)]
    if reminder.snoozed and reminder.state == "waiting":
        fires = [reminder.rule.local(reminder.due_at).isoformat(), *fires][:TOLD]
    often = rule_in_words(reminder.rule)
    return {**record, "often": often, "next": fires, "waits_for_event": bool(reminder.until_event)}


def answers_of(name: str) -> tuple[EventFilter, ...]:
    """Return the filters for a contact's messages, by mail or in a chat."""
    if not name:
        return ()
    by = Condition(fact="contact", compare=Compare.IS, value=name)
    return tuple(EventFilter(event=event, where=(by,)) for event in (EventName.MAIL_RECEIVED, EventName.CHAT_RECEIVED))


def fits(reminder: Reminder, words: str, clock: time | None) -> bool:
    """Return whether a reminder holds all the words, and has a time at this time of day."""
    held = reminder.text.casefold()
    if not all(word in held for word in words.casefold().split()):
        return False
    if clock is None:
        return True
    clocks = reminder.rule.at or (reminder.rule.start.time(),)
    return any((one.hour, one.minute) == (clock.hour, clock.minute) for one in (*clocks, reminder.local_time.time()))
