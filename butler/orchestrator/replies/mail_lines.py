"""Sizes and times of mails as people read them, in the owner's time zone."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from approvals.visible import visible_line
from butler.agents.parser.calendar_words import say_part, say_standing
from butler.contract.mail import InviteFacts
from butler.contract.speech import say, say_clock, say_day, say_many, say_short_day

_THOUSAND = 1_000
_LONGEST_ZONE = 100
"""Most characters of a zone's or somebody's name in a line."""
_UNITS = ("kB", "MB", "GB")


def size(count: int) -> str:
    """Return a size such as `704 bytes`, `24 kB` or `1.5 MB`."""
    if count < _THOUSAND:
        return say_many(count, "1 byte", "{count} bytes")
    value, units = count / _THOUSAND, iter(_UNITS)
    unit = next(units)
    while round(value) >= _THOUSAND and (larger := next(units, None)):
        value, unit = value / _THOUSAND, larger
    return f"{value:.1f} {unit}" if unit != _UNITS[0] and value < 10 else f"{value:.0f} {unit}"  # noqa: PLR2004


def when(at: datetime, now: datetime, zone: ZoneInfo) -> str:
    """Return a time such as `Thu 5 Mar 09:12`, with the year if it is another one."""
    at = at.astimezone(zone)
    year = "" if at.year == now.astimezone(zone).year else f" {at.year}"
    return f"{say_short_day(at)}{year} {say_clock(at)}"


def takes_place(invite: InviteFacts, zone: ZoneInfo) -> str:
    """Return a time such as `Friday 4 December 2026, 17:00 to 19:00`; empty if the invitation has none.

    A time in an unknown zone says so. The end of whole days is the day after the last.
    """
    text = _times(invite, zone)
    if not text or not invite.unknown_zone:
        return text
    # A stranger's words in a sentence of ours.
    called = visible_line(invite.unknown_zone[:_LONGEST_ZONE])
    return say("{time}, in a time zone that I do not know (“{zone}”)", time=text, zone=called)


def what_it_is(invite: InviteFacts) -> str:
    """Return what to know of an event before its time: cancelled, only an answer, or a part of a series."""
    first = next(iter(invite.attendees), None)
    by = visible_line((first.name or first.address)[:_LONGEST_ZONE]) if first is not None else ""
    standing = say_standing(invite.standing, answer=invite.answer, by=by)
    part = say_part(one=bool(invite.recurrence_id), following=invite.following)
    return " · ".join(filter(None, (standing, part)))


def _times(invite: InviteFacts, zone: ZoneInfo) -> str:
    first, end = _moment(invite.starts, zone), _moment(invite.ends, zone)
    if isinstance(first, datetime):
        start = f"{say_day(first)}, {say_clock(first)}"
        if not isinstance(end, datetime) or end == first:
            return start
        last = say_clock(end) if end.date() == first.date() else f"{say_day(end)}, {say_clock(end)}"
        return say("{start} to {end}", start=start, end=last)
    if first is None:
        return ""
    last = end - timedelta(days=1) if end is not None and not isinstance(end, datetime) else first
    if last <= first:
        return say("{day}, all day", day=say_day(first))
    return say("{first} to {last}, all day", first=say_day(first), last=say_day(last))


def _moment(text: str, zone: ZoneInfo) -> date | None:
    """Parse a day, or a time, which is converted to the owner's zone."""
    try:
        if len(text) == len("2026-12-04"):
            return date.fromisoformat(text)
        at = datetime.fromisoformat(text)
        return at.astimezone(zone).replace(tzinfo=None) if at.tzinfo else at
    except (ValueError, OverflowError):
        return None
