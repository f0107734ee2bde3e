"""From what a tool was given to the rule that is kept, and what is told of it."""

from datetime import datetime, time, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import ValidationError

from butler.contract.door import explain
from butler.contract.errors import Refuse
from butler.contract.events import Compare, Condition, EventFilter, EventName
from butler.contract.ports import Reminder
from butler.contract.rule_words import rule_in_words
from butler.contract.schedules import Keeps, Rule
from butler.contract.speech import phrase, say
from butler.contract.wall_time import moment
from modules.reminders.args import Times

NINE = time(9)
SOON = timedelta(hours=1)
TOLD = 3
"""Of the next times, as many are told."""
NO_TIME = phrase("say when, as `at`, or how often, as `every`")


def rule_of(given: Times, zone: str, now: datetime) -> Rule:
    """The rule that is meant; raises `Refuse` where it is none. `now` is aware."""
    start = given.at
    if start is None:
        if given.every is None:
            raise Refuse(say(NO_TIME))
        here = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None, second=0, microsecond=0)
        start = datetime.combine(here.date(), min(given.clocks, default=NINE)) if not _short(given) else here
    fields: dict[str, Any] = given.model_dump(include={"interval", "on", "nth", "day", "month", "until"})
    within = given.within if len(given.within) == 2 else None  # noqa: PLR2004 - from and to
    try:
        return Rule(
            zone=zone,
            start=start,
            keeps=kept(given, zone, now),
            every=given.every,
            at=given.clocks,
            within=within,
            times=given.times,
            **fields,
        )
    except ValidationError as error:
        raise Refuse(explain(error)) from None


def kept(given: Times, zone: str, now: datetime) -> Keeps:
    """What stays in another zone: the moment of what is due by the second or soon, as lengths of time from now are.

    What goes by minutes or hours, not within hours of the day, keeps its moments too.
    """
    if given.keeps is not None:
        return given.keeps
    if given.every is not None:
        return Keeps.INSTANT if _short(given) and not given.within else Keeps.WALL
    soon = given.at is not None and moment(given.at, ZoneInfo(zone)) - now <= SOON
    return Keeps.INSTANT if soon or (given.at is not None and given.at.second) else Keeps.WALL


def _short(given: Times) -> bool:
    return given.every is not None and given.every.value in {"minute", "hour"}


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
