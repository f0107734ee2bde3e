"""A series' rule (RFC 5545) when the series moves to another day: what of it has to move along."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PREFIX = "RRULE:"


def moved_rules(rules: Sequence[str], before: date, after: date) -> list[str] | None:
    """The rules of a series whose first event moves from `before` to `after`; None where that is not simply so.

    The last day moves along, and so does the one day of the week or of the month on which it recurs. Several days, and
    dates that are named one by one, are left to the person.
    """
    if before == after or not rules:
        return list(rules)
    if len(rules) != 1 or not rules[0].upper().startswith(_PREFIX):
        return None
    days = _day(after).toordinal() - _day(before).toordinal()
    if days == 0:
        return list(rules)
    moved = [_moved(part, before, days) for part in rules[0][len(_PREFIX) :].split(";")]
    return None if None in moved else [_PREFIX + ";".join(part for part in moved if part)]


def _day(at: date) -> date:
    return at.date() if isinstance(at, datetime) else at


def _moved(part: str, before: date, days: int) -> str | None:
    name, _, value = part.partition("=")
    after = _day(before) + timedelta(days)
    match name.upper():
        case "FREQ" | "INTERVAL" | "COUNT" | "WKST":
            return part
        case "UNTIL":
            return f"{name}={_later(value, days)}"
        case "BYDAY" if value.upper() == _DAYS[before.weekday()]:
            return f"{name}={_DAYS[after.weekday()]}"
        case "BYMONTHDAY" if value == str(before.day):
            return f"{name}={after.day}"
        case _:
            return None


def _later(until: str, days: int) -> str:
    day = datetime.strptime(until[:8], "%Y%m%d").date()  # noqa: DTZ007 - a day has no zone
    return f"{day + timedelta(days):%Y%m%d}{until[8:]}"
