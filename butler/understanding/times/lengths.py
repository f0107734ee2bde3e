"""Reads lengths of time, and times counted from now: `in half an hour`, `vor drei Tagen`, `the last 24 hours`."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from butler.understanding.times.cursor import Cursor
from butler.understanding.times.saying import TimeSaid

DAYS_OF = {"day": 1, "week": 7, "fortnight": 14}
MONTHS_OF = {"month": 1, "year": 12, "quarter": 3, "semester": 6, "bimester": 2}
SECONDS_OF = {"second": 1, "minute": 60, "hour": 3600}
SECONDS_OF_DAY, DAYS_OF_MONTH, MINUTES = 86_400, 30, 60
SHORTEST_MONTH = 28
MOST, MOST_SMALL = 1_000, 10_000
"""The longest length in weeks, months or years, and in smaller units."""
HALF, QUARTER = 0.5, 0.25
FEWEST_MINUTES, FIRST_CLOCK = 5, 8
"""Numbers from which `in ten` means minutes, and `since 14h` a clock."""


@dataclass(frozen=True, slots=True)
class Amount:
    """A length of time."""

    seconds: int = 0
    days: int = 0
    months: int = 0


class Lengths(Cursor):
    """Reads lengths of time."""

    def whole_amount(self) -> Amount | None:
        """Read all words as one length: `ten more minutes`, `in einer Stunde`, `la veille`."""
        for begin in (0, self.skipped(0)):
            before = self._is("day_before", begin)
            if before is not None and self.skipped(before) == len(self.tokens):
                return Amount(days=1)
        start = self._past_quantity(0)
        found = self.amount(start)
        if found is None:
            return None
        amount, here = found
        for kind in ("longer", "later"):
            here = self._is(kind, here) or here
        return amount if self.skipped(here) == len(self.tokens) else None

    def _past_quantity(self, at: int) -> int:
        """Return the place after `in`, `another`, `more than`."""
        here = self.skipped(at)
        while (after := self._is("in", here) or self._is("quantity", here)) is not None:
            here = self.skipped(after)
        return here

    def amount(self, at: int) -> tuple[Amount, int] | None:
        """Read a length of time."""
        found = self._amount_word(at) or self._counted(at)
        if found is None:
            return None
        amount, here = found
        if amount.seconds:
            return self._with_minutes(amount, here) if amount.seconds >= SECONDS_OF["hour"] else (amount, here)
        return self._with_hours(amount, here)

    def _amount_word(self, at: int) -> tuple[Amount, int] | None:
        """Read `Viertelstunde`, `une demi-heure`, `tres cuartos de hora`."""
        for kind, quarters in (("half_hour_word", 2), ("quarter_hour_word", 1), ("three_quarter_hour_word", 3)):
            after = self._is(kind, at)
            if after is None and (one := self.number(at)) is not None and one[0] == 1:
                after = self._is(kind, self._is("quantity", one[1]) or one[1])
            if after is not None:
                return Amount(seconds=quarters * 15 * MINUTES), after
        return None

    def _counted(self, at: int) -> tuple[Amount, int] | None:
        how_many = self._how_many(at)
        if how_many is None:
            return None
        number, here = how_many
        here = self._is("quantity", here) or here
        unit = self._value("unit", self.skipped(here)) or self._value("unit", here)
        if unit is None:
            return None
        name, here = unit
        if (half := self._is("and_half", here)) is not None:
            number, here = int(number) + HALF, half
        elif (quarter := self._is("and_quarter", here)) is not None:
            number, here = int(number) + QUARTER, quarter
        found = amount_of(number, name)
        return (found, here) if found is not None else None

    def _how_many(self, at: int) -> tuple[float, int] | None:
        """Read `two`, `one and a half`, `1,5`, `half a`, `three quarters of an`; return it and the place after it."""
        for kind, number in (("one_and_half", 1.5), ("three_quarters", 0.75)):
            if (after := self._is(kind, at)) is not None:
                return number, after
        if (decimal := self._decimal(at)) is not None:
            return decimal
        if (found := self.number(at)) is not None:
            return self._with_fraction(*self._either(*found))
        for kind, number in (("half", HALF), ("quarter", QUARTER)):
            if (after := self._is(kind, at)) is not None:
                return number, after
        unit = self._value("unit", at)
        bare = unit is not None and any(self._is(kind, unit[1]) is not None for kind in ("and_half", "and_quarter"))
        return (1, at) if bare else None

    def _decimal(self, at: int) -> tuple[float, int] | None:
        """Read `1.5`, `1,5`."""
        token = self.tokens[at] if at < len(self.tokens) else ""
        whole, dot, rest = token.partition(".")
        if dot and whole.isdigit() and rest.isdigit() and len(rest) == 1:
            return float(token), at + 1
        if token.isdigit() and self.tokens[at + 1 : at + 2] == [","] and len(self.tokens) > at + 2:
            behind = self.tokens[at + 2]
            if behind.isdigit() and len(behind) == 1:
                return float(f"{token}.{behind}"), at + 3
        return None

    def _either(self, number: int, at: int) -> tuple[int, int]:
        """Read `drei, vier`, `two or three` as the larger number."""
        joint = self._is("and", at) or (at + 1 if self.tokens[at : at + 1] == [","] else None)
        more = self.number(joint) if joint is not None else None
        return more if more is not None and more[0] == number + 1 else (number, at)

    def _with_fraction(self, number: int, at: int) -> tuple[float, int]:
        if (half := self._is("half", at)) is not None and number == 1:
            return HALF, half
        if (quarter := self._is("quarter", at)) is not None and number in {1, 3}:
            return QUARTER * number, quarter
        if (half := self._is("and_half", at)) is not None:
            return number + HALF, half
        return number, at

    def _with_hours(self, days: Amount, at: int) -> tuple[Amount, int]:
        """Read `1 day and 2 hours`, `a month and a day`."""
        joint = self._is("and", at)
        more = self.amount(joint) if joint is not None else None
        if more is None or more[0].months or (more[0].days and not days.months):
            return days, at
        return replace(days, seconds=more[0].seconds, days=days.days + more[0].days), more[1]

    def _with_minutes(self, hours: Amount, at: int) -> tuple[Amount, int]:
        """Read `two hours and ten minutes`, `2 h 30`."""
        joint = self._is("and", at) or self._is("past_and", at)
        more = self._amount_word(joint or at) or self._counted(joint or at)
        if more is not None and 0 < more[0].seconds < SECONDS_OF["hour"]:
            return Amount(seconds=hours.seconds + more[0].seconds), more[1]
        rest = self.number(at)
        if rest is not None and rest[1] == len(self.tokens) and rest[0] < MINUTES:
            return Amount(seconds=hours.seconds + MINUTES * rest[0]), rest[1]
        return hours, at

    def _from_now(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:  # noqa: PLR0911 - a case each
        """Read `in two hours`, `three days ago`, `a week from now`; after `since`, a length counts back."""
        if said.moment is not None:
            return None
        if said.day is not None:
            return self._days_on(said, at)
        back, start = self._is("ago_first", at), self._is("in", at)
        found = self.amount(self._past_quantity(back if back is not None else at))
        if found is None:
            return self._minutes_from_now(said, at)
        amount, here = found
        if self.since and self._clock_in_figures(here):
            return None
        after = self._is("ago", here)
        if back is not None or after is not None or self.since:
            moved = self._moved(said, amount, -1)
            if not self.since and any(self._is("more_than", n) is not None for n in range(at, here)):
                moved = replace(moved, bound="before", same_clock=False)
            return moved, after or here
        later = self._is("later", here)
        if later is None and start is None:
            return None
        return self._moved(said, amount, 1), later or here

    def _clock_in_figures(self, after: int) -> bool:
        """Return whether figures read as hours are a clock: `depuis 14h` unlike `depuis 2h`."""
        number = self.tokens[after - 2] if after > 1 else ""
        return self.tokens[after - 1] == "h" and number.isdigit() and int(number) >= FIRST_CLOCK

    def _minutes_from_now(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `in ten` as minutes."""
        start = self._is("in", at)
        number = self.number(start) if start is not None else None
        if number is None or number[1] != len(self.tokens) or not FEWEST_MINUTES <= number[0] <= MINUTES:
            return None
        return self._moved(said, Amount(seconds=MINUTES * number[0]), 1), number[1]

    def _days_on(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `Montag in zwei Wochen`, `heute in acht Tagen`."""
        start = self._is("in", at)
        found = self.amount(self._past_quantity(start)) if start is not None else None
        if found is None or found[0].seconds or said.day is None or said.until_day is not None:
            return None
        days = found[0].days - (1 if found[0].days in {8, 15} else 0)
        day = shifted(said.day, found[0].months) + timedelta(days)
        return replace(said, day=day, weekday=False, same_clock=False), found[1]

    def _moved(self, said: TimeSaid, amount: Amount, way: int) -> TimeSaid:
        wall = self.now.replace(tzinfo=None, microsecond=0)
        day = shifted(wall.date(), way * amount.months) + timedelta(way * amount.days)
        if amount.seconds:
            then = datetime.combine(day, self.now.timetz())
            instant = datetime.fromtimestamp(then.timestamp() + way * amount.seconds, self.now.tzinfo)
            at = instant.replace(tzinfo=None, microsecond=0)
            if self.since:
                return replace(said, day=at.date(), clock=at.time().replace(second=0), bound="since")
            return replace(said, moment=at)
        return replace(said, day=day, same_clock=not self.since)

    def length_from_now(self) -> TimeSaid | None:
        """Read a length alone, such as `twenty minutes`, as counted from now."""
        found = self.amount(self._past_quantity(0))
        return self._moved(TimeSaid(), found[0], 1) if found and self.skipped(found[1]) == len(self.tokens) else None

    def _last_hours(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """Read `the last 24 hours`, `last night`."""
        last = self._is("last", at) or self._is("last_before", at)
        if last is None:
            return None
        part = self._value("part", last)
        if part is not None and part[0] == "night":
            return replace(said, day=self.today - timedelta(1), part="night"), part[1]
        unit = self._value("unit", last)
        found = (amount_of(1, unit[0]), unit[1]) if unit is not None and unit[0] in SECONDS_OF else self.amount(last)
        if found is None or found[0] is None or not found[0].seconds:
            return None
        start = (self.now - timedelta(seconds=found[0].seconds)).replace(tzinfo=None, second=0, microsecond=0)
        return replace(said, day=start.date(), clock=start.time(), bound="since"), found[1]


def amount_of(number: float, unit: str) -> Amount | None:
    """Return a number of units as a length; None for a unit without a length, or beyond what anybody plans."""
    if number > (MOST_SMALL if unit in SECONDS_OF or unit == "day" else MOST):
        return None
    if unit in SECONDS_OF:
        return Amount(seconds=round(number * SECONDS_OF[unit]))
    if unit in DAYS_OF:
        whole = number * DAYS_OF[unit]
        return Amount(days=int(whole)) if whole == int(whole) else Amount(seconds=round(whole * SECONDS_OF_DAY))
    if unit in MONTHS_OF:
        months = number * MONTHS_OF[unit]
        return Amount(months=int(months)) if months == int(months) else Amount(days=round(months * DAYS_OF_MONTH))
    return None


def shifted(day: date, months: int) -> date:
    """Return the same day some months later, or the last day of that month."""
    years, month = divmod(day.month - 1 + months, 12)
    for number in range(day.day, SHORTEST_MONTH - 1, -1):
        try:
            return date(day.year + years, month + 1, number)
        except ValueError:
            continue
    return date(day.year + years, month + 1, day.day)
