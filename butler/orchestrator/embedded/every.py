"""Makes a recurrence rule from what was said about repetition: `every other Tuesday at 7pm`, `daily at 8 and 20`.

Without an hour, it is nine in the morning, which the owner is told; all else is as said, or asked about.
"""

from dataclasses import dataclass, field, replace
from datetime import date, datetime, time, timedelta
from itertools import islice
from typing import Any

from butler.contract.asked_times import NINE
from butler.contract.bulk_repeat import LAST_DAY
from butler.contract.schedules import Every, RecurrenceRule, ZoneChange
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import NOON, Part
from butler.orchestrator.embedded.when import DAWN
from butler.understanding.times.lengths import shifted

WHICH_TIMES = phrase("At what times? Say them, like “every day at 8 and 20”.")
MOST_CLOCKS = 24
QUARTER, MOST_TRIED = 3, 200
"""The months of a quarter, and the most times tried to find its first."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The parts of a repetition as they were said."""

    often: dict[str, Any] = field(default_factory=dict[str, Any])
    """`every`, `interval`, `on`, `nth`, `day`, `month`; empty if nothing was said about them."""
    clocks: tuple[time, ...] = ()
    parts: tuple[Part, ...] = ()
    within: tuple[time, time] | None = None
    since: date | None = None
    until: date | None = None
    lasts: tuple[int, int] | None = None
    """The duration from the first time on, in days and months."""
    minutes: int = 0
    """The duration in minutes, if it is hours or less."""
    times: int = 0
    quarterly: bool = False
    """Whether it repeats each quarter: in January, April, July and October, or at the end of the quarters' last months.
    """
    half_said: bool = True
    """False if a time may be in the morning or in the afternoon, such as `at 5`."""

    @property
    def hour_said(self) -> bool:
        """Whether the time of day was said or is not needed."""
        short = self.often["every"] in {Every.MINUTE, Every.HOUR}
        return short or bool(self.clocks or self.parts)


def clock_halves(said: Repeated) -> tuple[Repeated, ...]:
    """Return both readings of an ambiguous time that could be at night; none if it is unambiguous."""
    if said.half_said:
        return ()
    later = tuple(clock.replace(hour=clock.hour + NOON) if 0 < clock.hour < DAWN else clock for clock in said.clocks)
    return replace(said, half_said=True), replace(said, clocks=later, half_said=True)


def rule_of(said: Repeated, now: datetime, zone: str) -> RecurrenceRule | None:
    """Return the rule, which starts with its first time; None if it has none to come. `now` is aware."""
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
    """Return a rule by minutes or hours: from now on, or within the hours of each day."""
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
    """Return the rule with its first time as the start, from which days, weeks or months are counted."""
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
    """Return whether a day is in a quarter's first month, or in its last for a rule on the last day of the month."""
    return day.month % QUARTER == (0 if often.get("day") == LAST_DAY else 1)


def _anchored(often: dict[str, Any], start: date) -> dict[str, Any]:
    """Return the fields with a day of the month: for monthly rules without one, the start's own."""
    if often["every"] is Every.MONTH and not often.get("nth") and not often.get("day"):
        return {**often, "day": start.day}
    return often


def _ending(first: date, lasts: tuple[int, int]) -> date:
    """Return the last day of so many days or months, counting the first day."""
    days, months = lasts
    return (shifted(first, months) if months else first + timedelta(days)) - timedelta(1)
