"""Reads days and stretches of days, also one after the other: `next week on Tuesday`."""

from dataclasses import replace
from datetime import date, time, timedelta

from butler.understanding.times.clocks import NOON
from butler.understanding.times.saying import TimeSaid
from butler.understanding.times.stretches import Stretches
from butler.understanding.times.weekdays import WEEK


class Days(Stretches):
    """Reads a day, or words that narrow down a day read before."""

    def _day(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:  # noqa: PLR0911 - a case each
        if said.moment is not None:
            return None
        if said.day is not None:
            return self._more_of_day(said, at)
        if (since := self._last_hours(said, at)) is not None:
            return since
        feast, weekday = self._value("feast", at), self._value("weekday", at)
        if feast is not None and weekday is not None and feast[1] > weekday[1]:
            return self._stretch(said, at)
        if self.back and (recent := self._value("recent", at)) is not None:
            return replace(said, day=self.today - timedelta(int(recent[0])), bound="since"), recent[1]
        today = self._value("today", at)
        if today is not None and not said.part:
            return self._part_of_today(said, today[0], today[1])
        return (
            self._weeks_on(said, at)
            or self._named_day(said, at)
            or self._weekday(said, at)
            or self._stretch(said, at)
            or self._dated(said, at)
        )

    def _part_of_today(self, said: TimeSaid, part: str, after: int) -> tuple[TimeSaid, int] | None:
        """Read `tonight`, `heute Mittag`."""
        if part == "noon" and said.clock is None:
            self.assumed = True
            said = replace(said, clock=time(NOON))
        moved = self._with_part(replace(said, day=self.today, part=part))
        return (moved, after) if moved is not None else None

    def _more_of_day(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read words that narrow down the day read before."""
        assert said.day is not None
        if said.same_clock or self._is_week(said):
            return self._within_week(said, at)
        if said.until_day is not None:
            return self._within_year(said, at)
        later = self._weeks_later(at)
        if later is not None:
            return replace(said, day=said.day + timedelta(later[0])), later[1]
        if said.weekday:
            return self._later_which(said, at) or self._date_of_weekday(said, at)
        return self._date_of_named(said, at)

    @staticmethod
    def _is_week(said: TimeSaid) -> bool:
        return said.until_day is not None and said.day is not None and (said.until_day - said.day).days == WEEK - 1

    def _within_week(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `next week on Tuesday`, `in zwei Wochen am Dienstag`."""
        found = self._value("weekday", at)
        if found is None or said.day is None:
            return None
        number = int(found[0])
        if said.until_day is not None:
            day = said.day + timedelta((number - said.day.weekday()) % WEEK)
        else:
            day = said.day - timedelta(said.day.weekday()) + timedelta(number)
        return replace(said, day=day, until_day=None, same_clock=False), found[1]

    def _within_year(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `next year in March`, `next month on the 5th`."""
        if said.day is None or said.until_day is None:
            return None
        if (said.day.month, said.until_day.month) == (1, 12) and (month := self._value("month", at)) is not None:
            first = date(said.day.year, int(month[0]), 1)
            last = date(first.year + first.month // 12, first.month % 12 + 1, 1) - timedelta(1)
            return replace(said, day=first, until_day=last), month[1]
        number = self._of_ordinal(at)
        if said.day.day == 1 and said.day.month == said.until_day.month and number is not None and number[2]:
            last = said.until_day.day
            if 1 <= number[0] <= last:
                return replace(said, day=said.day.replace(day=number[0]), until_day=None), number[1]
        return None
