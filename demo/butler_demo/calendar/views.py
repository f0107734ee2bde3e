"""Calendars and events in the JSON shapes of the API, as the asking account sees them."""

from datetime import tzinfo

from butler_demo.calendar.book import CalendarBook, StoredEvent
from butler_demo.calendar.times import shown_time
from butler_demo.google.call import Json

_TIMES = ("start", "end", "originalStartTime")
_BUSY_FIELDS = ("id", "status", "start", "end", "recurringEventId", "originalStartTime", "iCalUID", "updated")
_DEFAULT_REMINDERS = [{"method": "popup", "minutes": 10}]


def event_view(event: StoredEvent, book: CalendarBook, address: str, zone: tzinfo | None = None) -> Json:
    """Return an event for the account, with its times in `zone`, else in the calendar's."""
    data: Json = dict(event.data)
    if book.roles.get(address) == "freeBusyReader":
        data = {name: data[name] for name in _BUSY_FIELDS if name in data}
        data["visibility"] = "private"
    if event.cancelled and event.master_id:
        data = {name: data[name] for name in ("id", "status", "recurringEventId", "originalStartTime")}
    for name in _TIMES:
        if name in data:
            data[name] = shown_time(data[name], zone or book.zone)
    for name in ("creator", "organizer"):
        if name in data:
            # It is the calendar that organizes, which is the account only where it is the first one.
            data[name] = _with_self(data[name], book.id)
    if data.get("attendees"):
        organizer = data.get("organizer", {}).get("email")
        guests = [_with_self(guest, book.owner) for guest in data["attendees"]]
        data["attendees"] = [guest | ({"organizer": True} if guest["email"] == organizer else {}) for guest in guests]
    return {"kind": "calendar#event", "etag": book.etag_of(event.revision)} | data


def calendar_view(book: CalendarBook) -> Json:
    """Return the calendar itself."""
    view = {"kind": "calendar#calendar", "etag": book.etag, "id": book.id, "summary": book.summary}
    return view | {"timeZone": book.zone_name} | ({"description": book.description} if book.description else {})


def list_entry_view(book: CalendarBook, address: str) -> Json:
    """Return the calendar as an entry of the account's list."""
    entry = calendar_view(book) | {
        "kind": "calendar#calendarListEntry",
        "accessRole": book.roles[address],
        "selected": book.selected,
        "colorId": "14",
        "backgroundColor": "#9fe1e7",
        "foregroundColor": "#000000",
        "defaultReminders": _DEFAULT_REMINDERS if book.primary and book.owner == address else [],
    }
    return entry | ({"primary": True} if book.primary and book.owner == address else {})


def events_head(book: CalendarBook, address: str, zone: tzinfo | None, updated: str) -> Json:
    """Return what stands around a list of events."""
    return {
        "kind": "calendar#events",
        "etag": book.etag,
        "summary": book.summary,
        "updated": updated,
        "timeZone": str(zone or book.zone),
        "accessRole": book.roles[address],
        "defaultReminders": _DEFAULT_REMINDERS if book.primary and book.owner == address else [],
    }


def _with_self(person: Json, owner: str) -> Json:
    return person | ({"self": True} if person.get("email") == owner else {})
