"""Reads stretches of days: `next week`, `ce trimestre`, `end of March`, `first half of May`, `the week of the 12th`."""

from dataclasses import replace
from datetime import date, timedelta

from butler.understanding.times.dates import YEAR, date_of
from butler.understanding.times.feasts import feast
from butler.understanding.times.lengths import DAYS_OF, MONTHS_OF, SECONDS_OF, shifted
from butler.understanding.times.saying import TimeSaid
from butler.understanding.times.weekdays import WEEK, Weekdays

WEEKS_OF_YEAR = 53
HALF_MONTH = 15
SEASON = 3
"""Months of a season."""
WEEKEND = 5
"""The weekday with which a weekend begins."""
BESIDE = (("morrow_of", 1), ("eve_of", -1))
"""Kinds of words for the day next to another one, and how many days it is away."""
Span = tuple[date, date]


class Stretches(Weekdays):
    """Reads stretches of days."""

    def _stretch(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `next week`, `this month`, `la semaine prochaine`, `the last three days`, `end of March`."""
        whole = self._is("whole", at)
        if whole is not None and any(self._is(kind, whole) is not None for kind in ("part", "hours")):
            return None
        at = self.skipped(whole) if whole is not None else at
        weekend = (self._value("unit", at) or ("",))[0] == "weekend"
        edges = () if weekend else ("end", "begin", "middle", "rest")
        edge = next((kind for kind in edges if self._is(kind, at) is not None), "")
        here = self.skipped(self._is(edge, at) or at) if edge else at
        found = (
            self._fraction(at)
            or self._calendar_week(here)
            or self._week_of(here)
            or self._next_to(here)
            or self._of_units(here, bare=whole is not None or bool(edge))
            or self._of_feast(here)
            or self._of_season(here)
            or self._of_month(here)
            or self._of_year(here)
        )
        if found is None:
            return None
        (first, last), after = found
        if edge:
            first, last = self._edge(edge, first, last)
        return replace(said, day=first, until_day=last if last != first else None, same_clock=False), after

    def _edge(self, edge: str, first: date, last: date) -> Span:
        if edge == "rest":
            return max(first, self.today), last
        if edge == "begin":
            return first, first
        if edge == "middle":
            of_month = first.day == 1 and last.month == first.month
            middle = first.replace(day=HALF_MONTH) if of_month else first + (last - first) / 2
            return middle, middle
        friday = last - timedelta(2) if (last - first).days == WEEK - 1 else last
        return friday, friday

    def _of_units(self, at: int, *, bare: bool) -> tuple[Span, int] | None:
        """Read a unit with `this`, `next` or `last`, in either order, or several units; with `bare`, a unit alone."""
        which, number, start = self._which_units(at)
        unit = self._value("unit", start)
        if unit is None and which is not None and (amount := self.amount(start)) is not None and amount[0].months:
            return self._span("month", which or 1, amount[0].months), amount[1]
        if unit is None or unit[0] in SECONDS_OF:
            return None
        name, after = unit
        if which is None and (behind := self._which(after, behind=True)) is not None:
            which, after = behind
        if not which and not number and name == "weekend" and self.over and self.today.weekday() < WEEKEND:
            which = -1
        elif which is None and (bare or name == "weekend"):
            which = 0
        if which is None or (number and start == at):
            return None
        if name == "day" and not number:
            return self._of_days(which, after, bare=bare)
        return self._span(name, which, number), after

    def _which_units(self, at: int) -> tuple[int | None, int, int]:
        """Read `the last three`, `ces deux derniers`: which ones, how many, and the place after them."""
        which = self._which(at)
        start = self.skipped(which[1]) if which else at
        number = self.number(start)
        if number is not None:
            again = self._which(number[1])
            start = self.skipped(again[1] if again else number[1])
            which = again or which
        elif which is not None and (again := self._which(start)) is not None:
            which, start = again, again[1]
        if which is None:
            return None, 0, at
        return which[0], number[0] if number else 0, start

    def _of_days(self, which: int, after: int, *, bare: bool) -> tuple[Span, int] | None:
        """Read `the last days`, `this day`; `the next day` is relative to something else."""
        if self._plural(after - 1):
            return self._span("day", which or (-1 if self.over else 1), WEEK), after
        if which or (bare and after < len(self.tokens)):
            return None
        return self._span("day", 0, 0), after

    def _plural(self, at: int) -> bool:
        """Return whether a unit is plural: `the last days`, `ces derniers jours`."""
        return any(self.tokens[n] in {"days", "tage", "tagen", "jours", "dias"} for n in (at, at - 1) if n >= 0)

    def _span(self, unit: str, way: int, number: int) -> Span:
        today = self.today
        if number:
            days = number * DAYS_OF.get(unit, 0)
            other = shifted(today, way * number * MONTHS_OF.get(unit, 0)) if not days else today + timedelta(way * days)
            return (other, today) if way < 0 else (today, other)
        if unit == "day":
            return today + timedelta(way), today + timedelta(way)
        if unit in {"week", "fortnight"}:
            return self._monday(way), self._monday(way) + timedelta(WEEK - 1)
        if unit == "weekend":
            return self._weekend(way)
        months = MONTHS_OF[unit]
        first = shifted(today.replace(month=today.month - (today.month - 1) % months, day=1), way * months)
        return first, shifted(first, months) - timedelta(1)

    def _weekend(self, way: int) -> Span:
        begins = self._monday(0) + timedelta(WEEKEND)
        first = max(begins, self.today) if way == 0 else begins + timedelta(WEEK * way)
        return first, begins + timedelta(WEEK * way + 1)

    def _of_month(self, at: int) -> tuple[Span, int] | None:
        """Read `in May`, `next March`, `März letzten Jahres`, `mayo y junio`."""
        here = self.skipped(at)
        which = self._which(here)
        month = self._value("month", self.skipped(which[1]) if which else here)
        if month is None:
            return None
        year, after = self._year_behind(month[1])
        behind = self._which(after, behind=True) if which is None and not year else None
        if behind is not None and self._value("unit", behind[1]) is None:
            which, after = behind, behind[1]
        elif not year and self.number(after) is not None and self._is("to", after) is None:
            return None
        number = int(month[0])
        first = date(year or self._year_of(number, which[0] if which else None), number, 1)
        return (first, shifted(first, 1) - timedelta(1)), after

    def _year_of(self, month: int, way: int | None) -> int:
        """Return the year of a named month: the next such month, the current one, or the last one."""
        now = self.today
        if way is not None and way < 0:
            return now.year - (month >= now.month)
        if not way and self.over:
            return now.year - (month > now.month)
        return now.year + (month < now.month or (way == 1 and month == now.month))

    def _of_season(self, at: int) -> tuple[Span, int] | None:
        """Read `last spring`, `this autumn`, `summer 2025`."""
        here = self.skipped(at)
        which = self._which(here)
        season = self._value("season", self.skipped(which[1]) if which else here)
        if season is None:
            return None
        year, after = self._year_behind(season[1])
        if which is None and not year and (which := self._which(after, behind=True)) is not None:
            after = which[1]
        years = (year,) if year else self._years_around()
        starts = [date(one, int(season[0]), 1) for one in years]
        spans = [(first, shifted(first, SEASON) - timedelta(1)) for first in starts]
        return self._nearest(spans, which[0] if which else None), after

    def _years_around(self) -> tuple[int, ...]:
        return tuple(self.today.year + more for more in (-2, -1, 0, 1))

    def _nearest(self, spans: list[Span], way: int | None) -> Span:
        """Return the intended one of the stretches of several years."""
        if (way or 0) < 0 or (not way and self.over):
            begun = [one for one in spans if (one[1] < self.today if way else one[0] <= self.today)]
            return begun[-1] if begun else spans[0]
        to_come = [one for one in spans if one[1] >= self.today]
        return to_come[0] if to_come else spans[-1]

    def _of_feast(self, at: int) -> tuple[Span, int] | None:
        """Read `Christmas`, `Ostermontag`, `Semana Santa`."""
        here = self.skipped(at)
        which = self._which(here)
        found = self._value("feast", self.skipped(which[1]) if which else here) or self._value("feast", here)
        if found is None:
            return None
        year, after = self._year_behind(found[1])
        if which is None and not year and (which := self._which(after, behind=True)) is not None:
            after = which[1]
        years = (year,) if year else self._years_around()
        return self._nearest([feast(found[0], one) for one in years], which[0] if which else None), after

    def _of_year(self, at: int) -> tuple[Span, int] | None:
        """Read a year such as `2024`, unless it may be a time of day (20:24)."""
        here = self.skipped(at)
        token = self.tokens[here] if here < len(self.tokens) else ""
        if not YEAR.fullmatch(token) or int(token) > self.today.year + 1 or self._is("oclock", here + 1) is not None:
            return None
        if at and self._is("at", at - 1) is not None:
            return None
        return (date(int(token), 1, 1), date(int(token), 12, 31)), here + 1

    def _calendar_week(self, at: int) -> tuple[Span, int] | None:
        """Read `KW 49`, `semaine 12`: a week of the year."""
        unit = self._value("unit", at)
        after = self._is("calendar_week", at) or (unit[1] if unit and unit[0] == "week" else None)
        number = self.number(after) if after is not None else None
        if number is None or not self.tokens[number[1] - 1].isdigit() or not 1 <= number[0] <= WEEKS_OF_YEAR:
            return None
        if self._is("unit", number[1]) is not None:
            return None
        years = (self.today.year - 1, self.today.year) if self.over else (self.today.year, self.today.year + 1)
        mondays = [monday for year in years if (monday := _monday_of(year, number[0])) is not None]
        spans = [(one, one + timedelta(WEEK - 1)) for one in mondays]
        return (self._nearest(spans, None), number[1]) if spans else None

    def _week_of(self, at: int) -> tuple[Span, int] | None:
        """Read `the week of the 12th`, `semaine du 22`, `Woche nach Neujahr`: the week, or the one next to it."""
        unit = self._value("unit", at)
        if unit is None or unit[0] not in {"week", "weekend"}:
            return None
        after, before = self._is("after", unit[1]), self._is("before", unit[1])
        here = self.skipped(after or before or self._is("around", unit[1]) or unit[1])
        if here == unit[1] or here >= len(self.tokens):
            return None
        found = self._dated(TimeSaid(), here) or self._named_feast(here)
        if found is None or found[0].day is None:
            return None
        day = found[0].until_day if after and found[0].until_day else found[0].day
        week = day - timedelta(day.weekday()) + timedelta(WEEK if after else -WEEK if before else 0)
        if unit[0] == "weekend":
            begins = week + timedelta(WEEKEND)
            return (begins, begins + timedelta(1)), found[1]
        return (week, week + timedelta(WEEK - 1)), found[1]

    def _next_to(self, at: int) -> tuple[Span, int] | None:
        """Read `the day after Christmas`, `la veille du 5 mai`: the day next to a feast or a date."""
        for kind, days in BESIDE:
            behind = self._is(kind, at)
            here = self.skipped(behind) if behind is not None else len(self.tokens)
            found = self._dated(TimeSaid(), here) or self._named_feast(here) if here < len(self.tokens) else None
            if found is not None and found[0].day is not None:
                beside = (found[0].until_day or found[0].day) if days > 0 else found[0].day
                day = beside + timedelta(days)
                return (day, day), found[1]
        return None

    def _named_feast(self, at: int) -> tuple[TimeSaid, int] | None:
        found = self._of_feast(at)
        if found is None:
            return None
        (first, last), after = found
        return TimeSaid(day=first, until_day=last if last != first else None), after

    def _fraction(self, at: int) -> tuple[Span, int] | None:
        """Read `first week of May`, `second half of January`, `primera quincena de agosto`."""
        which = self._nth(at)
        if which is None:
            return None
        number, here = which
        half = self._is("half_of", here)
        unit = self._value("unit", here)
        if half is None and (unit is None or unit[0] != "week"):
            return None
        month = self._month_behind(half or (unit[1] if unit else here))
        if month is None:
            return None
        first, after, _ = month
        last = shifted(first, 1) - timedelta(1)
        if half is not None:
            middle = first.replace(day=HALF_MONTH)
            return ((first, middle) if number == 1 else (middle + timedelta(1), last)), after
        if number == -1:
            return (last - timedelta(WEEK - 1), last), after
        begin = date_of(first.year, first.month, 1 + WEEK * (number - 1))
        return ((begin, min(begin + timedelta(WEEK - 1), last)), after) if begin else None


def _monday_of(year: int, week: int) -> date | None:
    """Return the Monday of a week of the year; None for a 53rd week that the year does not have."""
    try:
        return date.fromisocalendar(year, week, 1)
    except ValueError:
        return None
