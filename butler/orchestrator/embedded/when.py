"""Turns the parts of a time into a moment in the owner's zone; never makes up an hour."""

from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import Part, in_part
from butler.orchestrator.embedded.zone_names import zone_named
from butler.orchestrator.embedded.zones import SaidZone

DAWN = 7
"""The hour before which a time is unlikely to be meant, unless it was said."""
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
    """A time relative to now, such as `in 20 minutes`: local, without offset."""
    same_clock: bool = False
    weekday: bool = False
    or_day: date | None = None
    half_said: bool = True
    """False if the time may be in the morning or in the afternoon, such as `at 5`."""
    zone: SaidZone | None = None
    """The zone of the time; None is the owner's."""

    @property
    def whole(self) -> bool:
        """Whether the time is known to the minute."""
        return self.moment is not None or self.clock is not None or self.part is not None or self.same_clock


def at_time(name: str, at: datetime) -> dict[str, Any]:
    """Return a local time as a tool takes it, with `later` for the second of two equal local times."""
    return {name: at.isoformat(timespec="seconds")} | ({"later": True} if at.fold else {})


def in_each_zone(said: Spoken, now: datetime) -> tuple[tuple[str, datetime], ...]:
    """Return the possible moments of a time in another zone, by zone name; the owner's own zone has an empty name.

    Empty if the zone is certain or makes no difference. Raise `Asking` if the zone is unknown.
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
    """Return the local wall time that is meant; None if it is past. Needs `said.whole`."""
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
    """Return the owner's local time for a time in another zone. Raise `Asking` if its date is in doubt."""
    zone = zone_named(name)
    there = now.astimezone(zone)
    if said.day is not None and there.date() != now.date() and (said.day - now.date()).days in {0, 1, 2}:
        raise Asking(say(WHICH_DATE, zone=said.zone.words if said.zone else name))
    clock, days = _clock(said, there.replace(tzinfo=None))
    day = (said.day or there.date()) + timedelta(days)
    at = datetime.combine(day, clock, zone)
    step = 7 if said.weekday else 1 if said.day is None else 0
    at = datetime.combine(day + timedelta(step), clock, zone) if at <= now else at
    # Convert by way of UTC, so that a time which the zone's clocks skip becomes the moment after it.
    return at.astimezone(UTC).astimezone(now.tzinfo).replace(tzinfo=None) if at > now else None


def _clock(said: Spoken, wall: datetime) -> tuple[time, int]:
    if said.clock is not None:
        return in_part(said.clock, said.part)
    if said.part is not None:
        return said.part.value, 0
    return wall.time().replace(microsecond=0), 0
