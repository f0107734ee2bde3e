"""Moves a series' rule (RFC 5545) when the series moves to another time."""

from collections.abc import Sequence
from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

from modules.calendar.times import moment_of

_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_PREFIX = "RRULE:"
_ANY_DAY = frozenset({"FREQ", "INTERVAL", "COUNT", "WKST"})
_CLOCK = frozenset({"BYHOUR", "BYMINUTE", "BYSECOND"})
_LAST_COMMON_DAY = 28
"""The last day that every month has."""
_AT, _UTC = "%Y%m%dT%H%M%S", "Z"


def moved_rules(rules: Sequence[str], before: date, after: date) -> list[str] | None:
    """Return the rules of a series whose first event moves from `before` to `after`; None if that is not simple.

    The UNTIL moves along, and so does a single day of the week or of the month on which it recurs. Several days, days
    that some months lack, and dates that are listed one by one, are left to the owner.
    """
    if before == after or not rules:
        return list(rules)
    if len(rules) != 1 or not rules[0].upper().startswith(_PREFIX):
        return None
    parts = [part.partition("=")[::2] for part in rules[0][len(_PREFIX) :].split(";") if part]
    every = {name.upper(): value.upper() for name, value in parts}
    if _day(before) != _day(after) and not _on_the_same_days(every, _day(before), _day(after)):
        return None
    try:
        moved = [(name, _moved(name.upper(), value, before, after)) for name, value in parts]
    except (ValueError, OverflowError):
        # UNTIL is no date, or out of a calendar's range.
        return None
    if any(value is None for _, value in moved):
        return None
    return [_PREFIX + ";".join(f"{name}={value}" for name, value in moved)]


def _day(at: date) -> date:
    return at.date() if isinstance(at, datetime) else at


def _on_the_same_days(every: dict[str, str], before: date, after: date) -> bool:
    """Return whether every event moves by as many days as the first, and none drops out."""
    freq = every.get("FREQ", "")
    if freq == "YEARLY" and "BYMONTHDAY" not in every:
        return (2, 29) not in {(one.month, one.day) for one in (before, after)} and "BYDAY" not in every
    if freq == "MONTHLY" or "BYMONTHDAY" in every:
        in_a_month = (before.year, before.month) == (after.year, after.month)
        return in_a_month and max(before.day, after.day) <= _LAST_COMMON_DAY and "BYDAY" not in every
    return True


def _moved(name: str, value: str, before: date, after: date) -> str | None:
    """Return a part of the rule after the move; None if it cannot move."""
    if name == "UNTIL":
        return _until(value, before, after)
    if name in _ANY_DAY or (name not in _CLOCK and _day(before) == _day(after)):
        return value
    days = {"BYDAY": (_DAYS[before.weekday()], _DAYS[after.weekday()]), "BYMONTHDAY": (str(before.day), str(after.day))}
    was, is_to_be = days.get(name, ("", ""))
    return is_to_be if was and value.upper() == was else None


def _until(value: str, before: date, after: date) -> str:
    """Return UNTIL, moved by the wall clock like the series. Raise `ValueError` and `OverflowError`."""
    if "T" not in value or not isinstance(before, datetime) or not isinstance(after, datetime):
        day = datetime.strptime(value[:8], "%Y%m%d").date()  # noqa: DTZ007 - a day has no zone
        return f"{day + (_day(after) - _day(before)):%Y%m%d}{value[8:]}"
    last = datetime.strptime(value.removesuffix(_UTC), _AT)  # noqa: DTZ007 - in UTC, or by the clock on the wall
    further = after.replace(tzinfo=None) - before.replace(tzinfo=None)
    zone = before.tzinfo
    if not value.endswith(_UTC) or not isinstance(zone, ZoneInfo):
        return f"{last + further:{_AT}}"
    wall = last.replace(tzinfo=UTC).astimezone(zone).replace(tzinfo=None) + further
    return f"{moment_of(wall, zone).astimezone(UTC):{_AT}}{_UTC}"
