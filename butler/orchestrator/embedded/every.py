"""Again and again, as people say it: `every first Monday`, `every other Tuesday at 7pm`, `daily at 8 and 20`.

What is said along with it is read in any order: the times of day, from when on, until when or how many times. An hour
that nobody said is nine in the morning, which is told; all else is as it was said, or asked about.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from butler.contract.asked_times import NINE
from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.schedules import Every, RecurrenceRule, ZoneChange
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import NOON, PARTS, Part, clock_at, in_part, says_half
from butler.orchestrator.embedded.day import MONTHS, add_months, day_at, part_at
from butler.orchestrator.embedded.every_days import WHICH_TIMES, days_left_out, often_at, on_which
from butler.orchestrator.embedded.hours import hours_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.embedded.zones import zone_at

COMMAS = phrases(",", "and", ", and", "but")
AND_AT = phrases("and [again] [at]", ", and [again] [at]", ", [at]", "&")
BETWEEN = phrases("(between|from)", "only (between|from)")
WITHIN_AND = phrases("(and|to|until|till)", "-", "–")
FROM_ON = phrases("(starting|beginning|starts|begins) [on|from|with]", "(from|as of|since)")
ON = phrases("on", "onwards", "onward")
UNTIL = phrases("(until|till|til|up to|up until) [the]", "(ending|ends) [on]", "but only (until|till)")
FOR = phrases("for [the] next", "for [the]", "over the next", "during the next")
TIMES_ONLY = phrases("[but] [only]")
TIMES = phrases("(times|x|occurrences) [only|in all|in total|altogether]")
ONE_BY_ONE = {"once": 1, "twice": 2}
SPANS = {
    "day": (1, 0), "days": (1, 0), "week": (7, 0), "weeks": (7, 0), "fortnight": (14, 0), "month": (0, 1),
    "months": (0, 1), "year": (0, 12), "years": (0, 12),
}  # fmt: skip
"""Days and months of what something may go on for."""
EXCEPT = phrases(
    "[but] (except|excluding|excepting) [for|on|on the]", "other than [on]", "apart from [on]", "but not [on]",
    "not on", "only not on",
)  # fmt: skip
OWN_CLOCK = phrase("What is said again and again goes by your own clock, not by “{zone}”. At what time is it by yours?")
WHICH_DAYS = phrase("I can leave out days of the week, like “every day except Sunday at 8”. On which days shall it be?")
WHOLE_WEEK = tuple(Weekday)
HOURS = {"hour": 60, "hours": 60, "minute": 1, "minutes": 1, "mins": 1}
IN_PART = phrases("(in the|at)")
MOST_CLOCKS = 24
QUARTER, MOST_TRIED = 3, 200
"""Months of a quarter, and times among which its first is looked for."""
MOST_PIECES = 8


@dataclass(frozen=True, slots=True)
class Repeated:
    """The parts of it as they were said."""

    often: dict[str, Any] = field(default_factory=dict[str, Any])
    """`every`, `interval`, `on`, `nth`, `day`, `month`; empty where nothing was said of them."""
    clocks: tuple[time, ...] = ()
    parts: tuple[Part, ...] = ()
    within: tuple[time, time] | None = None
    since: date | None = None
    until: date | None = None
    lasts: tuple[int, int] | None = None
    """Days and months from the first time on."""
    minutes: int = 0
    """The same where it is hours or less."""
    times: int = 0
    quarterly: bool = False
    """Whether it is of the quarters of the year: of January, April, July and October, or of their last months."""
    spoken: tuple[int, int] = (0, 0)
    """Where in the owner's words the times of day stand."""
    half_said: bool = True
    """False where a time may be of the morning or of the afternoon, such as `at 5`."""

    @property
    def hour_said(self) -> bool:
        """Whether the time of day was said, or needs none."""
        short = self.often["every"] in {Every.MINUTE, Every.HOUR}
        return short or bool(self.clocks or self.parts)


def repeated_at(tail: Tail, now: datetime) -> tuple[Repeated, Tail] | None:
    """All of it that stands here, and what follows; None where no `how often` is among it. `now` is local and aware."""
    said, here = Repeated(), tail
    for _ in range(MOST_PIECES):
        start = here.past(COMMAS) if here.at > tail.at else here
        found = _piece(said, start, now)
        if found is None:
            break
        said, here = found
    return (said, here) if said.often and here.at > tail.at else None


def repeated_at_end(tail: Tail, now: datetime, most: int) -> tuple[Tail, Repeated] | None:
    """The longest such end of the words, and what stands before it; None where they end otherwise."""
    bare = tail.bare()
    for start in range(max(bare.at + 1, bare.end - most), bare.end):
        here = replace(bare, at=start)
        if here.word() in {",", "and", "but"}:
            continue
        found = repeated_at(here, now)
        if found is not None and found[1].done:
            return replace(bare, end=start), found[0]
    return None


