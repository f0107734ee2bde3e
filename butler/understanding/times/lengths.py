"""Lengths of time, and times said from now on: `in half an hour`, `vor drei Tagen`, `the last 24 hours`."""

from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta

from butler.understanding.times.cursor import Cursor
from butler.understanding.times.saying import TimeSaid

DAYS_OF = {"day": 1, "week": 7, "fortnight": 14}
MONTHS_OF = {"month": 1, "year": 12}
SECONDS_OF = {"second": 1, "minute": 60, "hour": 3600}
SECONDS_OF_DAY, DAYS_OF_MONTH, MINUTES = 86_400, 30, 60
SHORTEST_MONTH = 28


@dataclass(frozen=True, slots=True)
class Amount:
    seconds: int = 0
    days: int = 0
    months: int = 0


class Lengths(Cursor):
    """Reads lengths of time."""

    def amount(self, at: int) -> tuple[Amount, int] | None:
        """A length of time."""
        for kind, seconds in (("half_hour_word", 1800), ("quarter_hour_word", 900)):
            if (after := self._is(kind, at)) is not None:
                return Amount(seconds=seconds), after
        how_many = self._how_many(at)
        if how_many is None:
            return None
        number, here = how_many
        unit = self._value("unit", self.skipped(here)) or self._value("unit", here)
        if unit is None:
            return None
        name, here = unit
        if (half := self._is("and_half", here)) is not None:
            number, here = int(number) + 0.5, half
        found = amount_of(number, name)
        return (
            self._with_minutes(found, here)
            if found is not None and name == "hour"
            else (found, here)
            if found
            else None
        )

    def _how_many(self, at: int) -> tuple[float, int] | None:
        """`two`, `one and a half`, `half a`, `three quarters of an`, and the place behind it."""
        for kind, number in (("one_and_half", 1.5), ("three_quarters", 0.75)):
            if (after := self._is(kind, at)) is not None:
                return number, after
        if (found := self.number(at)) is not None:
            return self._with_fraction(*found)
        for kind, number in (("half", 0.5), ("quarter", 0.25)):
            if (after := self._is(kind, at)) is not None:
                return number, after
        unit = self._value("unit", at)
        return (1, at) if unit is not None and self._is("and_half", unit[1]) is not None else None

    def _with_fraction(self, number: int, at: int) -> tuple[float, int]:
        if (half := self._is("half", at)) is not None and number == 1:
            return 0.5, half
        if (quarter := self._is("quarter", at)) is not None and number in {1, 3}:
            return 0.25 * number, quarter
        if (half := self._is("and_half", at)) is not None:
            return number + 0.5, half
        return number, at

    def _with_minutes(self, hours: Amount, at: int) -> tuple[Amount, int]:
        """`two hours and ten minutes`, `2 h 30`."""
        more = self.amount(self._is("and", at) or at)
        if more is not None and 0 < more[0].seconds < SECONDS_OF["hour"]:
            return Amount(seconds=hours.seconds + more[0].seconds), more[1]
        rest = self.number(at)
        if rest is not None and rest[1] == len(self.tokens) and rest[0] < MINUTES:
            return Amount(seconds=hours.seconds + MINUTES * rest[0]), rest[1]
        return hours, at

    def _from_now(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:  # noqa: PLR0911 - one way after the other
        if said.day or said.moment:
            return None
        back = self._is("ago_first", at)
        if back is not None and (found := self.amount(self.skipped(back))) is not None:
            return self._moved(said, found[0], -1), found[1]
        start = self._is("in", at)
        found = self.amount(self.skipped(start if start is not None else at))
        if found is None:
            return None
        amount, here = found
        if (after := self._is("ago", here)) is not None:
            return self._moved(said, amount, -1), after
        if (after := self._is("later", here)) is not None:
            return self._moved(said, amount, 1), after
        if start is None:
            return None
        return self._moved(said, amount, 1), here

    def _moved(self, said: TimeSaid, amount: Amount, way: int) -> TimeSaid:
        wall = self.now.replace(tzinfo=None, microsecond=0)
        if amount.seconds:
            instant = datetime.fromtimestamp(self.now.timestamp() + way * amount.seconds, self.now.tzinfo)
            return replace(said, moment=instant.replace(tzinfo=None, microsecond=0))
        day = shifted(wall.date(), way * amount.months) + timedelta(way * amount.days)
        return replace(said, day=day, same_clock=True)

    def length_from_now(self) -> TimeSaid | None:
        """`twenty minutes` alone: so long from now."""
        found = self.amount(self.skipped(0))
        return self._moved(TimeSaid(), found[0], 1) if found and self.skipped(found[1]) == len(self.tokens) else None

    def _last_hours(self, said: TimeSaid, at: int) -> tuple[TimeSaid, int] | None:
        """`the last 24 hours`, `last night`."""
        last = self._is("last", at)
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
    """So many of a unit; None for a unit that is no length."""
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
    """The same day some months later, or the last day of that month."""
    years, month = divmod(day.month - 1 + months, 12)
    for number in range(day.day, SHORTEST_MONTH - 1, -1):
        try:
            return date(day.year + years, month + 1, number)
        except ValueError:
            continue
    return date(day.year + years, month + 1, day.day)
