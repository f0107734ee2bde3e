"""Times of day: `half past nine`, `18 Uhr 30`, `neuf heures moins le quart`, `a las ocho de la tarde`."""

import re
from dataclasses import replace
from datetime import time

from butler.understanding.times.lengths import Lengths
from butler.understanding.times.saying import TimeSaid

CLOCK = re.compile(r"([01]?\d|2[0-4])[:.]([0-5]\d)")
NOON = 12
LATE = {"afternoon", "evening", "night"}


class Clocks(Lengths):
    """Reads times of day and parts of a day."""

    def _part(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        found = self._value("part", at)
        if found is None or said.part:
            return None
        name, after = found
        if name in {"noon", "midnight"} and said.clock is None:
            return replace(said, part=name, clock=time(NOON if name == "noon" else 0)), after
        return self._with_part(replace(said, part=name)), after

    def _with_part(self, said: TimeSaid) -> TimeSaid:
        """The clock moved into the part of the day that was said."""
        clock = said.clock
        if clock is None or not said.part:
            return said
        late = said.part in LATE and 0 < clock.hour < NOON and not (said.part == "night" and clock.hour < 6)  # noqa: PLR2004
        if said.part == "noon" and 0 < clock.hour < 4:  # noqa: PLR2004
            late = True
        moved = clock.replace(hour=clock.hour + NOON) if late else clock
        if said.part == "morning" and clock.hour == NOON and clock.minute == 0:
            moved = clock
        return replace(said, clock=moved, half_said=True)

    def _clock_of(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if said.moment is not None or said.clock is not None:
            return None
        found = self.clock(at)
        if found is None:
            return None
        clock, after, sure = found
        return self._with_part(replace(said, clock=clock, half_said=sure, same_clock=False)), after

    def clock(self, at: int) -> tuple[time, int, bool] | None:
        """A time of day, the place behind it, and whether its half of the day is known."""
        here = self._is("at", at)
        start = self.skipped(here) if here is not None else at
        found = self._hour(start)
        if found is None and start != at:
            found = self._hour(here if here is not None else at)
        if found is None:
            return None
        hour, minute, after, sure = found
        half = self._half_of_day(after)
        if half is not None:
            hour = hour % NOON + (NOON if half[0] == "pm" else 0)
            return time(hour, minute), half[1], True
        day_over = hour == 24  # noqa: PLR2004 - midnight
        return time(0 if day_over else hour, minute), after, sure or hour > NOON or hour == 0

    def _half_of_day(self, at: int) -> tuple[str, int] | None:
        for kind in ("am", "pm"):
            if (after := self._is(kind, at)) is not None:
                return kind, after
        if self.words.language == "en" and at < len(self.tokens) and self.tokens[at] in {"a", "p"}:
            return f"{self.tokens[at]}m", at + 1
        return None

    def _hour(self, at: int) -> tuple[int, int, int, bool] | None:
        """Hour, minute, the place behind, and whether the half of the day is known."""
        if at >= len(self.tokens):
            return None
        if match := CLOCK.fullmatch(self.tokens[at]):
            after = self._is("oclock", at + 1) or at + 1
            hour = int(match[1])
            return hour, int(match[2]), after, match[1].startswith("0") or hour > NOON or self.words.language != "en"
        halves = self._value("half_hour", at)
        if halves is not None and (number := self.number(self.skipped(halves[1]))) and number[0] <= 24:  # noqa: PLR2004
            after = self._is("oclock", number[1]) or number[1]
            if halves[0] == "to":
                return (number[0] - 1) % 24, 30, after, number[0] > NOON + 1
            return number[0], 30, after, number[0] > NOON
        return self._minutes_to(at) or self._plain_hour(at)

    def _minutes_to(self, at: int) -> tuple[int, int, int, bool] | None:
        """`quarter past seven`, `twenty to nine`, `fünf vor halb drei`, `dreiviertel acht`."""
        if (after := self._is("three_quarters", at)) is not None and (number := self.number(after)):
            return (number[0] - 1) % 24, 45, number[1], False
        quarter = self._is("quarter", at)
        minutes = (15, quarter) if quarter is not None else self.number(at)
        if minutes is None or not 0 < minutes[0] < 60:  # noqa: PLR2004
            return None
        here = self._value("unit", minutes[1])
        behind = here[1] if here and here[0] == "minute" else minutes[1]
        past = self._is("past", behind)
        to = self._is("to_hour", behind)
        if to is None and self.words.language == "en" and self.tokens[behind : behind + 1] == ["to"]:
            to = behind + 1 if quarter is not None or (minutes[0] % 5 == 0 and not self._in_span(at)) else None
        after = past if past is not None else to
        if after is None:
            if quarter is not None and self.words.language == "de" and (number := self.number(quarter)):
                return (number[0] - 1) % 24, 15, number[1], False
            return None
        halves = self._value("half_hour", after)
        number = self.number(halves[1] if halves else after)
        if number is None or number[0] > 24:  # noqa: PLR2004
            return None
        base = number[0] * 60 - (30 if halves and halves[0] == "to" else 0)
        total = (base + (minutes[0] if past is not None else -minutes[0])) % (24 * 60)
        end = self._is("oclock", number[1]) or number[1]
        return total // 60, total % 60, end, number[0] > NOON

    def _in_span(self, at: int) -> bool:
        """Whether `from` or `between` stands before: `from 10 to 11` is no ten to eleven."""
        return at > 0 and self.tokens[at - 1] in {"from", "between"}

    def _plain_hour(self, at: int) -> tuple[int, int, int, bool] | None:  # noqa: PLR0911 - one way after the other
        """`nine`, `18 Uhr 30`, `huit heures et demie`, `las tres menos cuarto`."""
        if (noon := self._value("part", at)) is not None and noon[0] in {"noon", "midnight"}:
            return (NOON if noon[0] == "noon" else 0), 0, noon[1], True
        number = self.number(at)
        if number is None:
            return None
        value, after = number
        if value > 24:  # noqa: PLR2004
            if len(self.tokens[at]) in {3, 4} and self.tokens[at].isdigit() and value % 100 < 60 and value < 2400:  # noqa: PLR2004
                return value // 100, value % 100, after, value >= 1300 or self.tokens[at].startswith("0")  # noqa: PLR2004
            return None
        clock = self._is("oclock", after)
        if clock is None and (unit := self._value("unit", after)) is not None and unit[0] != "second":
            return None
        if self._value("month", after) is not None:
            return None
        here = clock if clock is not None else after
        minutes, here = self._minutes_behind(here)
        hour, minute = divmod((value * 60 + minutes) % (24 * 60), 60)
        return hour, minute, here, value > NOON or (clock is not None and self.words.language != "en" and value >= 10)  # noqa: PLR2004

    def _minutes_behind(self, at: int) -> tuple[int, int]:
        minus = self._is("minus", at)
        if minus is not None:
            quarter = self._is("quarter", minus)
            if quarter is not None:
                return -15, quarter
            number = self.number(minus)
            return (-number[0], number[1]) if number else (0, at)
        if (half := self._is("and_half", at)) is not None:
            return 30, half
        also = self._is("past_and", at)
        quarter = self._is("quarter", also if also is not None else at)
        if quarter is not None and (also is not None or self.words.language == "fr"):
            return 15, quarter
        number = self.number(also if also is not None else at)
        if number and number[0] < 60 and (also is not None or self.words.language in {"de", "fr", "en"}):  # noqa: PLR2004
            unit = self._value("unit", number[1])
            month = self._value("month", number[1])
            if unit is None and month is None and (number[0] >= 5 or also is not None):  # noqa: PLR2004
                return number[0], number[1]
        return 0, at