def ended_by(said: Repeated, tail: Tail, now: datetime, most: int) -> tuple[Repeated, Tail]:
    """With until when or how many times, where that ends the words; and what stands before it."""
    bare = tail.bare()
    for start in range(max(bare.at + 1, bare.end - most), bare.end):
        here = replace(bare, at=start).past(COMMAS)
        for read in (_until, _for, _times, _except_known):
            found = read(said, here, now)
            if found is not None and found[1].done:
                return found[0], replace(bare, end=start)
    return said, tail


def _piece(said: Repeated, here: Tail, now: datetime) -> tuple[Repeated, Tail] | None:
    if not said.often and (found := often_at(here)) is not None:
        parts = found.parts or said.parts
        return replace(said, often=found.often, parts=parts, quarterly=found.quarterly), found.after
    for read in (_within, _clocks, _zone, _part, _since, _until, _for, _times, _which_days, _except):
        if (one := read(said, here, now)) is not None:
            return one
    return None


def _within(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`between 9 and 17`, `from 9am to 5pm`."""
    start = here.take(BETWEEN)
    if start is None or said.within or said.clocks:
        return None
    found = hours_at(here.past(phrases("only")))
    if found is not None:
        return replace(said, within=found[0]), found[1]
    first = clock_at(start) or _bare_hour(start)
    split = first[1].take(WITHIN_AND) if first else None
    last = (clock_at(split) or _bare_hour(split)) if split is not None else None
    return (replace(said, within=(first[0], last[0])), last[1]) if first and last else None


def _bare_hour(tail: Tail) -> tuple[time, Tail] | None:
    hour = count(tail.word()) if tail.word().isdigit() else None
    return (time(hour), tail.skip()) if hour is not None and hour < MOST_CLOCKS else None


def _clocks(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`at 9`, `at 8 and 20`, `at 8:00, 12:00 and 18:00`, `at 8 in the evening`."""
    found = clock_at(here)
    if found is None or said.clocks or said.within:
        return None
    clocks: list[tuple[time, bool]] = []
    at = here
    while found is not None and len(clocks) < MOST_CLOCKS:
        clock, after = found
        clock, told, after = _in_part(clock, says_half(at.until(after)), said, after)
        clocks.append((clock, told))
        split = after.take(AND_AT)
        at, found = after, (_another(split) if split is not None else None)
    times = _like_the_last(clocks)
    half = all(told or not 0 < clock.hour < DAWN for clock, told in times)
    parts = () if len(said.parts) <= 1 else said.parts
    spoken = here.tokens[here.at].start, here.tokens[at.at - 1].end
    return replace(said, clocks=tuple(clock for clock, _ in times), parts=parts, half_said=half, spoken=spoken), at


def _in_part(clock: time, told: bool, said: Repeated, after: Tail) -> tuple[time, bool, Tail]:
    """A time read within the part of the day that was said with it."""
    start = after.take(IN_PART)
    if start is not None and start.word() in PARTS:
        return in_part(clock, PARTS[start.word()])[0], True, start.skip()
    if len(said.parts) == 1 and not told:
        return in_part(clock, said.parts[0])[0], True, after
    return clock, told, after


def _another(split: Tail) -> tuple[time, Tail] | None:
    """A further time; a bare number is one where nothing follows that it could count."""
    found = clock_at(split)
    if found is not None:
        return found
    bare = _bare_hour(split)
    following = bare[1].word() if bare else ""
    return bare if bare and following in {"", "to", "that", ":", ",", "and", "of", "about", "until", "for"} else None


def _like_the_last(clocks: Sequence[tuple[time, bool]]) -> list[tuple[time, bool]]:
    """`at 2 and 5 pm`: both in the afternoon; one after noon that comes first leaves the others as they are."""
    last, told = clocks[-1]
    if not told or last.hour < NOON:
        return list(clocks)
    return [
        (clock.replace(hour=clock.hour + NOON), True) if not known and clock.hour + NOON < last.hour else (clock, known)
        for clock, known in clocks[:-1]
    ] + [(last, True)]


def _zone(said: Repeated, here: Tail, _: datetime) -> None:
    """What is said again and again goes by the owner's own clock."""
    found = zone_at(here) if said.clocks and said.often else None
    if found is not None and not found[0].own and not found[0].perhaps_place:
        raise Asking(say(OWN_CLOCK, zone=found[0].words))


def _except(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`every day except Sunday`, `every hour, but not on weekends`: days of the week that are left out."""
    start = here.take(EXCEPT)
    if start is None or not said.often:
        return None
    left_out = days_left_out(start)
    every, on = said.often["every"], said.often.get("on") or WHOLE_WEEK
    fits = every in {Every.DAY, Every.HOUR, Every.MINUTE} or (every is Every.WEEK and len(said.often.get("on", ())) > 1)
    fits = fits and not (every is Every.DAY and said.often.get("interval", 1) > 1)
    kept = tuple(day for day in on if left_out is None or day not in left_out[0])
    if left_out is None or not fits or not kept:
        raise Asking(say(WHICH_DAYS))
    often = {**said.often, "on": kept} | ({"every": Every.WEEK} if every is Every.DAY else {})
    return replace(said, often=often), left_out[1]


def _except_known(said: Repeated, here: Tail, now: datetime) -> tuple[Repeated, Tail] | None:
    """The same where it may be part of a text: `something other than bread`."""
    try:
        return _except(said, here, now)
    except Asking:
        return None


def _part(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`in the evening`, `evenings`; and `morning and evening`."""
    found = part_at(here)
    if found is None or said.clocks:
        return None
    return replace(said, parts=(*said.parts, found[0])), found[1]


def _since(said: Repeated, here: Tail, now: datetime) -> tuple[Repeated, Tail] | None:
    start = here.take(FROM_ON)
    if start is None or said.since is not None:
        return None
    if start.word() in {"now", "today"}:
        return replace(said, since=now.date()), start.skip().past(ON)
    found = day_at(start, now.date())
    return (replace(said, since=found[0].day), found[1].past(ON)) if found else None


def _until(said: Repeated, here: Tail, now: datetime) -> tuple[Repeated, Tail] | None:
    start = here.take(UNTIL)
    if start is None or said.until is not None:
        return None
    if (ends := _end(start, now.date())) is not None:
        return replace(said, until=ends[0]), ends[1]
    found = day_at(start, now.date())
    return (replace(said, until=found[0].day), found[1]) if found else None


def _end(start: Tail, today: date) -> tuple[date, Tail] | None:
    """`until the end of the month`, `until the end of May`, `until June`."""
    of = start.take(phrases("[the] end of [the|this]"))
    month = _month(of if of is not None else start)
    if of is not None and of.word() in {"month", "year"}:
        last = add_months(today.replace(day=1), 1) if of.word() == "month" else date(today.year + 1, 1, 1)
        return last - timedelta(1), of.skip()
    if of is not None and of.word() == "week":
        return today + timedelta(6 - today.weekday()), of.skip()
    following = start.word(1)
    if month is None or following[:1].isdigit():
        return None
    first = date(today.year + (month <= today.month), month, 1)
    last = add_months(first, 1) if of is not None else first
    if of is not None and month == today.month:
        last = add_months(today.replace(day=1), 1)
    return last - timedelta(1), (of if of is not None else start).skip()


def _month(tail: Tail) -> int | None:
    return MONTHS.index(tail.word()) + 1 if tail.word() in MONTHS else None


def _for(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`for the next 3 weeks`, `for a month`, `for 2 hours`."""
    start = here.take(FOR)
    if start is None or said.lasts is not None or said.minutes:
        return None
    number, unit = count(start.word()), start.word(1)
    after = start.skip(2)
    if number is None and start.word() in SPANS:
        number, unit, after = 1, start.word(), start.skip()
    if not number:
        return None
    if unit in HOURS:
        return replace(said, minutes=number * HOURS[unit]), after
    if unit not in SPANS:
        return None
    days, months = SPANS[unit]
    return replace(said, lasts=(days * number, months * number)), after


def _which_days(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`every hour from 9 to 17 on weekdays`."""
    found = on_which(here)
    if found is None or said.often.get("every") not in {Every.DAY, Every.HOUR, Every.MINUTE} or said.often.get("on"):
        return None
    often = {**said.often, "on": found[0]}
    return replace(said, often=often | ({"every": Every.WEEK} if often["every"] is Every.DAY else {})), found[1]


def _times(said: Repeated, here: Tail, _: datetime) -> tuple[Repeated, Tail] | None:
    """`5 times`."""
    start = here.past(TIMES_ONLY)
    start = start.past(phrases("for"))
    number = count(start.word()) if start.word() not in {"a", "an"} else None
    after = start.skip().take(TIMES) if number else None
    return (replace(said, times=number), after) if number and after is not None else None


def clock_halves(said: Repeated) -> tuple[Repeated, ...]:
    """Both that a time may mean which the night would be one of; none where it is sure."""
    if said.half_said:
        return ()
    later = tuple(clock.replace(hour=clock.hour + NOON) if 0 < clock.hour < DAWN else clock for clock in said.clocks)
    return replace(said, half_said=True), replace(said, clocks=later, half_said=True)


def rule_of(said: Repeated, now: datetime, zone: str) -> RecurrenceRule | None:
    """The rule that is meant, which starts with its first time; None where it has none to come. `now` is aware."""
    often, wall = dict(said.often), now.replace(tzinfo=None)
    begins = max(said.since or wall.date(), wall.date())
    if often["every"] in {Every.MINUTE, Every.HOUR}:
        return _steps(said, often, begins, now, zone)
    if said.within is not None:
        raise Asking(say(WHICH_TIMES))
    if said.quarterly and not (often.get("day") or often.get("nth")):
        often["day"] = 1
    clocks = said.clocks or tuple(part.value for part in said.parts) or (NINE,)
    return _first(said, often, tuple(sorted(set(clocks))), begins, now, zone)


def _steps(said: Repeated, often: dict[str, Any], begins: date, now: datetime, zone: str) -> RecurrenceRule | None:
    """By minutes or hours: from now on, or within the hours of each day, from the first of them."""
    minutes = int(often.get("interval", 1)) * (60 if often["every"] is Every.HOUR else 1)
    on = tuple(often.get("on", ()))
    if said.within is not None:
        clocks = _stepped(said.within, minutes)
        if len(clocks) <= MOST_CLOCKS:
            days = {"every": Every.WEEK, "on": on} if on else {"every": Every.DAY}
            return _first(replace(said, within=None), days, clocks, begins, now, zone)
    wall = now.replace(tzinfo=None, second=0, microsecond=0)
    if said.within is not None:
        start = datetime.combine(begins, said.within[0])
    else:
        start = wall if begins == wall.date() else datetime.combine(begins, NINE)
    keeps = ZoneChange.INSTANT if said.within is None and begins == wall.date() else ZoneChange.WALL
    times = said.times or (said.minutes // minutes if said.minutes else 0)
    fields: dict[str, Any] = {**often, "within": said.within, "times": times, "until": said.until}
    if said.lasts is not None:
        fields["until"] = _ending(begins, said.lasts)
    return RecurrenceRule(zone=zone, start=start, keeps=keeps, **fields)


def _stepped(within: tuple[time, time], minutes: int) -> tuple[time, ...]:
    day = date(2000, 1, 1)
    at, ends = datetime.combine(day, within[0]), datetime.combine(day, within[1])
    ends += timedelta(1) if ends < at else timedelta()
    found: list[time] = []
    while at <= ends and len(found) <= MOST_CLOCKS:
        found.append(at.time())
        at += timedelta(minutes=minutes)
    return tuple(sorted(found))


def _first(
    said: Repeated, often: dict[str, Any], clocks: tuple[time, ...], begins: date, now: datetime, zone: str
) -> RecurrenceRule | None:
    """With the first time as its start, from which every so many days, weeks or months are counted."""
    whole = {**often, "interval": 1}
    anyhow = RecurrenceRule(zone=zone, start=datetime.combine(begins, time(0)), at=clocks, **_anchored(whole, begins))
    fires = islice(anyhow.fires(now), MOST_TRIED)
    first = next((at for at in fires if not said.quarterly or _of_quarter(anyhow.local(at).date(), often)), None)
    if first is None:
        return None
    start: datetime = anyhow.local(first).replace(tzinfo=None)
    until = said.until
    if said.lasts is not None:
        until = _ending(start.date(), said.lasts)
    if until is not None and until < start.date():
        return None
    at: tuple[time, ...] = clocks if len(clocks) > 1 else ()
    if not at:
        start = datetime.combine(start.date(), min(clocks))
    fields: dict[str, Any] = _anchored(often, start.date()) | {"until": until, "times": said.times}
    return RecurrenceRule(zone=zone, start=start, at=at, **fields)


def _of_quarter(day: date, often: dict[str, Any]) -> bool:
    """Whether a day is in the month of a quarter that is meant: in its first, for its end in its last."""
    return day.month % QUARTER == (0 if often.get("day") == LAST_DAY else 1)


def _anchored(often: dict[str, Any], start: date) -> dict[str, Any]:
    """With the day of the month that is meant where none was said: its first; of a year, the start's own."""
    if often["every"] is Every.MONTH and not often.get("nth") and not often.get("day"):
        return {**often, "day": start.day}
    return often


def _ending(first: date, lasts: tuple[int, int]) -> date:
    """The last day of so many days or months, the first day being one of them."""
    days, months = lasts
    return (add_months(first, months) if months else first + timedelta(days)) - timedelta(1)
