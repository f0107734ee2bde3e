"""The person's calendar when the demo begins: a few weeks of an ordinary life, dated relative to the demo's clock."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from butler_demo.calendar.server import CalendarServer
from butler_demo.clock import local_zone
from butler_demo.google.call import Json
from butler_demo.people import ANNA, BOB, CAROL, OWNER, Person
from butler_demo.seed_mails import MAILS

_MONDAY, _TUESDAY, _WEDNESDAY, _THURSDAY, _FRIDAY, _SATURDAY, _SUNDAY = range(7)
_FAMILY, _HOST = "Family", "office@millhouse.example"
_WEEK = 7
_WEEKS_PAST = 3
"""For how long what recurs has been going on."""


@dataclass(frozen=True, slots=True)
class _Event:
    """An event on a weekday, of the days that come or so many weeks later. Without `begins` it is of the whole day."""

    title: str
    weekday: int
    begins: time | None = None
    minutes: int = 60
    place: str = ""
    guests: tuple[Person, ...] = ()
    weeks: int = 0
    days: int = 1
    rule: str = ""
    calendar: str = ""


_EVENTS = (
    _Event("Team standup", _MONDAY, time(9, 30), 15, guests=(BOB,), rule="FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"),
    _Event("Choir rehearsal", _WEDNESDAY, time(18, 30), 120, "St Mary's", (CAROL,), rule="FREQ=WEEKLY"),
    _Event("Yoga", _THURSDAY, time(18), 75, "Mill Street studio", rule="FREQ=WEEKLY"),
    _Event("Dentist", _TUESDAY, time(15), 45, "Dr Okafor, 3 Station Road"),
    _Event("Lunch with Bob", _TUESDAY, time(12, 30), 60, "The noodle place", (BOB,)),
    _Event("Dinner with Anna", _FRIDAY, time(19, 30), 150, "Mill Street 14", (ANNA,)),
    _Event("Review of the draft", _FRIDAY, time(10), 60, "Room 5", (BOB,)),
    _Event("Budget meeting", _FRIDAY, time(14), 90, "Room 2", (BOB,)),
    _Event("Call with Anna", _MONDAY, time(17), 30, "", (ANNA,), weeks=1),
    _Event("Quarterly planning", _WEDNESDAY, time(13), 120, "Room 2", (BOB,), weeks=1),
    _Event("Bath", _SATURDAY, days=2, weeks=1),
    _Event("Sunday at Mum's", _SUNDAY, time(15), 180, "Mum's", calendar=_FAMILY),
    _Event("Mum's birthday", _SATURDAY, weeks=2, rule="FREQ=YEARLY", calendar=_FAMILY),
)  # fmt: skip


def fill_calendar(server: CalendarServer, now: datetime) -> None:
    """Put the events into the owner's first calendar and into one of the family's."""
    zone = local_zone()
    family = server.add_calendar(OWNER.email, _FAMILY, zone=zone)
    local = now.astimezone(ZoneInfo(zone))
    for event in _EVENTS:
        calendar = family if event.calendar == _FAMILY else OWNER.email
        server.add_event(calendar, dict(_fields(event, local, zone)))
    server.add_event(OWNER.email, _invitation(now), organizer=_HOST)


def _fields(event: _Event, now: datetime, zone: str) -> Iterator[tuple[str, object]]:
    day = now.date() + timedelta((event.weekday - now.weekday()) % _WEEK + _WEEK * event.weeks)
    if event.rule and event.begins is not None:
        day -= timedelta(_WEEK * _WEEKS_PAST)
    yield "summary", event.title
    if event.begins is None:
        yield "start", {"date": day.isoformat()}
        yield "end", {"date": (day + timedelta(event.days)).isoformat()}
    else:
        start = datetime.combine(day, event.begins)
        yield "start", _moment(start, zone)
        yield "end", _moment(start + timedelta(minutes=event.minutes), zone)
    if event.place:
        yield "location", event.place
    if event.rule:
        yield "recurrence", [f"RRULE:{event.rule}"]
    attendees: list[Json] = [
        {"email": guest.email, "displayName": guest.name, "responseStatus": "accepted"} for guest in event.guests
    ]
    if attendees:
        yield "attendees", attendees


def _invitation(now: datetime) -> dict[str, object]:
    """What a mail of the first minute invites to, in the calendar as Gmail puts it there."""
    invited = next(mail.event for mail in MAILS if mail.event is not None)
    start = (now + timedelta(invited.in_days)).replace(hour=invited.hour, minute=0, second=0, microsecond=0)
    return {
        "summary": invited.summary,
        "location": invited.place,
        "start": _moment(start.replace(tzinfo=None), "UTC"),
        "end": _moment(start.replace(tzinfo=None) + timedelta(minutes=90), "UTC"),
        "attendees": [{"email": OWNER.email, "responseStatus": "needsAction"}],
    }


def _moment(at: datetime, zone: str) -> dict[str, str]:
    return {"dateTime": at.replace(tzinfo=ZoneInfo(zone)).isoformat(), "timeZone": zone}
