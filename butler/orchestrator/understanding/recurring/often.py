"""Reads the frequency of a recurrence: `every other`, `dreimal im Jahr`, `the first and third`, `un jour sur deux`."""

import re
from dataclasses import replace

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.schedules import LAST, Every
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.recurring.days import WEEKEND, WHICH_DAYS, RecurringDays
from butler.orchestrator.understanding.recurring.words import WORDS
from butler.understanding.stored_words import group_in, stored
from butler.understanding.times.parse import length_of

WORKDAY_OF_MONTH = phrase("I know days of the month and weekdays, not working days of a month. Which day shall it be?")
ONE_DAY = phrase("I can repeat it on one day of the month. Which shall it be, like “every month on the 15th at 9”?")
MONTH_OF_YEAR = phrase("I cannot repeat a weekday of one month of the year. On which date shall it be, each year?")
ENDINGS, BEFORE_DAY = frozenset(stored(*WORDS, "ordinal_endings")), frozenset(stored(*WORDS, "before_day"))
ORDINAL = re.compile(rf"(\d{{1,2}}){group_in(*WORDS, 'ordinal_endings')}")
LONGEST_TIME, LONGEST_LENGTH = 9, 4
HIGHEST_DAY, MOST_WEEKS = 31, 5


class RecurringOften(RecurringDays):
    """Reads the frequency."""

    def _every(self, at: int) -> int | None:
        after = self._is("again_every", at)
        if after is not None:
            self.each, self.begins = True, self._past(after)
        return after

    def _begins(self, at: int) -> bool:
        """Return whether this place is right after `every`."""
        return self.each and not self.often and at <= self.begins

    def _weeks_behind_day(self, at: int, unit: str) -> bool:
        """Return whether a weekday came before `every two weeks`."""
        of_day = self.often.get("every") is Every.WEEK and "interval" not in self.often
        return of_day and self.each and at <= self.begins and unit in {"week", "fortnight"}

    def _adverb(self, at: int) -> int | None:
        found = self._value("again_adverb", at)
        if found is None or self.often.get("every"):
            return None
        self._set(*found[0].split())
        return found[1]

    def _other(self, at: int) -> int | None:
        found = self._value("again_other", at)
        if found is None or not (self.each or self._way("other_behind")):
            return None
        if self._is("and", found[1]) is not None or self._is("again_of_month", self._day_end(found[1])) is not None:
            return None
        if self.often and self._way("other_behind"):
            self.often["interval"] = int(found[0])
        self.interval = int(found[0])
        return found[1]

    def _day_end(self, at: int) -> int:
        day = self._day(at)
        return day[1] if day else at

    def _last(self, at: int) -> int | None:
        after = self._is("last", at)
        if after is None:
            return None
        here = self._past(after)
        if self._is("again_workday", here) is not None:
            raise Asking(say(WORKDAY_OF_MONTH))
        if (day := self._day(here)) is not None:
            self._set("month", on=(day[0],), nth=(*self.often.get("nth", ()), LAST))
            return day[1]
        unit = self._value("unit", here)
        if unit is not None and unit[0] == "day":
            self._set("month", day=LAST_DAY)
            return unit[1]
        return None

    def _ordinal(self, at: int) -> tuple[int, int] | None:
        found = self._value("ordinal", at) or self._value("again_ordinal", at)
        if found is not None:
            return int(found[0]), found[1]
        token = self._token(at)
        if (dotted := re.fullmatch(r"(\d{1,2})\.", token)) is not None:
            return int(dotted[1]), at + 1
        if re.fullmatch(r"\d{1,2}", token) and self._token(at + 1) in ENDINGS:
            return int(token), at + 2
        joined = ORDINAL.fullmatch(token)
        return (int(joined[1]), at + 1) if joined else None

    def _ordinals(self, at: int) -> int | None:
        """Read ordinals: `first Monday`, `ersten und dritten Donnerstag`, `third day`, `15th`."""
        numbers: list[int] = []
        here = after = at
        while (one := self._ordinal(self._past(here))) is not None:
            numbers.append(one[0])
            here = self._is("and", one[1]) or one[1]
            after = one[1]
        if not numbers:
            return None
        monthly = self._is("again_of_month", after)
        here = self._past(after) if monthly is None else after
        if self._is("again_workday", here) is not None and not self.each:
            raise Asking(say(WORKDAY_OF_MONTH))
        if (days := self._days(here)) is not None:
            return self._nth(numbers, *days)
        unit = self._value("unit", here)
        if monthly is None and self.each and unit is not None and unit[0] != "second" and len(numbers) == 1:
            self._set(unit[0], numbers[0])
            return unit[1]
        if self._value("month", here) is not None:
            return None
        known = self.often.get("every") in {Every.MONTH, Every.YEAR} or self.each
        if len(numbers) != 1 or not (monthly is not None or known) or numbers[0] > HIGHEST_DAY:
            return None
        return self._day_of_month(numbers[0], monthly or after)

    def _nth(self, numbers: list[int], days: tuple[Weekday, ...], after: int) -> int:
        month = self._value("month", self._past(after))
        if month is not None:
            raise Asking(say(MONTH_OF_YEAR))
        of_month = self._is("again_of_month", after)
        monthly = of_month is not None or self.often.get("every") is Every.MONTH or self._says_month()
        if not monthly and numbers == [2]:
            self._set("week", 2, on=days)
            return after
        if not monthly and set(numbers) & {3, 4}:
            count = numbers[0]
            raise Asking(
                say("Of every month, or every {count} weeks?", count=count)
                + " "
                + say("Say it like “every third Friday of the month” or “every 3 weeks on Friday”.")
            )
        if any(number > MOST_WEEKS for number in numbers):
            raise Asking(say(WHICH_DAYS))
        self._set("month", on=days, nth=(*self.often.get("nth", ()), *numbers))
        return of_month or after

    def _says_month(self) -> bool:
        return any(self._is("again_of_month", at) is not None for at in range(len(self.tokens)))

    def _number_of(self, at: int) -> int | None:  # noqa: PLR0911 - one way after the other
        """Read numbers: `2 weeks`, `dos martes`, `25 du mois`, `day 5 of the month`."""
        found = self._number(at)
        if found is None:
            return None
        number, after = found
        here = self._past(after)
        joint = self._is("and", after)
        second = self._number(joint) if joint is not None else None
        if second is not None and self._is("again_of_month", second[1]) is not None:
            raise Asking(say(ONE_DAY))
        monthly = self._is("again_of_month", after) or self._is("again_of_month", here)
        if monthly is not None and number <= HIGHEST_DAY:
            return self._day_of_month(number, monthly)
        unit = self._value("unit", here)
        if unit is not None and self._weeks_behind_day(at, unit[0]):
            return self._every_unit(number, unit[0], unit[1])
        if self._begins(at) and unit is not None and unit[0] != "second":
            if (half := self._is("and_half", unit[1])) is not None:
                return self._half(at, half)
            return self._every_unit(number, unit[0], unit[1])
        if self._begins(at) and (days := self._days(here)) is not None:
            self._set("week", number, on=days[0])
            return days[1]
        behind_article = self._token(at - 1) in BEFORE_DAY
        clocked = self._is("oclock", after) is not None or self._value("month", here) is not None
        if behind_article and self.often.get("every") is Every.MONTH and not self.often.get("day") and not clocked:
            return self._day_of_month(number, after)
        return None

    def _half(self, at: int, after: int) -> int | None:
        found = length_of(" ".join(self.tokens[at:after]), self.language, self.now)
        return self._minutes(found.seconds, after) if found is not None and found.seconds else None

    def _minutes(self, seconds: int, after: int) -> int:
        minutes = seconds // 60
        self._set(*(("hour", minutes // 60) if minutes % 60 == 0 else ("minute", minutes)))
        return after

    def _every_unit(self, number: int, unit: str, after: int) -> int:
        weeks = self._way("weeks", {}).get(str(number)) if unit == "day" else None
        if unit == "weekend":
            self._set("week", number, on=WEEKEND)
        elif unit == "fortnight":
            self._set("week", 2 * number)
        else:
            self._set("week" if weeks else unit, weeks or number)
        return after

    def _fraction(self, at: int) -> int | None:
        """Read fractions after `every`: `half hour`, `Dreiviertelstunde`."""
        if not self._begins(at):
            return None
        for end in range(min(len(self.tokens), at + LONGEST_LENGTH), at, -1):
            found = length_of(" ".join(self.tokens[at:end]), self.language, self.now)
            if found is not None and found.seconds:
                return self._minutes(found.seconds, end)
        return None

    def _unit(self, at: int) -> int | None:
        longer = self._value("again_longer", at)
        if longer is not None and (self.each or not self.often):
            self._set(*longer[0].split())
            self.said = replace(self.said, quarterly=longer[0] == "month 3" and self.often.get("interval") == 3)  # noqa: PLR2004
            return longer[1]
        unit = self._value("unit", at) if self.each and not self.often else None
        return self._every_unit(1, *unit) if unit is not None and unit[0] != "second" else None

    def _out_of(self, at: int) -> int | None:
        """Read `un jour sur deux`, `1 semaine sur 2`, `un mardi sur deux`."""
        number = self._number(at)
        here = number[1] if number is not None and number[0] == 1 else at
        unit, day = self._value("unit", here), self._day(here)
        behind = unit[1] if unit else day[1] if day else None
        over = self._is("again_out_of", behind) if behind is not None else None
        many = self._number(over) if over is not None else None
        if many is None or not self._way("one_out_of"):
            return None
        if unit is not None:
            self._every_unit(many[0], unit[0], many[1])
        elif day is not None:
            self._set("week", many[0], on=(day[0],))
        return many[1]

    def _counted(self, at: int) -> int | None:
        """Read counts: `twice a day`, `dreimal täglich`, `5 times`, `une fois par mois`."""
        found = self._value("again_count", at)
        number = (int(found[0]), found[1]) if found else self._number(at)
        after = number[1] if found and number else self._is("again_times", number[1]) if number else None
        if number is None or after is None:
            return None
        adverb = self._value("again_adverb", after)
        per = self._is("again_per", after)
        unit = self._value("unit", per) if per is not None else None
        name = adverb[0].split()[0] if adverb else unit[0] if unit else ""
        if not name:
            if found is None or number[0] > 1:
                self.said = replace(self.said, times=number[0])
            return after
        self.count = (number[0], name)
        self._set(name)
        return adverb[1] if adverb else unit[1] if unit else after
