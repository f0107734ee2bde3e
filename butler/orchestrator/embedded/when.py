"""When something is to be said: a small grammar of times, in the person's zone, that never makes up an hour."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

from butler.orchestrator.embedded.clock import NOON, Part, clock_at, in_part, says_half
from butler.orchestrator.embedded.day import SaidDay, add_months, day_at, part_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count

IN = phrases("in [about]")
COUPLE = phrases("a couple of")
FROM_NOW = phrases("from (now|today)")
FIRST_THING = phrases("first thing [in the morning]")
MINUTES = {"minute": 1, "minutes": 1, "min": 1, "mins": 1, "hour": 60, "hours": 60, "hr": 60, "hrs": 60}
DAYS = {"day": 1, "days": 1, "week": 7, "weeks": 7}
MONTHS = frozenset({"month", "months"})
HALVES = ((phrases("half an hour"), 30), (phrases("a quarter of an hour"), 15), (phrases("an hour and a half"), 90))
BY = phrases("(by|until|before)")
DAWN = 7
"""The hour before which nobody wants to be reminded without having said so."""
MOST = 4
"""Parts of one time: a day, a part of it, a clock, and one more."""
MOST_WORDS = 16
"""Of a time at the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """The parts of a time as they were said."""

    day: date | None = None
    clock: time | None = None
    part: Part | None = None
    moment: datetime | None = None
    """Said from now on, such as `in 20 minutes`: local, without offset."""
    same_clock: bool = False
    weekday: bool = False
    or_day: date | None = None
    half_said: bool = True
    """False where the clock may be of the morning or of the afternoon, such as `at 5`."""

    @property
    def whole(self) -> bool:
        """True when it is known to the minute."""
        return self.moment is not None or self.clock is not None or self.part is not None or self.same_clock


def spoken_at(tail: Tail, now: datetime) -> tuple[Spoken, Tail] | None:
    """The time that stands here, as much of it as there is, and what follows. `now` is local and aware."""
    said, here = Spoken(), tail
    for _ in range(MOST):
        start = here.skip() if here.word() == "," and here.at > tail.at else here
        found = _add(said, start, now)
        if found is None:
            break
        said, here = found
    return (said, here) if here.at > tail.at else None


def _add(said: Spoken, tail: Tail, now: datetime) -> tuple[Spoken, Tail] | None:
    if said.moment is not None:
        return None
    if said.day is None and (later := _from_now(tail, now)) is not None:
        merged = replace(said, day=later[0].day, moment=later[0].moment, same_clock=later[0].same_clock)
        return None if merged.moment and said != Spoken() else (merged, later[1])
    if said.day is None and (day := day_at(tail, now.date()) or _by(tail, now)) is not None:
        part = day[0].part or said.part
        return replace(said, day=day[0].day, part=part, weekday=day[0].weekday, or_day=day[0].or_day), day[1]
    return _of_day(said, tail)


def _by(tail: Tail, now: datetime) -> tuple[SaidDay, Tail] | None:
    """`by Friday`."""
    after = tail.take(BY)
    return day_at(after, now.date()) if after else None


def _of_day(said: Spoken, tail: Tail) -> tuple[Spoken, Tail] | None:
    if said.part is None and (first := tail.take(FIRST_THING)) is not None:
        return replace(said, part=Part.MORNING), first
    if said.part is None and (part := part_at(tail)) is not None:
        bare = part[1].at == tail.at + 1
        return None if bare and said.day is None else (replace(said, part=part[0]), part[1])
    if said.clock is None and (clock := clock_at(tail)) is not None:
        return replace(said, clock=clock[0], half_said=says_half(tail.until(clock[1]))), clock[1]
    return None


def _from_now(tail: Tail, now: datetime) -> tuple[Spoken, Tail] | None:
    start = tail.take(IN)
    if start is None:
        return _hence(tail, now)
    for option, minutes in HALVES:
        if (after := start.take(option)) is not None:
            return Spoken(moment=_later(now, minutes)), after
    if (after := start.take(COUPLE)) is not None:
        return _amount(2, after, now)
    amount = count(start.word())
    return _amount(amount, start.skip(), now) if amount else None


def _hence(tail: Tail, now: datetime) -> tuple[Spoken, Tail] | None:
    """`an hour from now`, `a week from today`."""
    half = next(((minutes, after) for option, minutes in HALVES if (after := tail.take(option)) is not None), None)
    amount = count(tail.word())
    found = _amount(amount, tail.skip(), now) if amount else None
    found = (Spoken(moment=_later(now, half[0])), half[1]) if half else found
    after = found[1].take(FROM_NOW) if found else None
    return (found[0], after) if found and after is not None else None


def _amount(amount: int, tail: Tail, now: datetime) -> tuple[Spoken, Tail] | None:
    unit, after = tail.word(), tail.skip()
    try:
        if unit in MINUTES:
            minutes = amount * MINUTES[unit]
            more = after.skip() if after.word() == "and" else after
            if MINUTES[unit] > 1 and (extra := count(more.word())) and MINUTES.get(more.word(1)) == 1:
                minutes, after = minutes + extra, more.skip(2)
            return Spoken(moment=_later(now, minutes)), after
        if unit in DAYS:
            return Spoken(day=now.date() + timedelta(amount * DAYS[unit]), same_clock=True), after
        if unit in MONTHS:
            return Spoken(day=add_months(now.date(), amount), same_clock=True), after
    except (OverflowError, ValueError):
        return None
    return None


def _later(now: datetime, minutes: int) -> datetime:
    """So many real minutes from now, as local wall time, also over a change of the clocks."""
    zone = now.tzinfo
    assert zone is not None
    later = datetime.fromtimestamp(now.timestamp() + minutes * 60, zone)
    return later.replace(tzinfo=None, microsecond=0, fold=0)


def either_half(said: Spoken, now: datetime) -> tuple[datetime, ...]:
    """The next two moments that `at 5` may mean, where no day is said and the night would be one of them; else none."""
    if said.half_said or said.clock is None or said.day or said.part or not 0 < said.clock.hour < DAWN:
        return ()
    clocks = (said.clock, said.clock.replace(hour=said.clock.hour + NOON))
    moments = (settle(Spoken(clock=clock), now) for clock in clocks)
    return tuple(sorted(moment for moment in moments if moment))


def settle(said: Spoken, now: datetime) -> datetime | None:
    """The local wall time that is meant; None when that is past. Needs `said.whole`."""
    wall = now.replace(tzinfo=None)
    if said.moment is not None:
        return said.moment
    clock, days = _clock(said, wall)
    at = datetime.combine((said.day or wall.date()) + timedelta(days), clock)
    if at <= wall:
        if said.day is None or (clock == time(0) and said.day == wall.date()):
            at += timedelta(1)
        elif said.weekday:
            at += timedelta(7)
    return at if at > wall else None


def _clock(said: Spoken, wall: datetime) -> tuple[time, int]:
    if said.clock is not None:
        return in_part(said.clock, said.part)
    if said.part is not None:
        return said.part.value, 0
    return wall.time().replace(microsecond=0), 0


def spoken_at_end(tail: Tail, now: datetime) -> tuple[Tail, Spoken] | None:
    """The longest time that ends the words, and what stands before it; None where they end in no time."""
    bare = tail.bare()
    for start in range(max(bare.at + 1, bare.end - MOST_WORDS), bare.end):
        here = replace(bare, at=start)
        found = spoken_at(here, now)
        if found is not None and found[1].done and here.word() != ",":
            before = replace(bare, end=start)
            return before, found[0]
    return None
