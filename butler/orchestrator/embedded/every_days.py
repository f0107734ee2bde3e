"""On which days, or by which lengths of time: `every first Monday`, `every other day`, `on the 15th of every month`."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.schedules import LAST, LEAST_MINUTES, Every
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import PARTS, Part
from butler.orchestrator.embedded.day import MONTHS, SHORT, WEEKDAYS
from butler.orchestrator.embedded.feasts import yearly_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import ORDINAL, PLACES, count, place

EACH = phrases("[on|at] (every|each) [single]", "once (every|each)")
ONCE_A = phrases("once (a|per)")
OTHER = phrases("(other|second|2nd|alternate)")
ON_THE = phrases("on [the]", "the", "at the")
ON = phrases("[on|in]")
PLURAL_ON = phrases("on", "at", "only on")
AND = phrases("and [on] [every|each|the]", ", and [on] [every|each|the]", ", [on] [every|each|the]", "&", "or")
TO = phrases("(to|through|thru|until|till)", "-", "–")
FROM = phrases("from")
OF = phrases("(of|in) (every|each|the|a) month", "(of|in) (every|each|the) single month", "every month", "each month",
             "monthly", "of months")  # fmt: skip
SHARED = phrases("of [the] (month|months|quarter)", "of its first month")
DAY_OF_MONTH = phrases("day")
LAST_OF_MONTH = phrases(
    "[on|at] the (last day|end) (of|in) (every|each|the|a) month", "[on] every last day of the month",
    "[on] the last day every month", "[at] (every month's|month) end",
)  # fmt: skip
LAST_OF_QUARTER = phrases(
    "[on|at] the (last day|end) of (every|each|the|a) quarter", "[on] the last day (every|each) quarter",
    "[at] (every quarter's|quarter) end",
)  # fmt: skip
FEW = phrases("(every|each) few (minutes|hours|days|weeks)")
TWICE = phrases(
    "(twice|thrice|two times|three times|several times|a few times) (a|per|every|each) (day|week|month|year)"
)
WORKDAYS = phrases("(weekday|workday|working day|week day|business day|work day)")
WORKDAYS_PLURAL = phrases("(weekdays|workdays|working days|week days|business days|work days)")
UNITS = {
    "minute": (Every.MINUTE, 1), "minutes": (Every.MINUTE, 1), "min": (Every.MINUTE, 1), "mins": (Every.MINUTE, 1),
    "hour": (Every.HOUR, 1), "hours": (Every.HOUR, 1), "hrs": (Every.HOUR, 1), "day": (Every.DAY, 1),
    "days": (Every.DAY, 1), "week": (Every.WEEK, 1), "weeks": (Every.WEEK, 1), "fortnight": (Every.WEEK, 2),
    "month": (Every.MONTH, 1), "months": (Every.MONTH, 1), "quarter": (Every.MONTH, 3), "quarters": (Every.MONTH, 3),
    "year": (Every.YEAR, 1),
    "years": (Every.YEAR, 1),
}  # fmt: skip
ADVERBS = {
    "hourly": (Every.HOUR, 1), "daily": (Every.DAY, 1), "weekly": (Every.WEEK, 1), "fortnightly": (Every.WEEK, 2),
    "biweekly": (Every.WEEK, 2), "monthly": (Every.MONTH, 1), "quarterly": (Every.MONTH, 3),
    "yearly": (Every.YEAR, 1), "annually": (Every.YEAR, 1),
}  # fmt: skip
QUARTERS = frozenset({"quarter", "quarters", "quarterly"})
OF_QUARTER = phrases("of (every|each|the|a) quarter", "every quarter", "each quarter")
LONGEST = 1_000
TWO_DIGITS = re.compile(r"\d{1,2}", re.ASCII)
SUNDAY_LAST = tuple(Weekday)
WORKING = SUNDAY_LAST[:5]
WEEKEND = SUNDAY_LAST[5:]
TOO_OFTEN = phrase("I can remind you every {least} minutes at the most. How often shall it be?")
WHICH_TIMES = phrase("At what times? Say them, like “every day at 8 and 20”.")
HOW_OFTEN = phrase("How often exactly? Say it like “every 2 hours” or “every 3 days at 9”.")
WORKDAY_OF_MONTH = phrase("I know days of the month and weekdays, not working days of a month. Which day shall it be?")


@dataclass(frozen=True, slots=True)
class Days:
    """What was read, and what follows."""

    often: dict[str, Any]
    after: Tail
    parts: tuple[Part, ...] = field(default=())
    quarterly: bool = False


def often_at(here: Tail) -> Days | None:
    """The days that stand here. Raises `Asking` where they are not clear enough to be kept to."""
    if here.take(FEW):
        raise Asking(say(HOW_OFTEN))
    if here.take(TWICE):
        raise Asking(say(WHICH_TIMES))
    found = _last_of_month(here) or _adverb(here) or _yearly(here) or _nth(here) or _of_month(here)
    return found or _weekdays(here) or _parts(here) or _units(here)


def doubtful_at(here: Tail) -> Tail | None:
    """What follows what is too vague to be kept to: `every few hours`, `twice a day`, `every third Friday`."""
    for words in (FEW, TWICE):
        if (after := here.take(words)) is not None:
            return after
    each = here.take(EACH)
    if each is None:
        return None
    nth = _places(each)
    if nth is not None:
        return nth[2]
    if _place(each.word()) and (after := each.skip().take(WORKDAYS)) is not None:
        return after
    often = count(each.word()) is not None and UNITS.get(each.skip().word(), (None,))[0] is Every.MINUTE
    return each.skip(2) if often else None


def days_left_out(start: Tail) -> tuple[tuple[Weekday, ...], Tail] | None:
    """The days of the week that stand behind `except`; None where other days stand there, or only one such day."""
    here = start.past(phrases("(on|for|at)")).past(phrases("(the|every)"))
    if (found := on_which(start)) is None:
        if here.word() == "weekend":
            return WEEKEND, here.skip()
        found = on_which(here) or _names(here)
    return found


def _last_of_month(here: Tail) -> Days | None:
    if (ends := here.take(LAST_OF_QUARTER)) is not None:
        return Days({"every": Every.MONTH, "interval": 3, "day": LAST_DAY}, ends, quarterly=True)
    after = here.take(LAST_OF_MONTH)
    return Days({"every": Every.MONTH, "day": LAST_DAY}, after) if after is not None else None


def _adverb(here: Tail) -> Days | None:
    """`daily`, `weekly on Friday`; `once a day`."""
    once = here.take(ONCE_A)
    unit = UNITS.get(once.word()) if once is not None else ADVERBS.get(here.word())
    if unit is None:
        return None
    after = once.skip() if once is not None else here.skip()
    word = (once if once is not None else here).word()
    return replace(_with_day(_every(unit[0], unit[1]), after), quarterly=word in QUARTERS)


def _units(here: Tail) -> Days | None:
    """`every day`, `every 2 weeks on Friday`, `every other month`, `every half an hour`."""
    start = here.take(EACH)
    if start is None:
        return None
    for words, minutes in ((phrases("half [an] hour"), 30), (phrases("quarter of an hour", "quarter hour"), 15)):
        if (after := start.take(words)) is not None:
            return Days(_every(Every.MINUTE, minutes), after)
    other = start.take(OTHER)
    number = 2 if other is not None else count(start.word()) if start.word() not in {"a", "an"} else None
    place_said = place(start.word()) if other is None and number is None else None
    number = number or place_said
    unit_at = other if other is not None else start.skip() if number else start
    unit = UNITS.get(unit_at.word())
    if unit is None:
        return _every_so_many(unit_at, number)
    days = _with_day(_every(unit[0], unit[1] * (number or 1)), unit_at.skip())
    return replace(days, quarterly=unit_at.word() in QUARTERS)


def _every_so_many(at: Tail, number: int | None) -> Days | None:
    """`every 2 Mondays`, `every other workday` is none."""
    name = _weekday(at.word())
    if not number or name is None:
        return None
    return Days({"every": Every.WEEK, "interval": number, "on": (name,)}, at.skip())


def _every(every: Every, interval: int) -> dict[str, Any]:
    if every is Every.MINUTE and interval < LEAST_MINUTES:
        raise Asking(say(TOO_OFTEN, least=LEAST_MINUTES))
    if interval > LONGEST:
        raise Asking(say(HOW_OFTEN))
    return {"every": every} | ({"interval": interval} if interval > 1 else {})


def _with_day(often: dict[str, Any], after: Tail) -> Days:  # noqa: PLR0911 - a line a kind of days
    """With the day that follows: `every 2 weeks on Friday`, `every month on the 15th`, `every year on 5 May`."""
    every, interval = often["every"], {"interval": often["interval"]} if "interval" in often else {}
    if every is Every.WEEK and (days := _names(after.past(ON))):
        return Days({**often, "on": days[0]}, days[1])
    if every is Every.DAY and (on := on_which(after)) is not None:
        return Days({"every": Every.WEEK, "on": on[0]}, on[1])
    if every in {Every.HOUR, Every.MINUTE} and (on := on_which(after)) is not None:
        return Days({**often, "on": on[0]}, on[1])
    if every is Every.MONTH:
        on_the = after.past(ON_THE)
        nth = _places(on_the)
        if nth is not None:
            return Days({**often, "nth": nth[0], "on": nth[1]}, nth[2].past(SHARED))
        if (last := on_the.take(phrases("last day", "end"))) is not None:
            return Days({**often, "day": LAST_DAY}, last.past(SHARED))
        number = _day_number(on_the.past(DAY_OF_MONTH)) if on_the.at > after.at else None
        if number:
            return Days({**often, "day": number}, on_the.past(DAY_OF_MONTH).skip().past(SHARED))
    if every is Every.YEAR and (dated := _dated(after)) is not None:
        month, day, rest = dated
        return Days({"every": every, **interval, "month": month, "day": day}, rest)
    return Days(often, after)


def on_which(after: Tail) -> tuple[tuple[Weekday, ...], Tail] | None:
    """`... on weekdays`, `... from Monday to Friday`, `... on Mondays`."""
    start = after.past(PLURAL_ON)
    if (done := start.take(WORKDAYS_PLURAL)) is not None:
        return WORKING, done
    if start.word() == "weekends":
        return WEEKEND, start.skip()
    if (span := _span(after)) is not None:
        return span
    return _names(start) if start.at > after.at else None


def _yearly(here: Tail) -> Days | None:
    """`every 5 May`, `on 5 May every year`, `every Christmas`."""
    each = here.take(EACH)
    if each is not None and (feast := yearly_at(each)) is not None:
        return Days({"every": Every.YEAR, "month": feast[0].month, "day": feast[0].day}, feast[1])
    feast = yearly_at(here) if each is None else None
    if feast is not None and (behind := _each_year(feast[1])) is not None:
        return Days({"every": Every.YEAR, "month": feast[0].month, "day": feast[0].day}, behind)
    dated = _dated(each if each is not None else here)
    if dated is None:
        return None
    month, day, after = dated
    rest = after if each is not None else _each_year(after)
    return Days({"every": Every.YEAR, "month": month, "day": day}, rest) if rest is not None else None


def _each_year(after: Tail) -> Tail | None:
    return after.take(phrases("(every|each) year", "[of|in] (every|each) year", "yearly", "annually"))


def _dated(tail: Tail) -> tuple[int, int, Tail] | None:
    """A month, a day of it, and what follows: `on 5 May`, `May 5th`, `the 5th of May`."""
    start = tail.past(ON_THE)
    if (feast := yearly_at(start)) is not None:
        return feast[0].month, feast[0].day, feast[1]
    number = _day_number(start, bare=True)
    if number and (month := _month(start.skip().past(phrases("of")).word())):
        return month, number, start.skip().past(phrases("of")).skip()
    month = _month(start.word())
    number = _day_number(start.skip().past(phrases("the")), bare=True) if month else None
    return (month, number, start.skip().past(phrases("the")).skip()) if month and number else None


def _nth(here: Tail) -> Days | None:
    """`every first Monday`, `on the last Friday of every month`, `every first and third Tuesday of the month`."""
    each = here.take(EACH)
    start = each if each is not None else here.past(ON_THE)
    if start.at == here.at:
        return None
    found = _places(start)
    if found is None:
        return _working_day(start)
    nth, on, after = found
    of = after.take(OF)
    if of is None and each is None:
        return None
    if of is None and nth == (2,):
        # Every second Tuesday is every other one, where no month is named.
        return Days({"every": Every.WEEK, "interval": 2, "on": on}, after)
    if of is None and set(nth) & {3, 4}:
        raise Asking(
            say("Of every month, or every {count} weeks?", count=nth[0])
            + " "
            + say("Say it like “every third Friday of the month” or “every 3 weeks on Friday”.")
        )
    return Days({"every": Every.MONTH, "nth": nth, "on": on}, of if of is not None else after)


def _working_day(start: Tail) -> None:
    """`every first working day` is none that is known."""
    named = start.skip().take(WORKDAYS) if _place(start.word()) else None
    if named is not None:
        raise Asking(say(WORKDAY_OF_MONTH))


def _places(start: Tail) -> tuple[tuple[int, ...], tuple[Weekday, ...], Tail] | None:
    """`first Monday`, `first and third Monday`, `first Monday and Tuesday`."""
    nth: list[int] = []
    here: Tail | None = start
    while here is not None and (number := _place(here.word())):
        nth.append(number)
        start = here.skip()
        here = start.take(AND)
    days = _names(start) if nth else None
    return (tuple(nth), days[0], days[1]) if days else None


def _place(word: str) -> int | None:
    if word in {"last", "final"}:
        return LAST
    number = place(word) if word in PLACES[:5] or ORDINAL.fullmatch(word) else None
    return number if number and number <= 5 else None  # noqa: PLR2004 - of a weekday in a month


def _of_month(here: Tail) -> Days | None:
    """`every 15th`, `on the 1st and 15th of every month`, `on day 5 of every month`, `on the first of the month`."""
    each = here.take(EACH)
    start = each if each is not None else here.past(ON_THE)
    if start.at == here.at:
        return None
    start = start.past(DAY_OF_MONTH)
    number = _day_number(start)
    if number is None:
        return None
    after = start.skip().past(DAY_OF_MONTH)
    if after.take(AND) is not None and _day_number(after.past(AND)):
        raise Asking(say("One day of the month at a time, please: make two reminders of them."))
    if (of_quarter := after.take(OF_QUARTER)) is not None:
        return Days({"every": Every.MONTH, "interval": 3, "day": number}, of_quarter, quarterly=True)
    of = after.take(OF)
    if of is None and (each is None or not ORDINAL.fullmatch(start.word())):
        return None
    return Days({"every": Every.MONTH, "day": number}, of if of is not None else after)


def _weekdays(here: Tail) -> Days | None:  # noqa: PLR0911 - a line a way to say them
    """`every Monday and Thursday`, `on Mondays`, `Monday to Friday`, `on weekdays`, `every weekday`."""
    each = here.take(EACH)
    if each is not None:
        if (work := each.take(WORKDAYS)) is not None:
            return Days({"every": Every.WEEK, "on": WORKING}, work)
        if each.word() == "weekend":
            return Days({"every": Every.WEEK, "on": WEEKEND[:1]}, each.skip())
        other = each.take(OTHER)
        days = _span(each) or _names(other if other is not None else each)
        more = {"interval": 2} if other is not None else {}
        return _in_part({"every": Every.WEEK, "on": days[0], **more}, days[1]) if days else None
    if (on := on_which(here)) is not None and _is_plural(here, on[1]):
        return _in_part({"every": Every.WEEK, "on": on[0]}, on[1])
    days = _names(here.past(PLURAL_ON))
    if days is None:
        return None
    evenings = days[1].word().endswith("s") and days[1].word().removesuffix("s") in PARTS
    if evenings or (days[0] and _is_plural(here, days[1])):
        return _in_part({"every": Every.WEEK, "on": days[0]}, days[1])
    return None


def _is_plural(here: Tail, after: Tail) -> bool:
    """Whether the days are each of their kind: `on Fridays` and `Monday to Friday`, not `on Friday`."""
    words = [token.word for token in here.tokens[here.at : after.at]]
    several = any(word.endswith(("days", "ends")) for word in words)
    return several or bool(here.until(after).find(TO))


def _span(start: Tail) -> tuple[tuple[Weekday, ...], Tail] | None:
    """`Monday to Friday`."""
    begin = start.past(FROM)
    first = _weekday(begin.word())
    to = begin.skip().take(TO) if first else None
    last = _weekday(to.word()) if to is not None else None
    if first is None or to is None or last is None:
        return None
    a, b = SUNDAY_LAST.index(first), SUNDAY_LAST.index(last)
    days = SUNDAY_LAST[a : b + 1] if a <= b else SUNDAY_LAST[a:] + SUNDAY_LAST[: b + 1]
    return days, to.skip()


def _names(start: Tail) -> tuple[tuple[Weekday, ...], Tail] | None:
    """Days of the week in a row, joined by `and`."""
    days: list[Weekday] = []
    here: Tail | None = start
    while here is not None and (day := _weekday(here.word())) is not None:
        days.append(day)
        start = here.skip()
        here = start.take(AND)
    if not days:
        return None
    return tuple(sorted(set(days), key=SUNDAY_LAST.index)), start


def _in_part(often: dict[str, Any], after: Tail) -> Days:
    """`every Monday morning`, `on Sunday evenings`."""
    part = PARTS.get(after.word().removesuffix("s"))
    return Days(often, after.skip(), (part,)) if part else Days(often, after)


def _parts(here: Tail) -> Days | None:
    """`every morning`, `every morning and evening`, `every weekday morning`, `nightly`."""
    if here.word() == "nightly":
        return Days({"every": Every.DAY}, here.skip(), (Part.NIGHT,))
    start = here.take(EACH)
    if start is None:
        return None
    parts = list(_each_part(start))
    return Days({"every": Every.DAY}, parts[-1][1], tuple(part for part, _ in parts)) if parts else None


def _each_part(start: Tail | None) -> Iterator[tuple[Part, Tail]]:
    while start is not None and (part := PARTS.get(start.word())) is not None:
        yield part, start.skip()
        start = start.skip().take(AND)


def _weekday(word: str) -> Weekday | None:
    name = word.removesuffix("s") if word.endswith("days") else word
    if name in WEEKDAYS:
        return SUNDAY_LAST[WEEKDAYS.index(name)]
    short = [n for n, full in enumerate(WEEKDAYS) if len(word) == SHORT and full[:SHORT] == word]
    return SUNDAY_LAST[short[0]] if short else None


def _month(word: str) -> int | None:
    word = word.rstrip(".")
    return next((n for n, m in enumerate(MONTHS, 1) if word == m or (len(word) == SHORT and m[:SHORT] == word)), None)


def _day_number(tail: Tail, *, bare: bool = False) -> int | None:
    """A day of a month: `15th`, `first`, and after `day` or where `bare`, `15`."""
    word = tail.word()
    match = ORDINAL.fullmatch(word)
    number = int(match[1]) if match else PLACES.index(word) + 1 if word in PLACES else None
    said_day = tail.at > 0 and tail.tokens[tail.at - 1].word == "day"
    if number is None and (bare or said_day) and TWO_DIGITS.fullmatch(word):
        number = int(word)
    return number if number and 1 <= number <= LAST_DAY else None
