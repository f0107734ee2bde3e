"""Reads dates: `3 March`, `der dritte März`, `24.12.`, `2026-03-04`, `the 15th`, `del 3 al 10 de agosto`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date

from butler.understanding.times.clocks import CLOCK, NOON, Clocks
from butler.understanding.times.lengths import shifted
from butler.understanding.times.saying import TimeSaid

ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
FIGURES = re.compile(r"(\d{1,2})([./])(\d{1,2})(?:\2(\d{4}|\d{2})?)?\.?")
YEAR = re.compile(r"(?:19|20)\d\d")
LEAP_YEARS = 8
"""The longest wait for a 29 February, in years."""
LAST_HOUR, LAST_DAY = 24, 31
ARTICLES = {"fr": {"le", "du", "au"}, "es": {"el", "del", "al", "dia"}}
"""Words after which a bare number is a day: `du 12 au 14`, `el 15`."""
TO_DAY = {"fr": {"au"}, "es": {"al"}}
"""Words that join days, not hours."""
GERMAN_ARTICLES = {"am", "den", "dem", "zum", "vom", "der"}
MONTHS_AHEAD = 4
"""How many months are searched for a weekday with a day of the month."""


class Dates(Clocks):
    """Reads dates."""

    def _dated(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if at >= len(self.tokens):
            return None
        token = self.tokens[at]
        if (match := ISO.fullmatch(token)) and (day := date_of(int(match[1]), int(match[2]), int(match[3]))):
            return replace(said, day=day), at + 1
        if (match := FIGURES.fullmatch(token)) and (found := self._figures(said, match, at)):
            return found
        if self._longer("part", at, at + 1) or self._longer("hours", at, at + 1):
            return None
        return self._from_to(said, at) or self._numbered(said, at) or self._month_first(said, at)

    def _numbered(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `3 March`, `the 15th`, `le 22`, `25 a las doce`."""
        found = self._of_ordinal(at)
        if found is None or not 1 <= found[0] <= LAST_DAY:
            return None
        number, after, sure = found
        month = self._value("month", self.skipped(after))
        if month is not None and self._is("part", at) is None:
            return self._in_month(said, number, int(month[0]), month[1])
        if (of_month := self._of_said_month(said, number, after, sure=sure)) is not None:
            return of_month
        if sure or (number > LAST_HOUR and self._ends_date(after)) or self._before_clock(at, after):
            return self._day_of_month(said, number, after)
        return None

    def _before_clock(self, at: int, after: int) -> bool:
        """Return whether a bare number precedes a time of day: `15 a las once`, `24 au soir`."""
        before, behind = self.tokens[at - 1] if at else "", self.tokens[after : after + 2]
        if not self.tokens[at].isdigit() or before in {"las", "la"}:
            return False
        if self.words.language == "fr":
            return behind in (["au", "soir"], ["au", "matin"])
        noon = self._is("part", after) is not None and self.tokens[after] in {"a", "al"}
        return self.words.language == "es" and (behind in (["a", "las"], ["a", "la"]) or noon)

    def _ends_date(self, at: int) -> bool:
        """Return whether a number that is no hour may be a day: at the end, or before a time of day."""
        if at == len(self.tokens) or self._is("part", at) is not None:
            return True
        return self._is("at", at) is not None and self.clock(at) is not None

    def _of_said_month(self, said: TimeSaid, number: int, at: int, *, sure: bool) -> tuple[TimeSaid, int] | None:
        """Read `1er du mois prochain`, `the 5th of next month`, `5. des Monats`."""
        here = self.skipped(at)
        which = self._which(here)
        unit = self._value("unit", self.skipped(which[1]) if which else here)
        if unit is None or unit[0] != "month" or (here == at and not sure):
            return None
        way, after = which[0] if which else 0, unit[1]
        if which is None and (behind := self._which(after)) is not None:
            way, after, which = behind[0], behind[1], behind
        first = shifted(self.today.replace(day=1), way)
        day = date_of(first.year, first.month, number)
        if which is None and day is not None and day < self.today:
            day = shifted(day, 1)
        return (replace(said, day=day), after) if day else None

    def _month_first(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `March 3`."""
        month = self._value("month", at)
        number = self._of_ordinal(self.skipped(month[1])) if month else None
        if month is None or number is None or not 1 <= number[0] <= LAST_DAY or self._says_clock(number[1]):
            return None
        return self._in_month(said, number[0], int(month[0]), number[1])

    def _says_clock(self, at: int, *, joined: bool = True) -> bool:
        """Return whether the words after a number make it a time of day or a length."""
        kinds = ("oclock", "am", "pm", "unit", "minus", "and_half", "and_quarter", "past")
        if joined and self._is("past_and", at) is not None:
            return True
        return any(self._is(kind, at) is not None for kind in kinds)

    def _of_ordinal(self, at: int) -> tuple[int, int, bool] | None:
        """Read the number of a day; return it, the place after it, and whether it is certainly no hour."""
        if at >= len(self.tokens):
            return None
        found = self._value("ordinal", at)
        if found is not None:
            return int(found[0]), found[1], True
        match = re.fullmatch(r"(\d{1,2})(\.?)", self.tokens[at])
        if match is not None:
            behind = self.tokens[at + 1] if at + 1 < len(self.tokens) else ""
            if behind in {"st", "nd", "rd", "th", "er", "e", "ten", "te"}:
                return int(match[1]), at + 2, True
            return int(match[1]), at + 1, bool(match[2]) or self._said_as_day(at, at + 1)
        number = self.number(at)
        return (number[0], number[1], self._said_as_day(at, number[1])) if number else None

    def _said_as_day(self, at: int, after: int) -> bool:
        """Return whether the article before a number makes it a day: `el 15`, `le 15`, `au 22`."""
        articles = ARTICLES.get(self.words.language, set())
        before = self.tokens[at - 1].rpartition("'")[2] if at else ""
        return before in articles and not self._says_clock(after, joined=False)

    def _figures(self, said: TimeSaid, match: re.Match[str], at: int) -> tuple[TimeSaid, int] | None:
        first, second, year = int(match[1]), int(match[3]), match[4]
        dotted = match[2] == "."
        if dotted and not year and not match[0].endswith(".") and not self._dotted_date(match[0], at):
            return None
        full = int(year) + (2000 if year and len(year) == 2 else 0) if year else 0  # noqa: PLR2004 - two figures
        orders = ((second, first), (first, second))
        days = [day for month, number in orders if (day := self._near(full, month, number))]
        if not days:
            return None
        english = not dotted and len(days) > 1 and days[1] != days[0] and self.words.language == "en"
        return replace(said, day=days[0], or_day=days[1] if english else None), at + 1

    def _dotted_date(self, token: str, at: int) -> bool:
        """Return whether `12.4` is a date: no valid time of day, or next to a day's article or a time of day."""
        if self._is("oclock", at + 1) is not None or self.words.language == "en":
            return False
        before = self.tokens[at - 1] if at else ""
        if CLOCK.fullmatch(token) is None or before in GERMAN_ARTICLES:
            return self._value("unit", at + 1) is None
        return self._is("at", at + 1) is not None and self.clock(at + 1) is not None

    def _from_to(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `3 to 10 August`, `du 12 au 14`: a range of days in one month."""
        first = self._of_ordinal(at)
        if first is None or said.day is not None:
            return None
        joint = self._is("to", first[1]) or self._is("until", first[1]) or self._is("and", first[1])
        last = self._of_ordinal(self.skipped(joint)) if joint is not None else None
        if joint is None or last is None or not 1 <= first[0] < last[0] <= LAST_DAY:
            return None
        month = self._value("month", self.skipped(last[1]))
        of_days = set(self.tokens[first[1] : joint]) & TO_DAY.get(self.words.language, set())
        if (month is None and not (of_days or (first[2] and last[2]))) or self._says_clock(last[1]):
            return None
        joined = self._is("and", first[1]) is not None and said.bound != "between"
        if joined and last[0] != first[0] + 1:
            return None
        begin = (
            self._in_month(said, first[0], int(month[0]), month[1])
            if month is not None
            else self._day_of_month(said, first[0], last[1])
        )
        end = date_of(begin[0].day.year, begin[0].day.month, last[0]) if begin and begin[0].day else None
        if begin is None or end is None:
            return None
        return replace(begin[0], until_day=end, bound=""), begin[1]

    def _in_month(self, said: TimeSaid, number: int, month: int, at: int) -> tuple[TimeSaid, int] | None:
        year, at = self._year_behind(at)
        day = self._near(year, month, number)
        return (replace(said, day=day), at) if day else None

    def _year_behind(self, at: int) -> tuple[int, int]:
        """Read the year of `3 March 2027` or `May last year`; 0 if none is said."""
        here = self.skipped(at)
        if here < len(self.tokens) and YEAR.fullmatch(self.tokens[here]):
            return int(self.tokens[here]), here + 1
        which = self._which(here)
        unit = self._value("unit", self.skipped(which[1]) if which else here)
        if unit is None or unit[0] != "year":
            return 0, at
        which, after = (which, unit[1]) if which else (self._which(unit[1]), unit[1])
        if which is None:
            return 0, at
        return self.today.year + which[0], max(after, which[1])

    def _near(self, year: int, month: int, number: int) -> date | None:
        """Return the date in a year; without one, the next such date, or the last if days are in the past."""
        if year:
            return date_of(year, month, number)
        way = -1 if self.over else 1
        days = (date_of(self.today.year + way * more, month, number) for more in range(LEAP_YEARS + 1))
        return next((day for day in days if day and (day <= self.today if self.over else day >= self.today)), None)

    def _day_of_month(self, said: TimeSaid, number: int, at: int) -> tuple[TimeSaid, int] | None:
        day = next(self._days_numbered(number), None)
        return (replace(said, day=day), at) if day else None

    def _days_numbered(self, number: int) -> Iterator[date]:
        """Yield the days of the month with that number, either future or past ones, the nearest first."""
        way = -1 if self.over else 1
        for months in range(MONTHS_AHEAD):
            first = shifted(self.today.replace(day=1), way * months)
            day = date_of(first.year, first.month, number)
            if day is not None and (day <= self.today if self.over else day >= self.today):
                yield day

    def _date_of_weekday(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:  # noqa: PLR0911 - a case each
        """Read `Monday 4 May`, `Thursday the 12th`, `miércoles once` by the date; keep both days if they differ."""
        here = self.skipped(at)
        if any(self._is(kind, place) is not None for kind in ("part", "hours") for place in (at, here)):
            return None
        number = self._of_ordinal(here)
        plain = replace(said, day=None, weekday=False)
        if number is None or said.day is None or self._value("month", self.skipped(number[1])) is not None:
            return self._dated(plain, here)
        if FIGURES.fullmatch(self.tokens[here]) and (found := self._dated(plain, here)) is not None:
            return found
        bare = not number[2]
        if not 1 <= number[0] <= LAST_DAY or (bare and not self._may_be_date(here, number[0], number[1])):
            return None
        if bare and (said.bound or said.clock or said.part or self._is("at", here - 1) is not None):
            return None
        days = list(self._days_numbered(number[0]))
        both = next((day for day in days if day.weekday() == said.day.weekday()), None)
        if both is not None:
            return replace(plain, day=both), number[1]
        surely = number[2] or number[0] >= LAST_HOUR or self.words.language in ARTICLES
        if not days or not surely:
            return None
        return replace(plain, day=days[0], or_day=said.day), number[1]

    def _may_be_date(self, at: int, number: int, after: int) -> bool:
        """Return whether a bare number after a weekday may be its date, and no hour."""
        if self._says_clock(after) or (self._is("part", after) is not None and self.tokens[after] != "au"):
            return False
        days = TO_DAY.get(self.words.language, set())
        if self._is("to", after) is not None and self.tokens[after] not in days:
            return self.words.language == "fr" or self.tokens[after + 1 : after + 2] in (["las"], ["la"])
        if self.words.language in ARTICLES:
            return True
        clock = self._is("at", after) is not None and self.clock(after) is not None
        return self.tokens[at].isdigit() and (clock or number > NOON)


def date_of(year: int, month: int, day: int) -> date | None:
    """Return a date; None if it does not exist in the calendar."""
    try:
        return date(year, month, day)
    except ValueError:
        return None
