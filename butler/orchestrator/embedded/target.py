"""When something is moved to: `4pm`, `Friday`, `Friday at 4pm`, `tomorrow 10-11`; what is not said stays as it is."""

from dataclasses import dataclass, replace
from datetime import date, time, timedelta

from butler.contract.speech import say, say_short_day
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.day import day_at, part_at
from butler.orchestrator.embedded.hours import hour_at, hours_at
from butler.orchestrator.embedded.lexer import Tail
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.embedded.stretch import sure_of_day

WEEK = 7
PARTS = 3
"""Of a time: a day, an hour, and the half of the day that it is in."""


@dataclass(frozen=True, slots=True)
class Target:
    """What of a time was said."""

    day: date | None = None
    clock: time | None = None
    end: time | None = None
    weekday: bool = False
    """Whether the day was said as a day of the week."""

    def sure_after(self, since: date | None, words: str) -> "Target":
        """The same, of what is moved from a day: `from Friday to Monday` is the Monday after that Friday.

        Asks where the day of the week comes before it as well; `words` is the request up to that day.
        """
        if since is None or self.day is None or not self.weekday or self.day > since:
            return self
        later = self.day + timedelta(WEEK * ((since - self.day).days // WEEK + 1))
        if self.day == since:
            return replace(self, day=later)
        days = (later, self.day)
        rest = f" at {self.clock:%H:%M}" if self.clock is not None else ""
        raise Asking(
            say("Which day do you mean?"),
            [choice(say_short_day(day), f"{words} {day.isoformat()}{rest}") for day in days],
        )


def target_at(tail: Tail, scene: Scene) -> tuple[Target, Tail] | None:
    """The time that stands here, as much of it as there is, and what follows. Asks which day, where two are meant."""
    said, here = Target(), tail
    for _ in range(PARTS):
        start = here.skip() if here.word() == "," and here.at > tail.at else here
        found = _hours(said, start) or _day(said, start, scene) or _part(said, start)
        if found is None:
            break
        said, here = found
    return (said, here) if here.at > tail.at else None


def _hours(said: Target, start: Tail) -> tuple[Target, Tail] | None:
    if said.clock is None and (hours := hours_at(start)) is not None:
        return replace(said, clock=hours[0][0], end=hours[0][1]), hours[1]
    return None


def _day(said: Target, start: Tail, scene: Scene) -> tuple[Target, Tail] | None:
    if said.day is None and (day := day_at(start, scene.now().date())) is not None:
        sure = sure_of_day(day[0], start, day[1])
        clock = said.clock or (sure.part.value if sure.part else None)
        return replace(said, day=sure.day, clock=clock, weekday=sure.weekday), day[1]
    if said.clock is None and (clock := hour_at(start)) is not None:
        return replace(said, clock=clock[0]), clock[1]
    return None


def _part(said: Target, start: Tail) -> tuple[Target, Tail] | None:
    part = part_at(start)
    if part is None:
        return None
    if said.clock is None:
        return (replace(said, clock=part[0].value), part[1]) if said.day is not None else None
    later = said.clock.hour < NOON <= part[0].value.hour
    return replace(said, clock=said.clock.replace(hour=said.clock.hour + NOON * later)), part[1]
