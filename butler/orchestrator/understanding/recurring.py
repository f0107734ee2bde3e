"""Again and again, in the four languages: `every other Tuesday at 7`, `jeden ersten Montag`, `un jour sur deux`.

It is given the words that were marked as a recurrence. What is understood of them becomes a `Repeated`, of which the
rule of a reminder or an event is made; words that no recurrence has are only passed over once it is known how often.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, time
from functools import cache
from pathlib import Path
from typing import Any

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.schedules import LAST, Every
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.clock import NOON, Part, in_part
from butler.orchestrator.embedded.every import Repeated
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.understanding.said import PARTS
from butler.understanding.times.lexicon import TOKEN, Lexicon, folded, lexicon
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

WORKDAY_OF_MONTH = phrase("I know days of the month and weekdays, not working days of a month. Which day shall it be?")
WHICH_TIMES = phrase("At which times is that? Say it with them, like “every day at 8, 13 and 19”.")
WHICH_DAYS = phrase("On which days is that? Say it with them, like “every Monday and Thursday at 9”.")
ONE_DAY = phrase("I can repeat it on one day of the month. Which shall it be, like “every month on the 15th at 9”?")
MONTH_OF_YEAR = phrase("I cannot repeat a weekday of one month of the year. On which date shall it be, each year?")
WORKDAYS, WEEKEND = tuple(Weekday)[:5], tuple(Weekday)[5:]
SUFFIXES = frozenset({"st", "nd", "rd", "th", "er", "ere", "e", "eme", "º", "ª", "°", "te", "ten"})
SHORT_DAYS = frozenset({"so", "do", "mi", "di"})
"""German short days that are other words as well."""
GERMAN_DAY = re.compile(r"(montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonnabend|sonntag)-?(\w{3,})")
LONGEST_TIME, LONGEST_LENGTH = 9, 4
FORTNIGHT = {("fr", 15): 2, ("es", 15): 2, ("fr", 8): 1, ("es", 8): 1}
"""Weeks that are said as days: `tous les quinze jours`."""
HIGHEST_DAY, MOST_WEEKS = 31, 5


@cache
def words_of(language: str) -> Lexicon:
    """The words for times of a language, and those for recurrences."""
    stored = tomllib.loads(Path(__file__).with_name("recurring.toml").read_text(encoding="utf-8"))[language]
    found = {tokens: dict(meanings) for tokens, meanings in lexicon(language).phrases.items()}
    for kind, meanings in stored.items():
        for meaning, said in meanings.items():
            for phrase_said in said:
                for spelled in {folded(phrase_said), folded(_plain(phrase_said))}:
                    found.setdefault(tuple(TOKEN.findall(spelled)), {}).setdefault(f"again_{kind}", meaning)
    return replace(lexicon(language), phrases=found)


def _plain(words: str) -> str:
    for umlaut, two in (("ä", "ae"), ("ö", "oe"), ("ü", "ue"), ("ß", "ss")):
        words = words.replace(umlaut, two)
    return words


@dataclass(frozen=True, slots=True)
class Recurrence:
    """What was said, and the words of it that are no time of day."""

    said: Repeated
    rest: str = ""

    def at(self, clocks: tuple[time, ...]) -> str:
        """The same in words, with times of day that leave no doubt."""
        return f"{self.rest} {' '.join(f'{clock:%H:%M}' for clock in clocks)}"


def recurrence(text: str, language: str, now: datetime) -> Recurrence | None:
    """Read it; None where it is not understood. Raises `Asking` where no rule can say it."""
    reading = _Reading(language, text, now)
    return reading.whole()


def _pieces(text: str, words: Lexicon) -> Iterator[tuple[str, str]]:
    """The words as they stand and folded, German compounds such as `Sonntagabend` and `Mo-Fr` taken apart."""
    for match in TOKEN.finditer(text):
        token = folded(match[0])
        day = GERMAN_DAY.fullmatch(token) if words.language == "de" else None
        parts = [{"part", "again_often_part"} & words.phrases.get((day[2],), {}).keys()] if day else []
        if day and parts[0]:
            yield day[1], day[1]
            yield day[2], day[2]
        elif "-" in token and all("weekday" in words.phrases.get((half,), {}) for half in token.split("-")):
            for n, half in enumerate(token.split("-")):
                yield from ([("-", "-")] if n else [])
                yield half, half
        else:
            yield match[0], token


class _Reading:
    """One reading of the words, from the first to the last."""

    def __init__(self, language: str, text: str, now: datetime) -> None:
        self.words, self.language, self.now = words_of(language), language, now
        pieces = list(_pieces(text, self.words))
        self.written, self.tokens = [one for one, _ in pieces], [token for _, token in pieces]
        self.each, self.interval = False, 1
        self.begins = -1
        """Behind `every`."""
        self.often: dict[str, Any] = {}
        self.said = Repeated()
        self.sure: list[bool] = []
        self.left: tuple[Weekday, ...] = ()
        self.count: tuple[int, str] | None = None
        self.of_clock: set[int] = set()

    def whole(self) -> Recurrence | None:
        at = 0
        steps = (
            self._except, self._counted, self._month_day, self._of_month, self._out_of, self._every, self._adverb,
            self._other, self._last, self._ordinals, self._number_of, self._weekdays, self._day_kinds, self._fraction,
            self._unit, self._part, self._lasts, self._joint, self._time,
        )  # fmt: skip
        while at < len(self.tokens):
            found = next((after for step in steps if (after := step(at)) is not None), None)
            found = found if found is not None else self._passed(at)
            if found is None:
                return None
            at = found
        return self._finished()

    # Words.

    def _is(self, kind: str, at: int) -> int | None:
        found = self.words.longest(self.tokens, at, kind)
        return found[1] if found else None

    def _value(self, kind: str, at: int) -> tuple[str, int] | None:
        return self.words.longest(self.tokens, at, kind)

    def _token(self, at: int) -> str:
        return self.tokens[at] if 0 <= at < len(self.tokens) else ""

    def _past(self, at: int) -> int:
        """Behind words that say nothing."""
        while at < len(self.tokens) and (after := self._is("filler", at)) is not None and not self._names(at):
            at = after
        return at

    def _names(self, at: int) -> bool:
        return self._day(at) is not None

    def _joint(self, at: int) -> int | None:
        """Behind what only joins others, before a time is looked for."""
        after = self._is("and", at) or (
            None if self._is("at", at) or self._is("tonight", at) else self._is("filler", at)
        )
        longer = max(self._is(kind, at) or 0 for kind in ("part", "day", "to", "since", "before"))
        return after if after is not None and after >= longer else None

    def _passed(self, at: int) -> int | None:
        for kind in ("and", "filler", "again_noise", "again_of_month"):
            if (after := self._is(kind, at)) is not None:
                return after
        known = self.often or self.said.parts or self.said.clocks
        return at + 1 if known and not self._token(at)[:1].isdigit() else None

    def _number(self, at: int) -> tuple[int, int] | None:
        token = self._token(at)
        if re.fullmatch(r"\d{1,3}", token):
            return int(token), at + 1
        found = self._value("number", at)
        return (int(found[0]), found[1]) if found else None

    def _day(self, at: int) -> tuple[Weekday, int] | None:
        """A day of the week; German short ones only among others of their kind."""
        found = self._value("weekday", at)
        if found is None:
            return None
        if self._token(at) in SHORT_DAYS and not (
            self.each or self._token(at - 1) in {"und", "bis", "-", ",", "+", "&"}
        ):
            behind = self._token(found[1])
            if not (behind in {"", "und", "bis", "-", "+", "&"} or behind[:1].isdigit()) or at:
                return None
        return tuple(Weekday)[int(found[0])], found[1]

    # How often.

    def _every(self, at: int) -> int | None:
        after = self._is("again_every", at)
        if after is not None:
            self.each, self.begins = True, self._past(after)
        return after

    def _begins(self, at: int) -> bool:
        """Whether it stands right behind `every`."""
        return self.each and not self.often and at <= self.begins

    def _adverb(self, at: int) -> int | None:
        found = self._value("again_adverb", at)
        if found is None or self.often.get("every"):
            return None
        self._set(*found[0].split())
        return found[1]

    def _set(self, unit: str, number: str | int = 1, **more: Any) -> None:
        interval = int(number) * self.interval
        self.interval = 1
        self.often |= {"every": Every(unit)} | ({"interval": interval} if interval > 1 else {}) | more

    def _other(self, at: int) -> int | None:
        found = self._value("again_other", at)
        if found is None or not (self.each or self.language == "es"):
            return None
        if self._is("and", found[1]) is not None or self._is("again_of_month", self._day_end(found[1])) is not None:
            return None
        if self.often and self.language == "es":
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
        if re.fullmatch(r"\d{1,2}", token) and self._token(at + 1) in SUFFIXES:
            return int(token), at + 2
        joined = re.fullmatch(r"(\d{1,2})(st|nd|rd|th|er|e|te|ten)", token)
        return (int(joined[1]), at + 1) if joined else None

    def _ordinals(self, at: int) -> int | None:
        """`first Monday`, `ersten und dritten Donnerstag`, `third day`, `15th`."""
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

    def _day_of_month(self, number: int, after: int) -> int:
        if not self.often.get("every"):
            self._set("month")
        self.often["day"] = number
        return after

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
        """`2 weeks`, `dos martes`, `25 du mois`, `day 5 of the month`."""
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
        if self._begins(at) and (unit := self._value("unit", here)) is not None and unit[0] != "second":
            if (half := self._is("and_half", unit[1])) is not None:
                return self._half(at, half)
            return self._every_unit(number, unit[0], unit[1])
        if self._begins(at) and (days := self._days(here)) is not None:
            self._set("week", number, on=days[0])
            return days[1]
        behind_article = self._token(at - 1) in {"le", "el", "dia", "the", "den", "am"}
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
        weeks = FORTNIGHT.get((self.language, number)) if unit == "day" else None
        if unit == "weekend":
            self._set("week", number, on=WEEKEND)
        elif unit == "fortnight":
            self._set("week", 2 * number)
        else:
            self._set("week" if weeks else unit, weeks or number)
        return after

    def _fraction(self, at: int) -> int | None:
        """`half hour`, `Dreiviertelstunde`, behind `every`."""
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
        """`un jour sur deux`, `1 semaine sur 2`, `un mardi sur deux`."""
        number = self._number(at)
        here = number[1] if number is not None and number[0] == 1 else at
        unit, day = self._value("unit", here), self._day(here)
        behind = unit[1] if unit else day[1] if day else None
        over = self._is("again_out_of", behind) if behind is not None else None
        many = self._number(over) if over is not None else None
        if many is None or self.language not in {"fr", "es"}:
            return None
        if unit is not None:
            self._every_unit(many[0], unit[0], many[1])
        elif day is not None:
            self._set("week", many[0], on=(day[0],))
        return many[1]

    def _counted(self, at: int) -> int | None:
        """`twice a day`, `dreimal täglich`, `5 times`, `une fois par mois`."""
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

    # On which days.

    def _days(self, at: int) -> tuple[tuple[Weekday, ...], int] | None:
        """Days of the week, also from one to another: `Monday to Friday`, `lundi et jeudi`."""
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
        """Every 14 days on Mondays is every 2 weeks. Raises `Asking` for days that make no weeks."""
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
        return self._day_of_month(int(found[0]), found[1]) if found else None

    def _of_month(self, at: int) -> int | None:
        """`every month` says how often where nothing else does."""
        after = self._is("again_of_month", at)
        if after is None or self.often or self._is("again_every", at) is None:
            return None
        self._set("month")
        return after

    def _except(self, at: int) -> int | None:
        after = self._is("again_except", at)
        here = self._past(after) if after is not None else at
        if after is None:
            return None
        if (days := self._days(here)) is not None:
            self.left = days[0]
            return days[1]
        for kind, left in (("again_weekend", WEEKEND), ("again_workday", WORKDAYS)):
            if (end := self._is(kind, here)) is not None:
                self.left = left
                return end
        return None

    # At what times, from when and until when.

    def _part(self, at: int) -> int | None:
        found = self._value("again_often_part", at) or self._value("part", at)
        if found is None or (self._time_there(at) and not self.each):
            return None
        if found[0] in {"noon", "midnight"}:
            self._clock(time(NOON if found[0] == "noon" else 0), sure=True)
        else:
            self.said = replace(self.said, parts=(*self.said.parts, PARTS[found[0]]))
        return found[1]

    def _time_there(self, at: int) -> bool:
        """Whether a clock stands here whose part of the day comes first: `evening 8`."""
        return False if self._is("again_often_part", at) is not None else self._span(at, clock=True) is not None

    def _clock(self, clock: time, *, sure: bool) -> None:
        self.said = replace(self.said, clocks=(*self.said.clocks, clock))
        self.sure.append(sure)

    def _span(self, at: int, *, clock: bool = False) -> tuple[TimeSaid, int] | None:
        """The longest time that stands here."""
        for end in range(min(len(self.tokens), at + LONGEST_TIME), at, -1):
            if end > at + 1 and self._is("filler", end - 1) is not None:
                continue
            if (hours := self._hours(at, end)) is not None:
                return hours, end
            try:
                found = parse(" ".join(self.tokens[at:end]), self.language, self.now)
            except IndexError:
                continue
            if found is not None and (not clock or found.clock is not None):
                return found, end
        return None

    def _hours(self, at: int, end: int) -> TimeSaid | None:
        """`de 18 à 20h`, `de cinco a siete`: from one hour to another."""
        tokens = self.tokens[at:end]
        if self.language not in {"fr", "es"} or "a" not in tokens[1:-1]:
            return None
        cut = tokens.index("a", 1)
        both = [parse(" ".join(("a" if self.language == "fr" else "a las", *part)), self.language, self.now)
                for part in (tokens[:cut], tokens[cut + 1 :])]  # fmt: skip
        first, last = both
        if first is None or last is None or first.clock is None or last.clock is None or first.day or last.day:
            return None
        return replace(first, until_clock=last.clock, half_said=first.half_said or last.clock.hour < first.clock.hour)

    def _lasts(self, at: int) -> int | None:
        after = self._is("again_lasts", at)
        if after is None:
            return None
        for end in range(min(len(self.tokens), after + LONGEST_LENGTH), after, -1):
            found = length_of(" ".join(self.tokens[after:end]), self.language, self.now)
            if found is not None and found.seconds:
                self.said = replace(self.said, minutes=found.seconds // 60)
                return end
            if found is not None:
                self.said = replace(self.said, lasts=(found.days, found.months))
                return end
        return None

    def _time(self, at: int) -> int | None:
        span = self._span(at)
        if span is None:
            return None
        found, end = span
        if found.moment is not None or found.same_clock:
            return None
        if found.clock is not None:
            self.of_clock |= set(range(at, end))
            if found.until_clock is not None:
                self.said = replace(self.said, within=(found.clock, found.until_clock))
                self.sure.append(found.half_said)
            else:
                self._clock(found.clock, sure=found.half_said or bool(found.part))
        if found.day is not None:
            self._days_said(found, found.day, at, end)
        elif found.part and found.clock is None:
            self.said = replace(self.said, parts=(*self.said.parts, PARTS[found.part]))
        return end

    def _days_said(self, found: TimeSaid, day: date, at: int, end: int) -> None:
        named = any(self._value("month", place) is not None for place in range(at, end))
        if found.bound == "before":
            month_only = found.until_day is not None and found.day is not None and found.day.day == 1 and named
            self.said = replace(self.said, until=day if not month_only else date.fromordinal(day.toordinal() - 1))
        elif found.bound == "since" or found.until_day is not None:
            self.said = replace(self.said, since=day, until=found.until_day if found.bound != "since" else None)
        elif named and self.often.get("every") in {None, Every.YEAR}:
            self._set("year", self.often.get("interval", 1), day=day.day, month=day.month)
        else:
            self.said = replace(self.said, since=day)

    # All of it.

    def _finished(self) -> Recurrence | None:
        if not self.often:
            if not self.each and not self.said.parts:
                return None
            self._set("day")
        if self.left:
            self._leave_out()
        self._hours_from_clock()
        said = self._with_clocks()
        if self.count is not None and self.count[0] > 1 and len(said.clocks) != self.count[0] and not said.parts:
            of_days = self.count[1] == "day"
            if of_days or len(self.often.get("on", ())) != self.count[0]:
                raise Asking(say(WHICH_TIMES if of_days else WHICH_DAYS))
        rest = " ".join(word for n, word in enumerate(self.written) if n not in self.of_clock)
        return Recurrence(replace(said, often=self.often), rest)

    def _hours_from_clock(self) -> None:
        """`every eight hours, starting at six`: at six, at two and at ten."""
        step = int(self.often.get("interval", 1))
        if self.often["every"] is not Every.HOUR or len(self.said.clocks) != 1 or self.said.within or 24 % step:
            return
        first = self.said.clocks[0]
        clocks = tuple(first.replace(hour=(first.hour + hours) % 24) for hours in range(0, 24, step))
        self.said = replace(self.said, clocks=clocks)
        self.sure = [True] * len(clocks)
        on = self.often.get("on")
        self.often = {"every": Every.WEEK, "on": on} if on else {"every": Every.DAY}

    def _leave_out(self) -> None:
        kept = tuple(day for day in self.often.get("on") or tuple(Weekday) if day not in self.left)
        if not kept or self.often.get("nth") or self.often["every"] in {Every.MONTH, Every.YEAR}:
            raise Asking(say(WHICH_DAYS))
        self.often["on"] = kept
        if self.often["every"] is Every.DAY:
            self.often["every"] = Every.WEEK

    def _with_clocks(self) -> Repeated:
        """The times of day, within the parts of it that were said."""
        said, sure = self.said, list(self.sure)
        if said.within is not None and self.often["every"] in {Every.HOUR, Every.MINUTE}:
            return said
        if said.clocks and said.parts and not all(sure):
            clocks = tuple(
                in_part(clock, part)[0] if not known else clock
                for clock, known in zip(said.clocks, sure, strict=False)
                for part in (said.parts if not known else said.parts[:1])
            )
            return replace(said, clocks=clocks, parts=())
        if len(said.parts) == 1 and said.clocks:
            said = replace(said, parts=())
        clocks = _like_the_last(said.clocks, sure)
        half = all(known or not 0 < clock.hour < DAWN for clock, known in zip(clocks, sure, strict=False))
        if said.within is not None and not all(sure):
            half = not 0 < said.within[0].hour < DAWN
        return replace(said, clocks=clocks, half_said=half)


def _like_the_last(clocks: tuple[time, ...], sure: list[bool]) -> tuple[time, ...]:
    """`at 2 and 5 pm`: both in the afternoon."""
    if len(clocks) < 2 or not sure[-1] or clocks[-1].hour < NOON:  # noqa: PLR2004 - one says nothing of another
        return clocks
    last = clocks[-1]
    for n, clock in enumerate(clocks[:-1]):
        if not sure[n] and clock.hour + NOON < last.hour:
            sure[n] = True
            clocks = (*clocks[:n], clock.replace(hour=clock.hour + NOON), *clocks[n + 1 :])
    return clocks


def parts_of(said: Repeated) -> tuple[Part, ...]:
    """The parts of the day that were said; none where a clock was."""
    return () if said.clocks else said.parts
