"""Reads recurrences in four languages: `every other Tuesday at 7`, `jeden ersten Montag`, `un jour sur deux`.

The input is the words marked as a recurrence. They become a `Repeated`, of which the rule of a reminder or an event is
made; unknown words are only skipped once the frequency is known.
"""

from dataclasses import dataclass, replace
from datetime import datetime, time, timedelta

from butler.contract.bulk_repeat import Weekday
from butler.contract.schedules import Every
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import NOON, Part, in_part
from butler.orchestrator.embedded.every import Repeated
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.understanding.recurring.days import WHICH_DAYS
from butler.orchestrator.understanding.recurring.times import RecurringTimes

MINUTES = 60
WHICH_TIMES = phrase("At which times is that? Say it with them, like “every day at 8, 13 and 19”.")


@dataclass(frozen=True, slots=True)
class Recurrence:
    """A recurrence, and its words other than times of day."""

    said: Repeated
    rest: str = ""

    def at(self, clocks: tuple[time, ...]) -> str:
        """Return the recurrence in words, with unambiguous times of day."""
        return f"{self.rest} {' '.join(f'{clock:%H:%M}' for clock in clocks)}"


def recurrence(text: str, language: str, now: datetime) -> Recurrence | None:
    """Return the recurrence; None if it is not understood. Raise `Asking` if no rule can express it."""
    reading = _Reading(language, text, now)
    return reading.whole()


class _Reading(RecurringTimes):
    """One reading of the words, from the first to the last."""

    def whole(self) -> Recurrence | None:
        at = 0
        steps = (
            self._except, self._counted, self._month_day, self._of_month, self._out_of, self._every, self._adverb,
            self._other, self._last, self._ordinals, self._number_of, self._weekdays, self._day_kinds, self._fraction,
            self._unit, self._part, self._lasts, self._joint, self._time,
        )  # fmt: skip
        while at < len(self.tokens):
            found = next((after for step in steps if (after := step(at)) is not None), None)
            found = found if found is not None else self._passed(at)
            if found is None:
                return None
            at = found
        return self._finished()

    def _finished(self) -> Recurrence | None:
        if not self.often:
            if not self.each and not self.said.parts:
                return None
            self._set("day")
        if self.left:
            self._leave_out()
        self._until_clock()
        self._hours_from_clock()
        said = self._with_clocks()
        if self.count is not None and self.count[0] > 1 and len(said.clocks) != self.count[0] and not said.parts:
            of_days = self.count[1] == "day"
            if of_days or len(self.often.get("on", ())) != self.count[0]:
                raise Asking(say(WHICH_TIMES if of_days else WHICH_DAYS))
        rest = " ".join(word for n, word in enumerate(self.written) if n not in self.of_clock)
        return Recurrence(replace(said, often=self.often), rest)

    def _until_clock(self) -> None:
        """Limit `every two hours until six` to today, from one interval after now on."""
        if self.ends is None or self.ends.clock is None:
            return
        clock, every = self.ends.clock, self.often["every"]
        wall = self.now.replace(tzinfo=None, second=0, microsecond=0)
        if not self.ends.half_said and clock <= wall.time() and clock.hour < NOON:
            clock = clock.replace(hour=clock.hour + NOON)
        step = int(self.often.get("interval", 1)) * (MINUTES if every is Every.HOUR else 1)
        first = wall + timedelta(minutes=step)
        if every not in {Every.HOUR, Every.MINUTE} or first > datetime.combine(wall.date(), clock):
            self._clock(clock, sure=self.ends.half_said)
            return
        self.said = replace(self.said, within=(first.time(), clock), since=wall.date(), until=wall.date())

    def _hours_from_clock(self) -> None:
        """Turn `every eight hours, starting at six` into six, two and ten o'clock."""
        step = int(self.often.get("interval", 1))
        if self.often["every"] is not Every.HOUR or len(self.said.clocks) != 1 or self.said.within or 24 % step:
            return
        first = self.said.clocks[0]
        clocks = tuple(first.replace(hour=(first.hour + hours) % 24) for hours in range(0, 24, step))
        self.said = replace(self.said, clocks=clocks)
        self.sure = [True] * len(clocks)
        on = self.often.get("on")
        self.often = {"every": Every.WEEK, "on": on} if on else {"every": Every.DAY}

    def _leave_out(self) -> None:
        kept = tuple(day for day in self.often.get("on") or tuple(Weekday) if day not in self.left)
        if not kept or self.often.get("nth") or self.often["every"] in {Every.MONTH, Every.YEAR}:
            raise Asking(say(WHICH_DAYS))
        self.often["on"] = kept
        if self.often["every"] is Every.DAY:
            self.often["every"] = Every.WEEK

    def _with_clocks(self) -> Repeated:
        """Return the recurrence with its times of day in the parts of the day that were said."""
        said, sure = self.said, list(self.sure)
        if said.within is not None and self.often["every"] in {Every.HOUR, Every.MINUTE}:
            return said
        if said.clocks and said.parts and not all(sure):
            clocks = tuple(
                in_part(clock, part)[0] if not known else clock
                for clock, known in zip(said.clocks, sure, strict=False)
                for part in (said.parts if not known else said.parts[:1])
            )
            return replace(said, clocks=clocks, parts=())
        if len(said.parts) == 1 and said.clocks:
            said = replace(said, parts=())
        clocks = _like_the_last(said.clocks, sure)
        half = all(known or not 0 < clock.hour < DAWN for clock, known in zip(clocks, sure, strict=False))
        if said.within is not None and not all(sure):
            half = not 0 < said.within[0].hour < DAWN
        return replace(said, clocks=clocks, half_said=half)


def parts_of(said: Repeated) -> tuple[Part, ...]:
    """Return the parts of the day; none if there is a clock time."""
    return () if said.clocks else said.parts


def _like_the_last(clocks: tuple[time, ...], sure: list[bool]) -> tuple[time, ...]:
    """Return the times with all in the afternoon if the last one is: `at 2 and 5 pm`."""
    if len(clocks) < 2 or not sure[-1] or clocks[-1].hour < NOON:  # noqa: PLR2004 - one says nothing of another
        return clocks
    last = clocks[-1]
    for n, clock in enumerate(clocks[:-1]):
        if not sure[n] and clock.hour + NOON < last.hour:
            sure[n] = True
            clocks = (*clocks[:n], clock.replace(hour=clock.hour + NOON), *clocks[n + 1 :])
    return clocks
