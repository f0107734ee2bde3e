"""Dates: `3 March`, `der dritte März`, `24.12.`, `2026-03-04`, `the 15th`."""

import re
from dataclasses import replace
from datetime import date

from butler.understanding.times.clocks import Clocks
from butler.understanding.times.lengths import shifted
from butler.understanding.times.saying import TimeSaid

ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
FIGURES = re.compile(r"(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2})?)?\.?")
YEAR = re.compile(r"(?:19|20)\d\d")
LEAP_YEARS = 8
"""The longest wait for a 29 February."""
LAST_HOUR, LAST_DAY = 24, 31


class Dates(Clocks):
    """Reads dates."""

    def _dated(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:  # noqa: PLR0911 - one way after the other
        if at >= len(self.tokens):
            return None
        token = self.tokens[at]
        if (match := ISO.fullmatch(token)) and (day := date_of(int(match[1]), int(match[2]), int(match[3]))):
            return replace(said, day=day), at + 1
        if (match := FIGURES.fullmatch(token)) and (found := self._figures(said, match, at)):
            return found
        number = self._of_ordinal(at)
        if number is not None:
            month = self._value("month", self.skipped(number[1]))
            if month is not None:
                return self._in_month(said, number[0], int(month[0]), month[1])
            if number[2]:
                return self._day_of_month(said, number[0], number[1])
            behind = self._is("at", number[1])
            if behind is not None and said.day is None and 24 < number[0] <= 31 and self.clock(number[1]) is not None:  # noqa: PLR2004
                return self._day_of_month(said, number[0], number[1])
            if number[0] > 24 and number[0] <= 31 and number[1] == len(self.tokens):  # noqa: PLR2004 - no hour
                return self._day_of_month(said, number[0], number[1])
        month = self._value("month", at)
        number = self._of_ordinal(self.skipped(month[1])) if month else None
        if month is not None and number is not None:
            return self._in_month(said, number[0], int(month[0]), number[1])
        return None

    def _of_ordinal(self, at: int) -> tuple[int, int, bool] | None:
        """A number of a day, the place behind it, and whether it was said as an ordinal."""
        if at >= len(self.tokens):
            return None
        found = self._value("ordinal", at)
        if found is not None:
            return int(found[0]), found[1], True
        match = re.fullmatch(r"(\d{1,2})(\.?)", self.tokens[at])
        if match is not None:
            behind = self.tokens[at + 1] if at + 1 < len(self.tokens) else ""
            if behind in {"st", "nd", "rd", "th", "er", "e"}:
                return int(match[1]), at + 2, True
            return int(match[1]), at + 1, bool(match[2]) or self._said_as_day(at)
        number = self.number(at)
        return (number[0], number[1], False) if number else None

    def _said_as_day(self, at: int) -> bool:
        """`el 15`, `le 15`, `on the 15`: a number behind an article is a day's."""
        before = self.tokens[at - 1] if at else ""
        return before in {"le", "el"} and (at + 1 >= len(self.tokens) or self._is("unit", at + 1) is None)

    def _figures(self, said: TimeSaid, match: re.Match[str], at: int) -> tuple[TimeSaid, int] | None:
        first, second, year = int(match[1]), int(match[3]), match[4]
        if match[2] == "." and not match[4] and not match[0].endswith("."):
            return None
        full = int(year) + (2000 if year and len(year) == 2 else 0) if year else 0  # noqa: PLR2004
        orders = ((second, first), (first, second))
        days = [day for month, number in orders if (day := self._soon(full, month, number))]
        if not days:
            return None
        other = (
            days[1]
            if match[2] == "/" and len(days) > 1 and days[1] != days[0] and self.words.language == "en"
            else None
        )
        return replace(said, day=days[0], or_day=other), at + 1

    def _in_month(self, said: TimeSaid, number: int, month: int, at: int) -> tuple[TimeSaid, int] | None:
        here = self.skipped(at)
        year = 0
        if here < len(self.tokens) and YEAR.fullmatch(self.tokens[here]):
            year, at = int(self.tokens[here]), here + 1
        day = self._soon(year, month, number)
        return (replace(said, day=day), at) if day else None

    def _soon(self, year: int, month: int, number: int) -> date | None:
        if year:
            return date_of(year, month, number)
        days = (date_of(self.today.year + more, month, number) for more in range(LEAP_YEARS + 1))
        return next((day for day in days if day and day >= self.today), None)

    def _day_of_month(self, said: TimeSaid, number: int, at: int) -> tuple[TimeSaid, int] | None:
        firsts = (shifted(self.today.replace(day=1), months) for months in range(3))
        days = (date_of(first.year, first.month, number) for first in firsts)
        day = next((day for day in days if day and day >= self.today), None)
        return (replace(said, day=day), at) if day else None


def date_of(year: int, month: int, day: int) -> date | None:
    """A date; None for one that the calendar has not."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
