"""Builds recurring events: the first time and the repetition, one event for each weekday."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from itertools import islice
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.schedules import Every, RecurrenceRule
from butler.contract.speech import phrase, say, say_clock
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.every import Repeated, rule_of
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.planning.plan_types import Choice
from butler.orchestrator.understanding.calendar.hours import (
    BIRTHDAY,
    WHOLE_DAYS,
    Hours,
    in_evening,
    is_whole,
    lasting,
)
from butler.orchestrator.understanding.reminders.rules import recurring
from butler.orchestrator.understanding.said import CLOCKS, Said
from butler.orchestrator.understanding.times.upcoming import likely
from butler.understanding.times.saying import TimeSaid

REPEATS = {Every.DAY: "daily", Every.WEEK: "weekly", Every.MONTH: "monthly", Every.YEAR: "yearly"}
ONLY = phrase("I can repeat an event every day, week, month or year, and on one day of the week.")
MOST_EVENTS, MOST_TIMES = 3, 1_000


def again(said: Said, title: str) -> Sequence[dict[str, Any]]:
    """Return the arguments for the first time and the repetition, for each weekday."""
    repeated = recurring(said).said
    often = repeated.often
    each = often["every"]
    if (
        each not in REPEATS
        or often.get("interval", 1) > 1
        or often.get("nth")
        or len(often.get("on", ())) > MOST_EVENTS
    ):
        raise Asking(say(ONLY))
    words = " ".join((*said.request.words("every"), *said.request.words("time")))
    days = [(day,) for day in often.get("on", ())] or [()]
    return [_first(replace(repeated, often=often | ({"on": on} if on else {})), said, title, words) for on in days]


def _first(repeated: Repeated, said: Said, title: str, words: str) -> dict[str, Any]:
    span = _afternoon(repeated, title, words)
    spanless = replace(repeated, within=None, clocks=(span.clock,) if span.clock else ())
    rule = rule_of(spanless, said.scene.now(), said.scene.request.zone.key)
    if rule is None:
        raise Asking(say("None of those times is to come. When shall it be?"))
    days, minutes = lasting(said)
    start: date | datetime = rule.start
    parted = bool(repeated.parts) and span.clock is None
    if span.clock is None and not parted:
        by_day = repeated.often["every"] is Every.YEAR or BIRTHDAY.search(title) or WHOLE_DAYS.search(title) or days
        if not (by_day or is_whole(said)):
            raise Asking(say("At what time?"), _clocks_for(said))
        start = rule.start.date()
    end = datetime.combine(rule.start.date(), span.until_clock) if span.until_clock else None
    hours = Hours(start, end, minutes).args()
    return hours | {"repeat": REPEATS[repeated.often["every"]]} | _ends(rule)


def _afternoon(repeated: Repeated, title: str, words: str) -> TimeSaid:
    """Return the event's hours; `at five` is in the afternoon."""
    first = repeated.within[0] if repeated.within else repeated.clocks[0] if repeated.clocks else None
    if len(repeated.clocks) > 1:
        raise Asking(say(ONLY))
    last = repeated.within[1] if repeated.within else None
    sure = repeated.half_said or first is None or not 0 < first.hour < DAWN
    found = TimeSaid(clock=first, until_clock=last, half_said=sure)
    return in_evening(likely(found, words), title, words)


def _ends(rule: RecurrenceRule) -> dict[str, str]:
    """Return the last day of the repetition, computed if the request gives a number of times."""
    if rule.until is not None:
        return {"until": rule.until.isoformat()}
    if not rule.times:
        return {}
    before = (rule.start - timedelta(minutes=1)).replace(tzinfo=ZoneInfo(rule.zone))
    fires = list(islice(rule.fires(before), MOST_TIMES))
    return {"until": rule.local(fires[-1]).date().isoformat()}


def _clocks_for(said: Said) -> list[Choice]:
    every = ", ".join(said.request.words("every"))
    return [choice(say_clock(clock), said.again("every", f"{every} {clock:%H:%M}")) for clock in CLOCKS]
