"""The person's calendar when the demo begins: a few weeks of an ordinary life, dated relative to the demo's clock."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from butler_demo.calendar.server import CalendarServer
from butler_demo.clock import local_zone
from butler_demo.people import OWNER
from butler_demo.seed_content import PEOPLE, Row, rows

_FAMILY, _HOST = "Family", "office@millhouse.example"
_WEEKS_PAST = 3
"""For how long what recurs has been going on."""


def fill_calendar(server: CalendarServer, now: datetime) -> None:
    """Put the events into the owner's first calendar and into one of the family's."""
    zone = local_zone()
    family = server.add_calendar(OWNER.email, _FAMILY, zone=zone)
    local = now.astimezone(ZoneInfo(zone))
    for event in rows("events"):
        calendar = family if event.get("calendar") == _FAMILY else OWNER.email
        server.add_event(calendar, dict(_fields(event, local, zone)))
    server.add_event(OWNER.email, _invitation(now), organizer=_HOST)


def start_of(event: Row, now: datetime) -> datetime:
    """Return when an event begins that a mail invites to: so many days from now, at an hour of UTC."""
    return (now + timedelta(days=event["in_days"])).replace(hour=event["hour"], minute=0, second=0, microsecond=0)


def _fields(event: Row, now: datetime, zone: str) -> Iterator[tuple[str, object]]:
    """An event on a weekday (0 is Monday), of the days that come or so many weeks later, or of whole days."""
    day = now.date() + timedelta((event["weekday"] - now.weekday()) % 7, weeks=event.get("weeks", 0))
    if "rule" in event and "begins" in event:
        day -= timedelta(weeks=_WEEKS_PAST)
    yield "summary", event["title"]
    if "begins" in event:
        start = datetime.combine(day, event["begins"])
        yield "start", _moment(start, zone)
        yield "end", _moment(start + timedelta(minutes=event.get("minutes", 60)), zone)
    else:
        yield "start", {"date": day.isoformat()}
        yield "end", {"date": (day + timedelta(event.get("days", 1))).isoformat()}
    if "place" in event:
        yield "location", event["place"]
    if "rule" in event:
        yield "recurrence", [f"RRULE:{event['rule']}"]
    if guests := [PEOPLE[name] for name in event.get("guests", ())]:
        yield "attendees", [{"email": g.email, "displayName": g.name, "responseStatus": "accepted"} for g in guests]


def _invitation(now: datetime) -> dict[str, object]:
    """What a mail of the first minute invites to, in the calendar as Gmail puts it there."""
    invited = next(mail["event"] for mail in rows("mails") if "event" in mail)
    start = start_of(invited, now).replace(tzinfo=None)
    return {
        "summary": invited["summary"],
        "location": invited["place"],
        "start": _moment(start, "UTC"),
        "end": _moment(start + timedelta(minutes=90), "UTC"),
        "attendees": [{"email": OWNER.email, "responseStatus": "needsAction"}],
    }


def _moment(at: datetime, zone: str) -> dict[str, str]:
    return {"dateTime": at.replace(tzinfo=ZoneInfo(zone)).isoformat(), "timeZone": zone}
