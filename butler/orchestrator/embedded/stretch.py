"""Stretches of days that an agenda is asked about: `on Friday`, `tomorrow afternoon`, `next week`, `from 2 to 4`.

Unlike `past`, what is said is taken to be still to come. A stretch that may be either of two is asked about.
"""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from butler.contract.speech import say, say_short_day
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import Part
from butler.orchestrator.embedded.day import MONTHS, SaidDay, add_months, day_at, part_at
from butler.orchestrator.embedded.hours import hour_at, hours_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count
from butler.orchestrator.embedded.past import YEAR, span_at

Bound = date | datetime | None
"""A day stands for its midnight."""

FOR = phrases("(for|on|in|during|over|within|of|from|at) [the]", "the")
REST = phrases("[the] rest of")
THIS = phrases("(this|the) [current|coming|running]", "my")
NEXT = phrases("[the] (next|following|coming)")
AFTER_NEXT = phrases("[the] week after next", "in two weeks")
WEEKEND = phrases("weekend")
UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7}
FROM, TO = phrases("(from|between)"), phrases("(to|until|till|and|through)", "-", "–")
AFTER, SINCE = phrases("(after|past)"), phrases("(from|since|starting)")
ONWARDS = phrases("(on|onwards|onward)")
BEFORE, UNTIL = phrases("before"), phrases("[up] (until|till|to)", "by")
PARTS = {
    Part.MORNING: (time(0), time(12)),
    Part.AFTERNOON: (time(12), time(18)),
    Part.EVENING: (time(18), None),
    Part.NIGHT: (time(18), None),
}
"""From when to when a part of the day goes; no end is midnight."""
ONE_DAY = timedelta(1)
SUNDAY, WEEK, YEAR_LONG = 6, 7, 12
MOST = 400


@dataclass(frozen=True, slots=True)
class Stretch:
    """From when (included) to when (excluded); none is open."""

    since: Bound = None
    before: Bound = None

    def args(self) -> dict[str, str]:
        """As the tools take it: days as dates, times without offset."""
        bounds = {"since": self.since, "before": self.before}
        return {name: written(bound) for name, bound in bounds.items() if bound is not None}

    @property
    def day(self) -> date | None:
        """The one day that it lies within; None where it is longer."""
        if self.since is None or self.before is None:
            return None
        first = day_of(self.since)
        return first if _end(self.before) <= datetime.combine(first + ONE_DAY, time(0)) else None


def written(bound: date | datetime) -> str:
    """As the tools take it."""
    return bound.isoformat(timespec="minutes") if isinstance(bound, datetime) else bound.isoformat()


def day_of(bound: date | datetime) -> date:
    """The day of a bound."""
    return bound.date() if isinstance(bound, datetime) else bound


def _end(bound: date | datetime) -> datetime:
    return bound if isinstance(bound, datetime) else datetime.combine(bound, time(0))


def stretch_at(tail: Tail, now: datetime) -> tuple[Stretch, Tail] | None:
    """The stretch that stands here, and what follows. `now` is local and aware. Asks which day, where two are meant."""
    today = now.date()
    found = _between(tail, today) or _open(tail, now) or _days(tail, today)
    if found is not None:
        return found
    start = tail.past(FOR)
    if start.word() in {"yesterday", "last"} and (past := span_at(start, today)) is not None:
        (since, before), after = past
        return Stretch(since, before or today + ONE_DAY), after
    return None


def _days(tail: Tail, today: date) -> tuple[Stretch, Tail] | None:
    """A day with what is said of its hours, or a week, a month, a year."""
    longer = _long(tail, today)
    if longer is not None:
        return longer
    part = part_at(tail)
    said = part[1] if part and part[1].at > tail.at + 1 else tail
    day = _said_day(said, today)
    if day is None:
        return None
    found, after = day
    later = part_at(after)
    which = found.part or (part[0] if part and said.at > tail.at else None) or (later[0] if later else None)
    after = later[1] if later and not found.part else after
    if which is not None:
        return _part_of(found.day, which), after
    return _hours_of(found.day, after) or (Stretch(found.day, found.day + ONE_DAY), after)


