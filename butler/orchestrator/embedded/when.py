"""When something is to be said: a small grammar of times, in the person's zone, that never makes up an hour."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import Part, clock_at, in_part, says_half
from butler.orchestrator.embedded.day import SaidDay, add_months, day_at, part_at
from butler.orchestrator.embedded.lengths import Length, length_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.zone_names import zone_named
from butler.orchestrator.embedded.zones import SaidZone, zone_at

IN = phrases("in [about]", "in exactly")
FROM_NOW = phrases("from (now|today)")
FIRST_THING = phrases("first thing [in the morning]")
BY = phrases("(by|until|before)")
DAWN = 7
"""The hour before which nobody wants to be reminded without having said so."""
MOST = 5
"""Parts of one time: a day, a part of it, a clock, its zone, and one more."""
WHOSE_CLOCK = phrase(
    "I do not know which clock “{zone}” is. Say it by yours, or with a city, like “tomorrow at 9 Tokyo time”."
)
WHICH_DATE = phrase(
    "Today is another date by “{zone}”. Which do you mean? Say it with its date, like “on 5 March at 9”."
)


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
    zone: SaidZone | None = None
    """On whose clock; None is the owner's."""

    @property
    def whole(self) -> bool:
        """True when it is known to the minute."""
        return self.moment is not None or self.clock is not None or self.part is not None or self.same_clock


def spoken_at(tail: Tail, now: datetime, *, zones: bool = False) -> tuple[Spoken, Tail] | None:
    """The time that stands here, as much of it as there is, and what follows. `now` is local and aware.

    Where `zones`, the clock may be somebody else's: whoever asks for that has to heed `Spoken.zone`. Otherwise a zone
    is part of what follows.
    """
    said, here = Spoken(), tail
    for _ in range(MOST):
        start = here.skip() if here.word() == "," and here.at > tail.at else here
        found = (_zone(said, here) if zones else None) or _add(said, start, now)
        if found is None:
            break
        said, here = found
    return (said, here) if here.at > tail.at else None


def _zone(said: Spoken, tail: Tail) -> tuple[Spoken, Tail] | None:
    found = zone_at(tail) if said.clock is not None and said.zone is None else None
    return (replace(said, zone=found[0]), found[1]) if found is not None else None


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
    """`in 20 minutes`; `an hour from now`, `a week from today`."""
    start = tail.take(IN)
    found = length_at(start if start is not None else tail)
    after = found[1] if found and start is not None else found[1].take(FROM_NOW) if found else None
    said = _after(found[0], now) if found else None
    return (said, after) if said is not None and after is not None else None


def _after(length: Length, now: datetime) -> Spoken | None:
    """So long from now: a day where it is of whole days, else a moment; None beyond the calendar."""
    try:
        day = add_months(now.date(), length.months) + timedelta(length.days)
        if not length.seconds:
            return Spoken(day=day, same_clock=True)
        zone = now.tzinfo
        assert zone is not None
        # Days go by the wall clock, hours by real time, also over a change of the clocks.
        then = datetime.combine(day, now.time().replace(fold=now.fold), zone) if day != now.date() else now
        later = datetime.fromtimestamp(then.timestamp() + length.seconds, zone)
    except (OverflowError, ValueError):
        return None
    return Spoken(moment=later.replace(tzinfo=None, microsecond=0))


def at_time(name: str, at: datetime) -> dict[str, Any]:
    """A local time as a tool takes it, with which of two where the clocks show it twice."""
    return {name: at.isoformat(timespec="seconds")} | ({"later": True} if at.fold else {})


def in_each_zone(said: Spoken, now: datetime) -> tuple[tuple[str, datetime], ...]:
    """The moments that a time on another clock may be, by the name of the zone, which is empty for the owner's own.

    Empty where the zone is sure, or makes no difference. Raises `Asking` where nobody knows whose clock it is.
    """
    zone = said.zone
    if zone is None or zone.own:
        return ()
    if not zone.names:
        raise Asking(say(WHOSE_CLOCK, zone=zone.words))
    own = [("", settle(replace(said, zone=None), now))] if zone.perhaps_place else []
    found = [*own, *((name, _there(said, name, now)) for name in zone.names)]
    moments = tuple((name, at) for name, at in found if at is not None)
    return moments if len({at for _, at in moments}) > 1 else ()


def settle(said: Spoken, now: datetime) -> datetime | None:
    """The local wall time that is meant; None when that is past. Needs `said.whole`."""
    wall = now.replace(tzinfo=None)
    if said.moment is not None:
        return said.moment
    if said.zone is not None and not said.zone.own:
        return _on_other_clock(said, said.zone, now)
    clock, days = _clock(said, wall)
    at = datetime.combine((said.day or wall.date()) + timedelta(days), clock)
    if at <= wall:
        if said.day is None or (clock == time(0) and said.day == wall.date()):
            at += timedelta(1)
        elif said.weekday:
            at += timedelta(7)
    return at if at > wall else None


def _on_other_clock(said: Spoken, zone: SaidZone, now: datetime) -> datetime | None:
    if in_each_zone(said, now):
        raise Asking(say(WHOSE_CLOCK, zone=zone.words))
    return _there(said, zone.names[0], now)


def _there(said: Spoken, name: str, now: datetime) -> datetime | None:
    """The local wall time of a time on the clock of a zone. Raises `Asking` where its date is in doubt."""
    zone = zone_named(name)
    there = now.astimezone(zone)
    if said.day is not None and there.date() != now.date() and (said.day - now.date()).days in {0, 1, 2}:
        raise Asking(say(WHICH_DATE, zone=said.zone.words if said.zone else name))
    clock, days = _clock(said, there.replace(tzinfo=None))
    day = (said.day or there.date()) + timedelta(days)
    at = datetime.combine(day, clock, zone)
    step = 7 if said.weekday else 1 if said.day is None else 0
    at = datetime.combine(day + timedelta(step), clock, zone) if at <= now else at
    # By way of UTC, so that a time which the clocks there leave out is the moment after it.
    return at.astimezone(UTC).astimezone(now.tzinfo).replace(tzinfo=None) if at > now else None


def _clock(said: Spoken, wall: datetime) -> tuple[time, int]:
    if said.clock is not None:
        return in_part(said.clock, said.part)
    if said.part is not None:
        return said.part.value, 0
    return wall.time().replace(microsecond=0), 0
