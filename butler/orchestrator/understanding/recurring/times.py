"""Reads the times of day, the start and the end of a recurrence."""

from dataclasses import replace
from datetime import date, time

from butler.contract.schedules import Every
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.understanding.recurring.often import LONGEST_LENGTH, LONGEST_TIME, RecurringOften
from butler.orchestrator.understanding.recurring.words import WORDS
from butler.orchestrator.understanding.said import PARTS
from butler.understanding.stored_words import stored
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid


class RecurringTimes(RecurringOften):
    """Reads the times, the start and the end."""

    def _part(self, at: int) -> int | None:
        found = self._value("again_often_part", at) or self._value("part", at)
        if found is None or (self._time_there(at) and not self.each):
            return None
        if found[0] in {"noon", "midnight"}:
            self._clock(time(NOON if found[0] == "noon" else 0), sure=True)
        else:
            self.said = replace(self.said, parts=(*self.said.parts, PARTS[found[0]]))
        return found[1]

    def _time_there(self, at: int) -> bool:
        """Return whether a time of day begins here with its part of the day: `evening 8`."""
        return False if self._is("again_often_part", at) is not None else self._span(at, clock=True) is not None

    def _clock(self, clock: time, *, sure: bool) -> None:
        self.said = replace(self.said, clocks=(*self.said.clocks, clock))
        self.sure.append(sure)

    def _span(self, at: int, *, clock: bool = False) -> tuple[TimeSaid, int] | None:
        """Return the longest time that begins here; an `every` behind it is no part of it: `à 9h` `tous les jours`."""
        last = min(len(self.tokens), at + LONGEST_TIME)
        last = next((end for end in range(at + 1, last) if self._ends_time(end)), last)
        for end in range(last, at, -1):
            if end > at + 1 and self._is("filler", end - 1) is not None:
                continue
            if (hours := self._hours(at, end)) is not None:
                return hours, end
            try:
                found = parse(" ".join(self.tokens[at:end]), self.language, self.now)
            except IndexError:
                continue
            if found is not None and (not clock or found.clock is not None):
                return found, end
        return None

    def _ends_time(self, at: int) -> bool:
        """Return whether no time goes on here, for how often it is or what is left out begins."""
        return self._is("again_every", at) is not None or self._days_but_not(at) is not None

    def _hours(self, at: int, end: int) -> TimeSaid | None:
        """Read a range of hours: `de 18 à 20h`, `de cinco a siete`."""
        tokens = self.tokens[at:end]
        joints = stored(*WORDS, "to_hour", self.language)
        cut = next((place for place, token in enumerate(tokens[1:-1], 1) if token in joints), 0)
        if not cut:
            return None
        both = [parse(" ".join((*stored(*WORDS, "at_hour", self.language), *part)), self.language, self.now)
                for part in (tokens[:cut], tokens[cut + 1 :])]  # fmt: skip
        first, last = both
        if first is None or last is None or first.clock is None or last.clock is None or first.day or last.day:
            return None
        return replace(first, until_clock=last.clock, half_said=first.half_said or last.clock.hour < first.clock.hour)

    def _lasts(self, at: int) -> int | None:
        after = self._is("again_lasts", at)
        if after is None:
            return None
        for end in range(min(len(self.tokens), after + LONGEST_LENGTH), after, -1):
            found = length_of(" ".join(self.tokens[after:end]), self.language, self.now)
            if found is not None and found.seconds:
                self.said = replace(self.said, minutes=found.seconds // 60)
                return end
            if found is not None:
                self.said = replace(self.said, lasts=(found.days, found.months))
                return end
        return None

    def _time(self, at: int) -> int | None:
        span = self._span(at) if self._is("day_number", at) is None else None
        if span is None:
            return None
        found, end = span
        if found.moment is not None or found.same_clock:
            return None
        if found.clock is not None:
            self.of_clock |= set(range(at, end))
            if found.bound == "before" and found.day is None:
                self.ends = found
            elif found.until_clock is not None:
                self.said = replace(self.said, within=(found.clock, found.until_clock))
                self.sure.append(found.half_said)
            else:
                self._clock(found.clock, sure=found.half_said or bool(found.part))
        if found.day is not None:
            self._days_said(found, found.day, at, end)
        elif found.part and found.clock is None:
            self.said = replace(self.said, parts=(*self.said.parts, PARTS[found.part]))
        return end

    def _days_said(self, found: TimeSaid, day: date, at: int, end: int) -> None:
        named = any(self._value("month", place) is not None for place in range(at, end))
        if found.bound == "before":
            month_only = found.until_day is not None and found.day is not None and found.day.day == 1 and named
            self.said = replace(self.said, until=day if not month_only else date.fromordinal(day.toordinal() - 1))
        elif found.bound == "since" or found.until_day is not None:
            self.said = replace(self.said, since=day, until=found.until_day if found.bound != "since" else None)
        elif named and self.often.get("every") in {None, Every.YEAR}:
            self._set("year", self.often.get("interval", 1), day=day.day, month=day.month)
        else:
            self.said = replace(self.said, since=day)
