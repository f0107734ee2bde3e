"""How often, as people say it: `every Sunday at 9`, `every night at 2`, `on the first of every month`, `daily`.

What goes with it is read along: how many at most each time, and until when.
"""

from dataclasses import dataclass, field, replace
from datetime import date, time
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import PARTS, Part, clock_at, in_part
from butler.orchestrator.embedded.day import WEEKDAYS, day_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import ORDINAL, count, place

EVERY = phrases("[on] (every|each)")
ON = phrases("on")
AND = phrases("and [on] [every]", ", and [on] [every]", ",")
DAILY = phrases("(daily|nightly)", "[on] (every|each) (day|night|single day)", "day by day")
WEEKLY = phrases("(weekly|once a week)", "[on] (every|each) week")
MONTHLY = phrases("(monthly|once a month)", "[on] (every|each) month")
OFTENER = phrases(
    "(hourly|constantly|always)", "(every|each) (hour|minute|half hour)", "every few (minutes|hours)",
    "(every|each) (other|second|third) (day|week|month)", "(every|each) (two|three|four|2|3|4) (days|weeks|months)",
    "(yearly|annually)", "(every|each) (year|quarter)",
)  # fmt: skip
WORKDAYS = phrases("[on] (every|each) (weekday|workday|working day)", "on (weekdays|workdays|working days)")
WEEKENDS = phrases("[on] (every|each) weekend", "on weekends")
OF_MONTH = phrases("[day] of (every|each|the) month")
THE, LAST = (
    phrases("[on] the"),
    phrases("[on] the last day of (every|each|the) month", "at the end of (every|each) month"),
)
IN_PART = phrases("(in the|at)")
COMMAS = phrases(",", "and", "but")
MOST = phrases("[but] (at most|at the most|no more than|not more than|up to|a maximum of|at a maximum|maximum|max)")
EACH_TIME = phrases("[of them] (at a time|at once|each time|every time|per time|per run|a time|in one go)", "of them")
UNTIL = phrases("(until|till|up to and including) [the]")
NOT_SO_OFTEN = phrase("I can do that every day, on days of the week or on a day of every month, but not otherwise.")
NINE = time(9)
WORKING_WEEK = 5


@dataclass(frozen=True, slots=True)
class Often:
    """What was said of when something is done again, as the tools take it."""

    days: dict[str, Any] = field(default_factory=dict[str, Any])
    """`every`, `on`, `day`; empty where nothing was said of them."""
    at: time = NINE
    most: int = 0
    until: date | None = None

    def args(self) -> dict[str, Any]:
        """Only what was said, and the time."""
        more = {"most": self.most, "until": self.until.isoformat() if self.until else ""}
        return {**self.days, "at": f"{self.at:%H:%M}"} | {name: value for name, value in more.items() if value}


def often_at(tail: Tail, today: date) -> tuple[Often, Tail] | None:
    """All of it that stands here, in any order, and what follows; None where nothing of it does."""
    said, here = Often(), tail
    while True:
        start = here.past(COMMAS) if here.at > tail.at else here
        found = _one(said, start, today)
        if found is None:
            return (said, here) if here.at > tail.at else None
        said, here = found


def _one(said: Often, here: Tail, today: date) -> tuple[Often, Tail] | None:
    if not said.days and (found := _days(here)) is not None:
        days, part, after = found
        clock, after = _clock(after, part)
        return replace(said, days=days, at=clock), after
    if said.days and said.at == NINE and (found := clock_at(here)) is not None:
        return replace(said, at=found[0]), found[1]
    if (after := here.take(MOST)) is not None and (number := count(after.word())):
        return replace(said, most=number), after.skip().past(EACH_TIME)
    if (after := here.take(UNTIL)) is not None and (day := day_at(after, today)) is not None:
        return replace(said, until=day[0].day), day[1]
    return None


def _days(here: Tail) -> tuple[dict[str, Any], Part | None, Tail] | None:
    """The days, the part of them where that was said along with them, and what follows."""
    if here.take(OFTENER):
        raise Asking(say(NOT_SO_OFTEN))
    for words, days in (
        (WORKDAYS, {"every": "week", "on": list(WEEKDAYS[:WORKING_WEEK])}),
        (WEEKENDS, {"every": "week", "on": ["saturday"]}),
        (LAST, {"every": "month", "day": 31}),
        (MONTHLY, {"every": "month", "day": 1}),
        (WEEKLY, {"every": "week", "on": ["monday"]}),
    ):
        if (after := here.take(words)) is not None:
            return _weekday_said(days, after)
    if (after := here.take(DAILY)) is not None:
        night = "night" in here.until(after).text.casefold()
        return {"every": "day"}, Part.NIGHT if night else None, after
    if (start := here.take(EVERY)) is not None and start.word() in PARTS:
        return {"every": "day"}, PARTS[start.word()], start.skip()
    return _weekdays(here) or _of_month(here)


def _weekday_said(days: dict[str, Any], after: Tail) -> tuple[dict[str, Any], Part | None, Tail]:
    """`every week on Friday`, `every month on the 15th`."""
    named = _weekdays(after, every_week=True) if days.get("on") == ["monday"] else None
    if named is not None:
        return named
    start = after.take(THE) if days.get("day") == 1 else None
    number = _number(start.word()) if start else None
    return ({**days, "day": number}, None, start.skip()) if start and number else (days, None, after)


def _weekdays(here: Tail, *, every_week: bool = False) -> tuple[dict[str, Any], Part | None, Tail] | None:
    """`every Sunday evening`, `on Sundays`, `every Monday and Thursday`."""
    start = here.take(EVERY)
    many = start is None and not every_week
    start = start or here.take(ON)
    days: list[str] = []
    while start is not None and (name := _weekday(start.word(), plural=many)):
        days.append(name)
        here = start.skip()
        start = here.take(AND)
    if not days:
        return None
    part = PARTS.get(here.word().removesuffix("s"))
    return {"every": "week", "on": days}, part, here.skip() if part else here


def _weekday(word: str, *, plural: bool) -> str:
    """A day of the week; `on Sunday` is one Sunday, `on Sundays` is each."""
    name = word.removesuffix("s")
    return name if name in WEEKDAYS and (word.endswith("s") or not plural) else ""


def _of_month(here: Tail) -> tuple[dict[str, Any], Part | None, Tail] | None:
    """`on the first of every month`, `every 15th of the month`."""
    start = here.take(THE) or here.take(EVERY)
    number = _number(start.word()) if start else None
    after = start.skip().take(OF_MONTH) if start and number else None
    return ({"every": "month", "day": number}, None, after) if after is not None else None


def _number(word: str) -> int | None:
    """A day of a month: `15th`, `first`."""
    match = ORDINAL.fullmatch(word)
    number = int(match[1]) if match else place(word)
    return number if number and number <= 31 else None  # noqa: PLR2004 - days of a month


def _clock(here: Tail, part: Part | None) -> tuple[time, Tail]:
    """The time that follows, read within the part of the day; that part's own where none does."""
    found = clock_at(here)
    if found is None:
        return (part.value if part else NINE), here
    clock, after = found
    said = after.take(IN_PART)
    if part is None and said is not None and said.word() in PARTS:
        part, after = PARTS[said.word()], said.skip()
    return in_part(clock, part)[0], after