def _said_day(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    """One day; a bare hour or number is none."""
    for start in (tail, tail.past(FOR)):
        if (found := day_at(start, today)) is not None:
            return sure_of_day(found[0], tail, found[1]), found[1]
    return None


def sure_of_day(said: SaidDay, tail: Tail, after: Tail) -> SaidDay:
    """The day; asks where it may be one of two, with the whole request anew for each."""
    if said.or_day is None:
        return said
    first, last = tail.tokens[tail.at].start, tail.tokens[after.at - 1].end
    on = "" if tail.source[:first].rstrip().casefold().endswith(" on") else "on "
    words = [f"{tail.source[:first]}{on}{day.isoformat()}{tail.source[last:]}" for day in (said.day, said.or_day)]
    labels = [say_short_day(day) for day in (said.day, said.or_day)]
    raise Asking(say("Which day do you mean?"), [choice(*one) for one in zip(labels, words, strict=True)])


def _part_of(day: date, part: Part) -> Stretch:
    start, end = PARTS[part]
    since = datetime.combine(day, start) if start != time(0) else day
    return Stretch(since, datetime.combine(day, end) if end else day + ONE_DAY)


def _hours_of(day: date, tail: Tail) -> tuple[Stretch, Tail] | None:
    """`after 3 pm`, `before noon`, `from 2 to 4`, behind a day."""
    if (hours := hours_at(tail)) is not None:
        (start, end), after = hours
        return Stretch(datetime.combine(day, start), datetime.combine(day, end)), after
    for words, is_start in ((AFTER, True), (SINCE, True), (BEFORE, False), (UNTIL, False)):
        begun = tail.take(words)
        clock = hour_at(begun) if begun else None
        if clock is not None:
            at = datetime.combine(day, clock[0])
            after = clock[1].past(ONWARDS) if is_start else clock[1]
            return Stretch(at, day + ONE_DAY) if is_start else Stretch(day, at), after
    return None


def _long(tail: Tail, today: date) -> tuple[Stretch, Tail] | None:
    start = tail.past(FOR)
    rest = start.take(REST) or tail.take(REST)
    if (after := start.take(AFTER_NEXT)) is not None and start.take(phrases("in two weeks")) is None:
        monday = _monday(today) + timedelta(2 * WEEK)
        return Stretch(monday, monday + timedelta(WEEK)), after
    for one in (start, tail):
        begun = rest or one
        if (this := begun.take(THIS) or (begun if rest else None)) is not None and (
            end := _end_of(this.word(), today)
        ) is not None:
            return Stretch(today, end), this.skip()
        if (weekend := (begun.take(THIS) or begun).take(WEEKEND)) is not None:
            return _weekend(today), weekend
        if (following := begun.take(NEXT)) is not None and (found := _next(following, tail, today)) is not None:
            return found
    return _month(start, today) if start.at > tail.at or tail.word() in MONTHS else None


def _monday(today: date) -> date:
    return today - timedelta(today.weekday())


def _weekend(today: date) -> Stretch:
    end = _monday(today) + timedelta(WEEK)
    return Stretch(max(today, end - timedelta(2)), end)


def _end_of(unit: str, today: date) -> date | None:
    """The first day after the week, month or year that runs now."""
    ends = {
        "week": _monday(today) + timedelta(WEEK),
        "month": add_months(today.replace(day=1), 1),
        "year": date(today.year + 1, 1, 1),
        "day": today + ONE_DAY,
    }
    return ends.get(unit)


def _next(following: Tail, tail: Tail, today: date) -> tuple[Stretch, Tail] | None:
    """`next week`, `the next three days`; `next weekend`, which on a weekday is one or the other."""
    number = count(following.word()) or (2 if following.take(phrases("couple of", "few")) else 0)
    unit = following.past(phrases("couple of", "few")) if not count(following.word()) else following.skip()
    if number and number < MOST and unit.word() in UNITS:
        return Stretch(today, today + timedelta(number * UNITS[unit.word()] + (unit.word()[:3] == "day"))), unit.skip()
    if following.take(WEEKEND) is not None:
        weekend = _weekend(today)
        assert isinstance(weekend.since, date)
        this, later = (SaidDay(day) for day in (weekend.since, weekend.since + timedelta(WEEK)))
        raise _which_weekend(this.day, later.day, tail, following.skip())
    end = _end_of(following.word(), today)
    if end is None or following.word() == "day":
        return None
    later_end = {"week": end + timedelta(WEEK), "month": add_months(end, 1), "year": add_months(end, YEAR_LONG)}
    return Stretch(end, later_end[following.word()]), following.skip()


def _which_weekend(this: date, later: date, tail: Tail, after: Tail) -> Asking:
    first, last = tail.tokens[tail.at].start, tail.tokens[after.at - 1].end
    choices = [
        choice(
            say_short_day(day),
            f"{tail.source[:first]}from {day.isoformat()} to {(day + ONE_DAY).isoformat()}{tail.source[last:]}",
        )
        for day in (this, later)
    ]
    return Asking(say("Which weekend do you mean?"), choices)


def _month(tail: Tail, today: date) -> tuple[Stretch, Tail] | None:
    """`in March`, `in March 2027`; a month that is over is next year's."""
    if tail.word() not in MONTHS or (tail.word(1)[:1].isdigit() and not YEAR.fullmatch(tail.word(1))):
        return None
    month, after = MONTHS.index(tail.word()) + 1, tail.skip()
    year = today.year + (month < today.month)
    if YEAR.fullmatch(after.word()):
        year, after = int(after.word()), after.skip()
    first = date(year, month, 1)
    return Stretch(max(first, today) if first <= today < add_months(first, 1) else first, add_months(first, 1)), after


def _between(tail: Tail, today: date) -> tuple[Stretch, Tail] | None:
    """`from Monday to Wednesday`, both of them included; `from 3 to 10 August`."""
    start = tail.take(FROM)
    if start is None:
        return None
    first = day_at(start, today)
    split = (first[1] if first else start).take(TO)
    if first is None:
        number = count(start.word()) if start.word()[:1].isdigit() else None
        split = start.skip().take(TO) if number else None
    last = day_at(split, today) if split else None
    if split is None or last is None:
        return None
    until = sure_of_day(last[0], split, last[1]).day
    if first is not None:
        since = sure_of_day(first[0], start, first[1]).day
        until = until + timedelta(WEEK) if until < since and last[0].weekday else until
    else:
        try:
            since = until.replace(day=int(start.word()))
        except ValueError:
            return None
    return (Stretch(since, until + ONE_DAY), last[1]) if since <= until else None


def _open(tail: Tail, now: datetime) -> tuple[Stretch, Tail] | None:
    """`after Friday`, `until Monday`, `before 5 March`; an hour alone is of today."""
    today = now.date()
    if (begun := tail.take(AFTER)) is not None:
        if (found := day_at(begun, today)) is not None:
            return Stretch(sure_of_day(found[0], begun, found[1]).day + ONE_DAY, None), found[1]
        if (clock := hour_at(begun)) is not None:
            return Stretch(datetime.combine(today, clock[0]), today + ONE_DAY), clock[1]
    if (begun := tail.take(SINCE)) is not None and (found := day_at(begun, today)) is not None:
        after = found[1].take(ONWARDS)
        return (Stretch(sure_of_day(found[0], begun, found[1]).day, None), after) if after else None
    for words, days in ((BEFORE, 0), (UNTIL, 1)):
        begun = tail.take(words)
        found = day_at(begun, today) if begun else None
        if begun is not None and found is not None:
            day = sure_of_day(found[0], begun, found[1]).day
            return Stretch(today, day + timedelta(days)), found[1]
    return None


def from_now(stretch: Stretch, now: datetime) -> Stretch:
    """The same without what is over: an agenda that is open begins today."""
    return replace(stretch, since=now.date()) if stretch.since is None else stretch
