"""Computes the feasts of a year by their rules: a date, so many days from Easter, or a Sunday in Advent."""

from datetime import date, timedelta

CHRISTMAS = (12, 25)


def feast(rule: str, year: int) -> tuple[date, date]:
    """Return the first and the last day of a feast.

    Args:
        rule: `12-25`, `easter-2`, `advent1`, or two of them from one to the other: `easter-7..easter`.
        year: The year in which the feast begins.
    """
    first, _, last = rule.partition("..")
    begins, ends = _day(first, year), _day(last or first, year)
    return begins, ends if ends >= begins else _day(last, year + 1)


def _day(rule: str, year: int) -> date:
    if rule.startswith("easter"):
        return easter(year) + timedelta(int(rule.removeprefix("easter") or 0))
    if rule.startswith("advent"):
        christmas = date(year, *CHRISTMAS)
        fourth = christmas - timedelta(christmas.isoweekday())
        return fourth - timedelta(7 * (4 - int(rule.removeprefix("advent"))))
    month, day = rule.split("-")
    return date(year, int(month), int(day))


def easter(year: int) -> date:
    """Return Easter Sunday by the Gregorian calendar (the algorithm of Meeus, Jones and Butcher)."""
    golden, century = year % 19, year // 100
    moon = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    sunday = (32 + 2 * (century % 4) + 2 * (year % 100 // 4) - moon - year % 100 % 4) % 7
    late = (golden + 11 * moon + 22 * sunday) // 451
    month, day = divmod(moon + sunday - 7 * late + 114, 31)
    return date(year, month, day + 1)
