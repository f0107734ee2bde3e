"""Reads times of day: `half past nine`, `18 Uhr 30`, `neuf heures moins le quart`, `a las ocho de la tarde`."""

import re
from dataclasses import replace
from datetime import time

from butler.understanding.times.lengths import Lengths
from butler.understanding.times.saying import TimeSaid

CLOCK = re.compile(r"([01]?\d|2[0-3])[:.]([0-5]\d)|(24)[:.](00)")
NOON, HOURS, MINUTES = 12, 24, 60
LATE = {"afternoon", "evening", "night"}
SMALL_HOURS = 6
"""Hours of the night that belong to the evening before."""
NOON_ENDS = 4
"""The hour below which an hour at noon is meant after noon, as in `mittags um eins`."""
NOON_HOURS = frozenset({10, 11, 13, 14, 15, *range(1, NOON_ENDS)})
Hour = tuple[int, int, int, bool]
"""Hour, minute, the place after them, and whether the half of the day is known."""


class Clocks(Lengths):
    """Reads times of day and parts of a day."""

    def _part(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if said.part:
            same = self._value("part", at)
            return (said, same[1]) if same is not None and same[0] == said.part else None
        if (named := self._hour_of_part(said, at)) is not None:
            return named
        found = self._value("part", at)
        if found is None:
            return None
        name, after = found
        if name in {"noon", "midnight"} and said.clock is None:
            hour = self._hour(at)
            assert hour is not None
            self.assumed = hour[1] == 0
            return replace(said, part=name, clock=time(hour[0], hour[1])), hour[2]
        moved = self._with_part(replace(said, part=name))
        return (moved, after) if moved is not None else None

    def _hour_of_part(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `late afternoon`, `en fin de matinée`: a default hour, used if no other is said."""
        found = self._value("hours", at)
        if found is None:
            return None
        clock, part = found[0].split()
        if said.clock is not None:
            moved = self._with_part(replace(said, part=part))
            return (moved, found[1]) if moved is not None else None
        self.assumed = True
        return replace(said, part=part, clock=time.fromisoformat(clock)), found[1]

    def _with_part(self, said: TimeSaid) -> TimeSaid | None:
        """Move the clock into the part of the day that was said; None if it belongs to another part."""
        clock, until = said.clock, said.until_clock
        if clock is None or not said.part:
            return said
        if not _fits(clock.hour, said.part):
            return None
        if until is not None and said.part in LATE and clock < until and until.hour < NOON:
            later = replace(said, clock=clock.replace(hour=clock.hour + NOON), half_said=True)
            return replace(later, until_clock=until.replace(hour=until.hour + NOON))
        if until is not None and said.part == "night" and until.hour == NOON and clock.hour < NOON:
            return replace(said, clock=clock.replace(hour=clock.hour + NOON), until_clock=time(0, until.minute))
        return replace(said, clock=in_part(clock, said.part), half_said=True)

    def _clock_of(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if said.moment is not None or (said.clock is not None and not self.assumed):
            return None
        found = self.clock(at)
        if found is None:
            return None
        clock, after, sure = found
        if self._perhaps_day(said, at, after):
            return None
        moved = self._with_part(replace(said, clock=clock, half_said=sure, same_clock=False))
        if moved is None:
            return None
        self.assumed = False
        return moved, after

    def _perhaps_day(self, said: TimeSaid, at: int, after: int) -> bool:
        """Return whether a bare number after a weekday may be its date: `mercredi 14 à 9h`."""
        if not said.weekday or after != at + 1 or not self.tokens[at].isdigit() or not at:
            return False
        return self.words.language in {"fr", "es"} and self._is("weekday", at - 1) is not None

    def clock(self, at: int) -> tuple[time, int, bool] | None:
        """Read a time of day; return it, the place after it, and whether its half of the day is known."""
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
            if hour > NOON:
                return time(hour % HOURS, minute), half[1], True
            return time(hour % NOON + (NOON if half[0] == "pm" else 0), minute), half[1], True
        day_over = hour == HOURS
        return time(0 if day_over else hour, minute), after, sure or hour > NOON or hour == 0

    def _half_of_day(self, at: int) -> tuple[str, int] | None:
        for kind in ("am", "pm"):
            if (after := self._is(kind, at)) is not None:
                return kind, after
        if self.words.language == "en" and at < len(self.tokens) and self.tokens[at] in {"a", "p"}:
            return f"{self.tokens[at]}m", at + 1
        return None

    def _hour(self, at: int) -> Hour | None:
        if at >= len(self.tokens):
            return None
        if match := CLOCK.fullmatch(self.tokens[at]):
            after = self._is("oclock", at + 1) or at + 1
            hour = int(match[1] or match[3])
            sure = match[0].startswith("0") or hour > NOON or self.words.language in {"de", "fr"}
            return hour, int(match[2] or match[4]), after, sure
        halves = self._value("half_hour", at)
        if halves is not None and (number := self.number(self.skipped(halves[1]))) and number[0] <= HOURS:
            after = self._is("oclock", number[1]) or number[1]
            if halves[0] == "to":
                return *self._on_clock(number[0] * 60 - 30, number[0]), after, number[0] > NOON + 1
            return number[0] % HOURS, 30, after, number[0] > NOON
        return self._minutes_to(at) or self._plain_hour(at)

    def _minutes_to(self, at: int) -> Hour | None:
        """Read `quarter past seven`, `twenty to nine`, `fünf vor halb drei`, `dreiviertel acht`."""
        if (after := self._is("three_quarters", at)) is not None and (number := self.number(after)):
            end = self._is("oclock", number[1]) or number[1]
            return *self._on_clock(number[0] * 60 - 15, number[0]), end, number[0] > NOON + 1
        if (minutes := self._minutes_before(at)) is None:
            return self._quarter_of(at)
        count, behind, past = minutes
        halves = self._value("half_hour", behind)
        if halves is None and (noon := self._value("part", behind)) is not None and noon[0] in {"noon", "midnight"}:
            number, end = NOON if noon[0] == "noon" else HOURS, noon[1]
            total = (number * 60 + (count if past else -count)) % (HOURS * 60)
            return total // 60, total % 60, end, True
        found = self.number(halves[1] if halves else behind)
        if found is None or found[0] > HOURS:
            return None
        base = found[0] * 60 - (30 if halves and halves[0] == "to" else 0)
        end = self._is("oclock", found[1]) or found[1]
        return *self._on_clock(base + (count if past else -count), found[0]), end, found[0] > NOON

    @staticmethod
    def _on_clock(minutes: int, hour: int) -> tuple[int, int]:
        """Return hour and minute; a time just before one o'clock is after noon, not after midnight."""
        found, minute = divmod(minutes % (HOURS * 60), 60)
        return (NOON, minute) if found == 0 and hour == 1 else (found, minute)

    def _quarter_of(self, at: int) -> Hour | None:
        """Read `viertel neun`, which is a quarter past eight."""
        quarter = self._is("quarter", at) if self.words.language == "de" else None
        number = self.number(quarter) if quarter is not None else None
        return (*self._on_clock(number[0] * 60 - 45, number[0]), number[1], False) if number is not None else None

    def _minutes_before(self, at: int) -> tuple[int, int, bool] | None:
        """Read a number of minutes past or to the hour that follows."""
        quarter = self._is("quarter", at)
        minutes = (15, quarter) if quarter is not None else self.number(at)
        if minutes is None or not 0 < minutes[0] < MINUTES:
            return None
        unit = self._value("unit", minutes[1])
        behind = unit[1] if unit and unit[0] == "minute" else minutes[1]
        if (past := self._is("past", behind)) is not None:
            return minutes[0], past, True
        to = self._is("to_hour", behind)
        if to is None and self.words.language == "en" and self.tokens[behind : behind + 1] == ["to"]:
            to = behind + 1 if quarter is not None or not self._in_span(at, minutes[0], behind + 1) else None
        return (minutes[0], to, False) if to is not None else None

    def _in_span(self, at: int, minutes: int, behind: int) -> bool:
        """Return whether the words are a span, not minutes to an hour: `from 10 to 11`, `9 to 5`, `10 to 12`."""
        if minutes % 5 or (at > 0 and self.tokens[at - 1] in {"from", "between"}):
            return True
        end = self.number(behind)
        return self.tokens[at].isdigit() and end is not None and minutes < end[0] <= NOON

    def _plain_hour(self, at: int) -> Hour | None:  # noqa: PLR0911 - a case each
        """Read `nine`, `18 Uhr 30`, `huit heures et demie`, `las tres menos cuarto`, `midi et quart`."""
        if (noon := self._value("part", at)) is not None and noon[0] in {"noon", "midnight"}:
            minutes, here = self._minutes_behind(noon[1], joined=True)
            hour, minute = divmod(((NOON if noon[0] == "noon" else 0) * 60 + minutes) % (HOURS * 60), 60)
            return hour, minute, here, True
        number = self.number(at)
        if number is None:
            return None
        value, after = number
        if value > HOURS:
            return self._four_figures(at, value, after)
        clock = self._is("oclock", after)
        if clock is None and (unit := self._value("unit", after)) is not None and unit[0] != "second":
            return None
        if self._value("month", after) is not None:
            return None
        if clock is None and (self._is_article(at) or self._one_of(value, at, after)):
            return None
        here = clock if clock is not None else after
        minutes, here = self._minutes_behind(here)
        hour, minute = self._on_clock(value * 60 + minutes, value)
        leading = self.tokens[at].startswith("0") and len(self.tokens[at]) > 1
        exact = clock is not None and self.words.language != "en" and value >= 10  # noqa: PLR2004 - two figures
        return hour, minute, here, value > NOON or exact or leading

    def _one_of(self, value: int, at: int, after: int) -> bool:
        """Return whether a number only counts, as in `one evening` or `una tarde`, and is no hour."""
        part = self._value("part", after)
        bare = value == 1 and not self.tokens[at].isdigit() and not (at and self._is("at", at - 1) is not None)
        return bare and part is not None and part[1] == after + 1 and self.words.language != "de"

    def _is_article(self, at: int) -> bool:
        """Return whether `a`, `une` or `una` is an article here, and no hour as in `a la una`."""
        if self._is("article", at) is None:
            return False
        return not (at and (self.tokens[at - 1] in {"la", "las"} or self._is("at", at - 1) is not None))

    def _four_figures(self, at: int, value: int, after: int) -> Hour | None:
        """Read `1730`, `0730`."""
        token = self.tokens[at]
        if not token.isdigit() or len(token) not in {3, 4} or value % 100 >= MINUTES or value >= HOURS * 100:
            return None
        return value // 100, value % 100, self._is("oclock", after) or after, value >= 1300 or token.startswith("0")  # noqa: PLR2004

    def _minutes_behind(self, at: int, *, joined: bool = False) -> tuple[int, int]:  # noqa: PLR0911 - a case each
        """Read the minutes after an hour; with `joined`, only if a word joins them to it."""
        if (minus := self._is("minus", at)) is not None:
            quarter = self._is("quarter", minus)
            if quarter is not None:
                return -15, quarter
            number = self.number(minus)
            return (-number[0], number[1]) if number else (0, at)
        if (half := self._is("and_half", at)) is not None:
            return 30, half
        if (quarter := self._is("and_quarter", at)) is not None:
            return 15, quarter
        also = self._is("past_and", at) if not self.between else None
        number = self.number(also if also is not None else at)
        if number is None or number[0] >= MINUTES or (also is None and joined):
            return 0, at
        followed = any(self._is(kind, number[1]) is not None for kind in ("unit", "month", "oclock", "to_hour", "past"))
        ordinal = self.tokens[number[1] : number[1] + 1] in (["."], ["th"], ["st"], ["nd"], ["rd"])
        alone = number[0] < 5 or (self.words.language == "es" and (number[0] % 5 or number[0] < 10))  # noqa: PLR2004
        if followed or ordinal or (also is None and alone):
            return 0, at
        return number[0], number[1]


def in_part(clock: time, part: str) -> time:
    """Return the clock in its half of the day: `eight` in the evening is 20:00."""
    hour = clock.hour
    small = part == "night" and hour < SMALL_HOURS
    if hour == NOON and part in {"night", "midnight"}:
        return clock.replace(hour=0)
    if (part in LATE and 0 < hour < NOON and not small) or (part == "noon" and 0 < hour < NOON_ENDS):
        return clock.replace(hour=hour + NOON)
    return clock


def _fits(hour: int, part: str) -> bool:
    """Return whether an hour may belong to a part of the day."""
    if part == "morning":
        return hour <= NOON
    return part not in {"noon", "midnight"} or hour in {0, NOON} or (part == "noon" and hour in NOON_HOURS)
