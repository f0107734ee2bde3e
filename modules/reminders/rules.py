"""From what a tool was given to the rule that is kept, and what is told of it."""

from datetime import datetime, time, timedelta
from itertools import islice
from typing import Any

from butler.contract.asked_times import Times, kept, rule_of
from butler.contract.events import Compare, Condition, EventFilter, EventName
from butler.contract.ports import Reminder
from butler.contract.rule_words import rule_in_words
from butler.contract.schedules import Rule

TOLD = 3
"""Of the next times, as many are told."""


def changed(reminder: Reminder, given: Times, to_clock: time | None, now: datetime) -> Rule | None:
    """The rule that a reminder has from now on; None where nothing is said of its times, or only of its next one.

    A time of day alone leaves its days as they are; of what is due once, its day, or the day after where that is past.
    """
    rule = reminder.rule
    if given.every is not None:
        return rule_of(given, rule.zone, now)
    if to_clock is not None and rule.repeats and rule.within is None:
        return rule.model_copy(update={"start": datetime.combine(rule.start.date(), to_clock), "at": ()})
    if to_clock is not None:
        day = max(rule.local(reminder.due_at), rule.local(now)).date()
        start = datetime.combine(day, to_clock)
        once = Rule(zone=rule.zone, start=start)
        return once if once.next_fire(now) else once.model_copy(update={"start": start + timedelta(days=1)})
    if given.at is not None and not rule.repeats:
        return Rule(zone=rule.zone, start=given.at, keeps=kept(given, rule.zone, now))
    return None


def told(reminder: Reminder, now: datetime) -> dict[str, Any]:
    """What is said of a reminder that was made or changed: its rule in words and its next times, with their zone."""
    record = reminder.model_dump(mode="json", exclude={"until_event"})
    already = reminder.said
    fires = [reminder.rule.local(at).isoformat() for at in islice(reminder.rule.fires(now, already), TOLD)]
    if reminder.snoozed and reminder.state == "waiting":
        fires = [reminder.rule.local(reminder.due_at).isoformat(), *fires][:TOLD]
    often = rule_in_words(reminder.rule)
    return {**record, "often": often, "next": fires, "waits_for_event": bool(reminder.until_event)}


def answers_of(name: str) -> tuple[EventFilter, ...]:
    """What comes in when a contact writes, by mail or in a chat."""
    if not name:
        return ()
    by = Condition(fact="contact", compare=Compare.IS, value=name)
    return tuple(EventFilter(event=event, where=(by,)) for event in (EventName.MAIL_RECEIVED, EventName.CHAT_RECEIVED))


def fits(reminder: Reminder, words: str, clock: time | None) -> bool:
    """Whether a reminder holds all the words, and has a time at this time of day."""
    held = reminder.text.casefold()
    if not all(word in held for word in words.casefold().split()):
        return False
    if clock is None:
        return True
    clocks = reminder.rule.at or (reminder.rule.start.time(),)
    return any((one.hour, one.minute) == (clock.hour, clock.minute) for one in (*clocks, reminder.local_time.time()))
