"""Calendars and events in the JSON shapes of the API, as the asking account sees them."""

from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent
from butler_demo.calendar.times import shown_time
from butler_demo.google.call import Json

_TIMES = ("start", "end", "originalStartTime")
_DEFAULT_REMINDERS = [{"method": "popup", "minutes": 10}]


def event_view(event: StoredEvent, book: CalendarEvents) -> Json:
    """Return an event, with its times in the calendar's zone."""
    data: Json = dict(event.data)
    if event.cancelled and event.master_id:
        data = {name: data[name] for name in ("id", "status", "recurringEventId", "originalStartTime")}
    for name in _TIMES:
        if name in data:
            data[name] = shown_time(data[name], book.zone)
    for name in ("creator", "organizer"):
        if name in data:
            # It is the calendar that organizes, which is the account only where it is the first one.
            data[name] = _with_self(data[name], book.id)
    if data.get("attendees"):
        organizer = data.get("organizer", {}).get("email")
        guests = [_with_self(guest, book.owner) for guest in data["attendees"]]
        data["attendees"] = [guest | ({"organizer": True} if guest["email"] == organizer else {}) for guest in guests]
    return {"kind": "calendar#event", "etag": book.etag_of(event.revision)} | data


def list_entry_view(book: CalendarEvents, address: str) -> Json:
    """Return the calendar as an entry of the account's list."""
    entry: Json = {
        "kind": "calendar#calendarListEntry",
        "etag": book.etag,
        "id": book.id,
        "summary": book.summary,
        "timeZone": book.zone_name,
        "accessRole": book.roles[address],
        "selected": book.selected,
        "defaultReminders": _DEFAULT_REMINDERS if book.primary and book.owner == address else [],
    }
    return entry | ({"primary": True} if book.primary and book.owner == address else {})


def events_head(book: CalendarEvents, address: str, updated: str) -> Json:
    """Return what stands around a list of events."""
    return {
        "kind": "calendar#events",
        "etag": book.etag,
        "summary": book.summary,
        "updated": updated,
        "timeZone": book.zone_name,
        "accessRole": book.roles[address],
        "defaultReminders": _DEFAULT_REMINDERS if book.primary and book.owner == address else [],
    }


def _with_self(person: Json, owner: str) -> Json:
    return person | ({"self": True} if person.get("email") == owner else {})
