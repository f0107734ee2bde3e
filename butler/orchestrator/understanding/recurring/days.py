"""Reads the days of a recurrence: weekdays, days of the month, exceptions."""

from dataclasses import replace

from butler.contract.bulk_repeat import Weekday
from butler.contract.schedules import Every
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.every import QUARTER
from butler.orchestrator.understanding.recurring.words import RecurrenceWords

WHICH_DAYS = phrase("On which days is that? Say it with them, like “every Monday and Thursday at 9”.")
WORKDAYS, WEEKEND = tuple(Weekday)[:5], tuple(Weekday)[5:]


class RecurringDays(RecurrenceWords):
    """Reads the days."""

    def _day_of_month(self, number: int, after: int) -> int:
        if not self.often.get("every"):
            self._set("month")
        self.often["day"] = number
        return after

    def _days(self, at: int) -> tuple[tuple[Weekday, ...], int] | None:
        """Return weekdays, also ranges: `Monday to Friday`, `lundi et jeudi`."""
        first = self._day(at)
        if first is None:
            return None
        days, here = [first[0]], first[1]
        while True:
            to = self._is("to", here)
            last = self._day(self._past(to)) if to is not None else None
            if last is not None:
                begin, end = tuple(Weekday).index(days[-1]), tuple(Weekday).index(last[0])
                days += [tuple(Weekday)[(begin + n) % 7] for n in range(1, (end - begin) % 7 + 1)]
                here = last[1]
                continue
            joint = here
            while (
                over := self._is("and", joint) or (joint + 1 if self._token(joint) in {",", "+"} else None)
            ) is not None:
                joint = over
            each = self._is("again_every", joint)
            more = self._day(self._past(each or joint)) if joint > here or self._day(joint) is not None else None
            if more is None:
                return tuple(dict.fromkeys(days)), here
            days.append(more[0])
            here = more[1]

    def _weekdays(self, at: int) -> int | None:
        found = self._days(at)
        if found is None:
            return None
        on = tuple(dict.fromkeys((*self.often.get("on", ()), *found[0])))
        if self.often.get("nth"):
            return None
        if self.often.get("every") in {Every.HOUR, Every.MINUTE, Every.WEEK}:
            self.often["on"] = on
        elif self.often.get("every") in {None, Every.DAY}:
            self._set("week", self._in_weeks(self.often.pop("interval", 1)), on=on)
        else:
            return None
        return found[1]

    @staticmethod
    def _in_weeks(days: int) -> int:
        """Return days such as `every 14 days on Mondays` in weeks; raise `Asking` if they make no weeks."""
        if days > 1 and days % 7:
            raise Asking(say(WHICH_DAYS))
        return max(days // 7, 1)

    def _day_kinds(self, at: int) -> int | None:
        for kind, days in (("again_workday", WORKDAYS), ("again_weekend", WEEKEND)):
            after = self._is(kind, at)
            if after is None:
                continue
            if self.often.get("every") in {Every.HOUR, Every.MINUTE}:
                self.often["on"] = days
            else:
                self._set("week", on=days)
            return after
        return None

    def _month_day(self, at: int) -> int | None:
        found = self._value("again_month_day", at)
        if found is not None:
            return self._day_of_month(int(found[0]), found[1])
        quarter = self._value("again_quarter_day", at)
        if quarter is None:
            return None
        self._set("month", QUARTER, day=int(quarter[0]))
        self.said = replace(self.said, quarterly=True)
        return quarter[1]

    def _of_month(self, at: int) -> int | None:
        """Read `every month` as the frequency if no other words give one."""
        after = self._is("again_of_month", at)
        if after is None or self.often or self._is("again_every", at) is None:
            return None
        self._set("month")
        return after

    def _except(self, at: int) -> int | None:
        if self.often and (behind := self._days_but_not(at)) is not None:
            self.left = behind[0]
            return behind[1]
        after = self._is("again_except", at)
        if after is not None and (end := self._leave(self._past(after))) is not None:
            return end
        if after is not None:
            raise Asking(say(WHICH_DAYS))
        but = self._is("again_but", at) if self.often else None
        end = self._leave(self._past(but)) if but is not None else None
        if end is not None and self.said.clocks and end < len(self.tokens):
            raise Asking(say(WHICH_DAYS))
        return end

    def _leave(self, at: int) -> int | None:
        """Leave out the days that are said here, and return the position behind them; None without any."""
        if (days := self._days(at)) is not None:
            self.left = days[0]
            return days[1]
        for kind, left in (("again_weekend", WEEKEND), ("again_workday", WORKDAYS)):
            if (end := self._is(kind, at)) is not None:
                self.left = left
                return end
        return None

    def _days_but_not(self, at: int) -> tuple[tuple[Weekday, ...], int] | None:
        """Return days with a `not` behind them, and the position behind it: `every day`, `only Sundays not`."""
        only = self._is("again_noise", at) or at
        days = self._days(self._past(only))
        end = self._is("again_not", days[1]) if days is not None else None
        return (days[0], end) if days is not None and end is not None else None
