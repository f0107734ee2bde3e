"""Lengths of time as people say them: `20 seconds`, `2.5 hours`, `1 day and 2 hours`, `an hour and a half`, `90min`."""

import re
from dataclasses import dataclass
from fractions import Fraction

from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count

MINUTE, HOUR, HALF_DAY, DAY = 60, 3_600, 43_200, 86_400
SECONDS = {
    "second": 1, "seconds": 1, "sec": 1, "secs": 1, "minute": MINUTE, "minutes": MINUTE, "min": MINUTE, "mins": MINUTE,
    "hour": HOUR, "hours": HOUR, "hr": HOUR, "hrs": HOUR,
}  # fmt: skip
"""Units of real time, in seconds."""
DAYS = {"day": 1, "days": 1, "week": 7, "weeks": 7, "fortnight": 14, "fortnights": 14}
MONTHS = {"month": 1, "months": 1, "year": 12, "years": 12}
WORDS = (
    (phrases("an hour and a half", "one hour and a half", "one and a half hours"), 90 * MINUTE),
    (phrases("(half an|half a|a half) hour", "half hour"), 30 * MINUTE),
    (phrases("[a] quarter of an hour", "a quarter hour"), 15 * MINUTE),
    (phrases("three quarters of an hour"), 45 * MINUTE),
    (phrases("half a minute", "half a min"), 30),
    (phrases("half a day"), HALF_DAY),
)
COUPLE = phrases("a couple of", "a couple")
AND_A_HALF = phrases("and a half")
AND, COMMA_AND = phrases("and"), phrases(",", ", and", "and")
SHORT = re.compile(r"(\d{1,4}(?:\.\d{1,2})?)(s|sec|secs|m|min|mins|h|hr|hrs|d)", re.ASCII)
SHORT_TWO = re.compile(r"(\d{1,3})h(\d{1,2})(?:m|min)?", re.ASCII)
SHORT_UNITS = {"s": 1, "sec": 1, "secs": 1, "m": MINUTE, "min": MINUTE, "mins": MINUTE}
DECIMAL = re.compile(r"(\d{1,4})\.(\d{1,2})", re.ASCII)
HALF_SIGN = re.compile(r"(\d{0,4})½", re.ASCII)
MOST_PARTS = 5


@dataclass(frozen=True, slots=True)
class Length:
    """How long: months and days of the calendar, and real time in seconds."""

    months: int = 0
    days: int = 0
    seconds: int = 0

    def plus(self, other: "Length") -> "Length":
        """Both together."""
        return Length(self.months + other.months, self.days + other.days, self.seconds + other.seconds)

    @property
    def minutes(self) -> int | None:
        """The same in whole minutes, a day being 24 hours; None where it has months, or seconds left over."""
        whole, rest = divmod(self.seconds, MINUTE)
        return None if self.months or rest else self.days * DAY // MINUTE + whole


def length_at(tail: Tail) -> tuple[Length, Tail] | None:
    """The length that stands here, all parts of it, and what follows: `1 day, 2 hours and 30 minutes`."""
    found = _part(tail)
    for _ in range(MOST_PARTS):
        more = _part(found[1].past(COMMA_AND)) if found is not None else None
        if found is None or more is None:
            break
        found = found[0].plus(more[0]), more[1]
    return found if found is not None and found[0] != Length() else None


def _part(tail: Tail) -> tuple[Length, Tail] | None:
    for words, seconds in WORDS:
        if (after := tail.take(words)) is not None:
            return Length(seconds=seconds), after
    if (short := _short(tail)) is not None:
        return short
    found = amount_at(tail)
    if found is None:
        return None
    amount, unit_at = found
    after = unit_at.skip()
    halved = after.take(AND_A_HALF)
    if halved is not None:
        amount, after = amount + Fraction(1, 2), halved
    length = _of_unit(amount, unit_at.word())
    return (length, after) if length is not None else None


def _short(tail: Tail) -> tuple[Length, Tail] | None:
    if (two := SHORT_TWO.fullmatch(tail.word())) is not None:
        return Length(seconds=int(two[1]) * HOUR + int(two[2]) * MINUTE), tail.skip()
    match = SHORT.fullmatch(tail.word())
    if match is None:
        return None
    length = _of_unit(Fraction(match[1]), "day" if match[2] == "d" else match[2])
    return (length, tail.skip()) if length is not None else None


def amount_at(tail: Tail) -> tuple[Fraction, Tail] | None:
    """`20`, `twenty`, `2.5`, `2½`, `two and a half`, `a couple of`; and what follows."""
    if (after := tail.take(COUPLE)) is not None:
        return Fraction(2), after
    if (decimal := DECIMAL.fullmatch(tail.word())) is not None:
        return Fraction(f"{decimal[1]}.{decimal[2]}"), tail.skip()
    if (half := HALF_SIGN.fullmatch(tail.word())) is not None:
        return Fraction(int(half[1] or 0)) + Fraction(1, 2), tail.skip()
    number = count(tail.word())
    if not number:
        return None
    after = tail.skip()
    halved = after.take(AND_A_HALF)
    return (number + Fraction(1, 2), halved) if halved is not None else (Fraction(number), after)


def _of_unit(amount: Fraction, unit: str) -> Length | None:
    """So many of a unit; None for no unit, and for parts of a second or of a month."""
    seconds = SECONDS.get(unit) or SHORT_UNITS.get(unit) or (HOUR if unit in {"h", "hr", "hrs"} else 0)
    if seconds:
        whole = amount * seconds
        return Length(seconds=int(whole)) if whole.denominator == 1 else None
    if unit in DAYS:
        days = amount * DAYS[unit]
        rest = (days - int(days)) * DAY
        return Length(days=int(days), seconds=int(rest)) if rest.denominator == 1 else None
    if unit in MONTHS:
        months = amount * MONTHS[unit]
        return Length(months=int(months)) if months.denominator == 1 else None
    return None
