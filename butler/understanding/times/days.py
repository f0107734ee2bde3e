"""Days, weeks and months: `tomorrow`, `nächsten Dienstag`, `la semaine dernière`, `end of March`."""

from dataclasses import replace
from datetime import date, timedelta

from butler.understanding.times.dates import YEAR, Dates
from butler.understanding.times.lengths import DAYS_OF, MONTHS_OF, SECONDS_OF, shifted
from butler.understanding.times.saying import TimeSaid

WEEK = 7
SATURDAY = 5


class Days(Dates):
    """Reads days and stretches of days."""

    def _day(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        if said.until_day is not None and said.day is not None and (said.until_day - said.day).days == 6:  # noqa: PLR2004
            return self._within_week(said, at)
        if said.weekday and said.day is not None:
            return self._date_of_weekday(said, at)
        if said.moment is not None or (said.day is not None and not said.same_clock):
            return None
        if (since := self._last_hours(said, at)) is not None:
            return since
        night = self._value("tonight", at)
        if night is not None:
            return replace(said, day=self.today, part="night"), night[1]
        return self._named_day(said, at) or self._weekday(said, at) or self._stretch(said, at) or self._dated(said, at)

    def _named_day(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        found = self._value("day", at)
        if found is None or self._longer("part", at, found[1]):
            return None
        return replace(said, day=self.today + timedelta(int(found[0])), same_clock=False), found[1]

    def _weekday(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        which = self._which(at)
        found = self._value("weekday", self.skipped(which[1]) if which else at)
        if found is None:
            return None
        number, after = int(found[0]), found[1]
        behind = self._which(after) if which is None else None
        if behind is not None and self._value("unit", behind[1]) is None:
            which, after = (behind[0], 0), behind[1]
        week = self._week_behind(after)
        day = self.today + timedelta((number - self.today.weekday()) % 7)
        if week is not None:
            day = self.today + timedelta(number - self.today.weekday() + 7 * week[0])
            after = week[1]
        elif which is not None and which[0] < 0:
            day = self.today - timedelta((self.today.weekday() - number) % 7 or 7)
        elif which is not None and which[0] > 0 and day == self.today:
            day += timedelta(7)
        plain = which is None or which[0] >= 0
        if said.bound == "since" and which is None:
            day, plain = self.today - timedelta((self.today.weekday() - number) % 7 or 7), False
        return replace(said, day=day, weekday=plain, same_clock=False), after

    def _date_of_weekday(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """`Monday 4 May`, `Thursday the 12th`: the date tells which."""
        here = self.skipped(at)
        plain = replace(said, day=None, weekday=False)
        if here < len(self.tokens) and (found := self._dated(plain, here)) is not None:
            return found
        number = self.number(here) if here < len(self.tokens) and self.tokens[here].isdigit() else None
        if number is None or not 1 <= number[0] <= 31 or self._says_clock(number[1]):  # noqa: PLR2004 - of a month
            return None
        return self._day_of_month(plain, number[0], number[1])

    def _says_clock(self, at: int) -> bool:
        """Whether what stands behind a number makes it a time of day or a length."""
        return any(
            self._is(kind, at) is not None for kind in ("oclock", "am", "pm", "unit", "to", "part", "past_and", "minus")
        )

    def _within_week(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """`next week on Tuesday`."""
        found = self._value("weekday", at)
        if found is None or said.day is None:
            return None
        return replace(said, day=said.day + timedelta(int(found[0])), until_day=None), found[1]

    def _week_behind(self, at: int) -> tuple[int, int] | None:
        """`Tuesday next week`, `Dienstag nächster Woche`."""
        here = self.skipped(at)
        which = self._which(here)
        unit = self._value("unit", which[1]) if which else None
        if which and unit and unit[0] == "week":
            return which[0], unit[1]
        unit = self._value("unit", here)
        return self._which(unit[1]) if unit and unit[0] == "week" else None

    def _stretch(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """`next week`, `this month`, `la semaine prochaine`, `the last three days`, `the weekend`."""
        edge = next((kind for kind in ("end", "begin", "middle") if self._is(kind, at) is not None), "")
        here = self.skipped(self._is(edge, at) or at) if edge else at
        which = self._which(here)
        start = self.skipped(which[1]) if which else here
        number = self.number(start) if which else None
        unit = self._value("unit", number[1] if number else start)
        if unit is not None and which is None:
            behind = self._which(unit[1])
            if behind is not None:
                which, unit = behind, (unit[0], behind[1])
            elif unit[0] == "weekend" or edge:
                which = (0, 0)
        if unit is not None and which is not None and number is None and unit[0] == "day" and which[0] == 0:
            return replace(said, day=self.today), unit[1]
        if unit is None or which is None or unit[0] in SECONDS_OF:
            return self._of_month(said, at, edge) if unit is None else None
        first, last = self._span(unit[0], which[0], number[0] if number else 0)
        if edge == "end":
            first = last if unit[0] != "week" else last - timedelta(2)
            last = first
        if edge == "begin":
            last = first
        if edge == "middle":
            first = last = first + (last - first) / 2
        return replace(said, day=first, until_day=last if last != first else None, same_clock=False), unit[1]

    def _of_month(self, said: TimeSaid, at: int, edge: str) -> tuple[TimeSaid, int] | None:
        """`end of March`, `in May`, `next March`."""
        here = self.skipped(self._is(edge, at) or at) if edge else self._is("in", at) or self._is("in", at) or at
        which = self._which(here)
        here = which[1] if which else here
        month = self._value("month", here)
        if month is None:
            return None
        number = int(month[0])
        after, year = month[1], 0
        if after < len(self.tokens) and YEAR.fullmatch(self.tokens[after]):
            year, after = int(self.tokens[after]), after + 1
        elif self.number(after) is not None and not edge:
            return None
        year = year or self.today.year + (
            number < self.today.month if not which or which[0] >= 0 else -(number >= self.today.month)
        )
        first = date(year, number, 1)
        last = shifted(first, 1) - timedelta(1)
        if edge == "end":
            first = last
        elif edge == "begin":
            last = first
        elif edge == "middle":
            first = last = date(year, number, 15)
        return replace(said, day=first, until_day=last if last != first else None), after

    def _span(self, unit: str, way: int, number: int) -> tuple[date, date]:  # noqa: PLR0911 - one way after the other
        today = self.today
        if number:
            days = number * DAYS_OF.get(unit, 0)
            other = shifted(today, way * number * MONTHS_OF.get(unit, 0)) if not days else today + timedelta(way * days)
            return (other, today) if way < 0 else (today, other)
        if unit == "day":
            return today + timedelta(way), today + timedelta(way)
        if unit in {"week", "fortnight"}:
            first = today - timedelta(today.weekday()) + timedelta(7 * way)
            return first, first + timedelta(6)
        if unit == "weekend":
            first = today - timedelta(today.weekday()) + timedelta(5 + 7 * way)
            if way == 1 and today.weekday() < 5:  # noqa: PLR2004 - Saturday
                return first, first + timedelta(1)
            return (max(first, today), first + timedelta(1)) if way == 0 else (first, first + timedelta(1))
        if unit == "month":
            first = shifted(today.replace(day=1), way)
            return first, shifted(first, 1) - timedelta(1)
        return date(today.year + way, 1, 1), date(today.year + way, 12, 31)
