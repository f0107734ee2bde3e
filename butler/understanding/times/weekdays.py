"""Reads days of the week: `next Tuesday`, `Friday week`, `Dienstag nächster Woche`, `the last Saturday in June`."""

from dataclasses import replace
from datetime import date, timedelta

from butler.understanding.times.dates import Dates, date_of
from butler.understanding.times.lengths import shifted
from butler.understanding.times.saying import TimeSaid

WEEK = 7
LAST = -1
MOST_WEEKS = 5
SHORT = frozenset({"so", "do", "mi", "di", "fr"})
"""Short German weekdays that are other words as well."""


class Weekdays(Dates):
    """Reads days of the week."""

    def _weekday(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if (nth := self._nth_weekday(said, at)) is not None:
            return nth
        which = self._which(at)
        found = self._value("weekday", self.skipped(which[1]) if which else at)
        if found is None or (which is None and self._short_word(at, found[1])):
            return None
        number, after = int(found[0]), found[1]
        behind = self._which(after, behind=True) if which is None else None
        if behind is not None and self._value("unit", behind[1]) is None:
            which, after = behind, behind[1]
        week = self._week_behind(after)
        if week is not None:
            day = self._monday(week[0]) + timedelta(number)
            return replace(said, day=day, weekday=week[0] >= 0, same_clock=False), week[1]
        day = self._coming(number, which[0] if which else None)
        later = self._weeks_later(after)
        if later is not None:
            return replace(said, day=day + timedelta(later[0]), same_clock=False), later[1]
        return replace(said, day=day, weekday=day >= self.today, same_clock=False), after

    def _short_word(self, at: int, after: int) -> bool:
        """Return whether a short weekday is another word: `so gegen elf`."""
        if self.tokens[at] not in SHORT or self.words.language != "de":
            return False
        behind = self.tokens[after] if after < len(self.tokens) else ""
        before = self.tokens[at - 1] if at else ""
        alone = not behind or behind[0].isdigit() or behind in {",", "-", "bis", "und"}
        return not (alone or before in {"am", "und", "bis", "-"} or self._is("part", after) is not None)

    def _monday(self, weeks: int) -> date:
        return self.today - timedelta(self.today.weekday()) + timedelta(WEEK * weeks)

    def _coming(self, number: int, way: int | None) -> date:
        """Return the intended weekday: the next one, or the last one if days are in the past."""
        ahead = timedelta((number - self.today.weekday()) % WEEK)
        behind = timedelta((self.today.weekday() - number) % WEEK)
        if way is None:
            if self.over:
                return self.today - (behind or timedelta(WEEK if self.since else 0))
            return self.today + ahead
        if way < 0:
            return self.today - (behind or timedelta(WEEK)) + timedelta(WEEK * (way + 1))
        if way == 0 and self.over:
            return self.today - behind
        return self.today + (ahead or timedelta(WEEK if way else 0)) + timedelta(WEEK * max(way - 1, 0))

    def _week_behind(self, at: int) -> tuple[int, int] | None:
        """Read `Tuesday next week`, `Dienstag nächster Woche`, `mardi de la semaine prochaine`."""
        here = self.skipped(at)
        if self._is("in", here) is not None:
            here = self.skipped(self._is("in", here) or here)
        which = self._which(here)
        unit = self._value("unit", self.skipped(which[1])) if which else None
        if which and unit and unit[0] == "week":
            return which[0], unit[1]
        unit = self._value("unit", here)
        return self._which(unit[1], behind=True) if unit and unit[0] == "week" else None

    def _weeks_later(self, at: int) -> tuple[int, int] | None:
        """Read `Friday week`, `mardi en huit`: the days to add to the next such weekday."""
        for kind, days in (("in_eight", WEEK), ("in_fifteen", 2 * WEEK)):
            if (after := self._is(kind, at)) is not None:
                return days, after
        return None

    def _later_which(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read the end of `samedi soir prochain`, after a part of the day."""
        which = self._which(at)
        if which is None or said.day is None or not said.part or self._value("unit", which[1]) is not None:
            return None
        return replace(said, day=self._coming(said.day.weekday(), which[0]), weekday=which[0] >= 0), which[1]

    def _weeks_on(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `a week on Friday`, `two weeks from tomorrow`."""
        found = self.amount(self.skipped(at))
        if found is None or found[0].seconds:
            return None
        after = self._is("counted_from", found[1])
        if after is None:
            return None
        here = self.skipped(after)
        day = self._named_day(TimeSaid(), here) or self._weekday(TimeSaid(), here)
        if day is None or day[0].day is None:
            return None
        return replace(said, day=shifted(day[0].day, found[0].months) + timedelta(found[0].days)), day[1]

    def _named_day(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        found = self._value("day", at)
        if found is None or self._longer("part", at, found[1]) or self._longer("hours", at, found[1]):
            return None
        if self.words.language == "es" and at and self.tokens[at - 1] == "la":
            return None
        return replace(said, day=self.today + timedelta(int(found[0])), same_clock=False), found[1]

    def _date_of_named(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `tomorrow, Friday`, `demain vendredi 6 mars`: a day said twice, which must agree."""
        if said.day is None:
            return None
        here = self.skipped(at)
        found = self._weekday(TimeSaid(), here) or self._dated(TimeSaid(), here)
        return (said, found[1]) if found is not None and found[0].day == said.day else None

    def _nth_weekday(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `the first Friday in August`, `último viernes de mes`, `dernier jour du mois`."""
        which = self._nth(at)
        if which is None:
            return None
        number, here = which
        day = self._value("weekday", self.skipped(here))
        unit = self._value("unit", self.skipped(here)) if day is None else None
        if day is None and (unit is None or unit[0] != "day"):
            return None
        month = self._month_behind((day or unit or ("", 0))[1])
        if month is None:
            return None
        first, after, step = month
        for later in (0, step):
            begin = shifted(first, later)
            found = nth_weekday(begin, int(day[0]), number) if day else nth_day(begin, number)
            if found is not None and (found >= self.today or self.over or not step):
                return replace(said, day=found), after
        return None

    def _nth(self, at: int) -> tuple[int, int] | None:
        """Read `first`, `2nd`, `last`."""
        if (last := self._is("last", at)) is not None:
            return LAST, last
        found = self._of_ordinal(at)
        return (found[0], found[1]) if found is not None and found[2] else None

    def _month_behind(self, at: int) -> tuple[date, int, int] | None:
        """Read `of March`, `des Monats`, `of next month`.

        Return its first day, the place after it, and after how many months it recurs; 0 if only this one is meant.
        """
        here = self.skipped(self._is("in", self.skipped(at)) or at)
        month = self._value("month", here)
        if month is not None:
            year, after = self._year_behind(month[1])
            number, step = int(month[0]), 0 if year else 12
            if not year:
                later = number < self.today.month and not self.over
                year = self.today.year + later - (self.over and number > self.today.month)
            return date(year, number, 1), after, step
        which = self._which(here)
        unit = self._value("unit", self.skipped(which[1]) if which else here)
        if unit is None or unit[0] != "month":
            return None
        behind = self._which(unit[1]) if which is None else None
        way = which or behind
        first = shifted(self.today.replace(day=1), way[0] if way else 0)
        return first, behind[1] if behind else unit[1], 0 if way else 1


def nth_weekday(first: date, weekday: int, number: int) -> date | None:
    """Return the nth weekday of a month by its first day; the last one for -1."""
    if number == LAST:
        last = shifted(first, 1) - timedelta(1)
        return last - timedelta((last.weekday() - weekday) % WEEK)
    if not 1 <= number <= MOST_WEEKS:
        return None
    day = first + timedelta((weekday - first.weekday()) % WEEK + WEEK * (number - 1))
    return day if day.month == first.month else None


def nth_day(first: date, number: int) -> date | None:
    """Return the nth day of a month by its first day; the last one for -1."""
    return shifted(first, 1) - timedelta(1) if number == LAST else date_of(first.year, first.month, number)
