"""Sizes and times of mails as a person reads them, in their own zone."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.mail import InviteFacts

_THOUSAND = 1_000
_UNITS = ("kB", "MB", "GB")


def size(count: int) -> str:
    """Such as `704 bytes`, `24 kB` or `1.5 MB`."""
    if count < _THOUSAND:
        return "1 byte" if count == 1 else f"{count} bytes"
    value, units = count / _THOUSAND, iter(_UNITS)
    unit = next(units)
    while round(value) >= _THOUSAND and (larger := next(units, None)):
        value, unit = value / _THOUSAND, larger
    return f"{value:.1f} {unit}" if unit != _UNITS[0] and value < 10 else f"{value:.0f} {unit}"  # noqa: PLR2004


def when(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Such as `Thu 5 Mar 09:12`, with the year where it is another one."""
    at = at.astimezone(zone)
    year = "" if at.year == now.astimezone(zone).year else f" {at.year}"
    return f"{at:%a} {at.day} {at:%b}{year} {at:%H:%M}"


def takes_place(invite: InviteFacts, zone: ZoneInfo) -> str:
    """Such as `Friday 4 December 2026, 17:00 to 19:00`; empty where the invitation does not say.

    A time without an offset is one wherever somebody is. The end of whole days is the day after the last.
    """
    first, end = _moment(invite.starts, zone), _moment(invite.ends, zone)
    if isinstance(first, datetime):
        said = f"{_day(first)}, {first:%H:%M}"
        if not isinstance(end, datetime) or end == first:
            return said
        return f"{said} to {end:%H:%M}" if end.date() == first.date() else f"{said} to {_day(end)}, {end:%H:%M}"
    if first is None:
        return ""
    last = end - timedelta(days=1) if end is not None and not isinstance(end, datetime) else first
    return f"{_day(first)}, all day" if last <= first else f"{_day(first)} to {_day(last)}, all day"


def _moment(text: str, zone: ZoneInfo) -> date | None:
    """A day, or a time by the person's clock."""
    try:
        if len(text) == len("2026-12-04"):
            return date.fromisoformat(text)
        at = datetime.fromisoformat(text)
        return at.astimezone(zone).replace(tzinfo=None) if at.tzinfo else at
    except (ValueError, OverflowError):
        return None


def _day(at: date) -> str:
    return f"{at:%A} {at.day} {at:%B %Y}"
