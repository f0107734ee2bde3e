"""The operations that read or change one event."""

from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent
from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.editing import SHARED_FIELDS, checked, new_id, patched, written
from butler_demo.calendar.times import stamp
from butler_demo.calendar.views import event_view
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError, invalid_value


async def get_event(call: CallContext) -> Json:
    """`events.get`: deleted events, too."""
    book = call.book()
    return event_view(book.find(call.text("eventId")), book)


async def insert_event(call: CallContext) -> Json:
    """`events.insert`: 409 for an id that is taken, by a deleted event also."""
    book = call.book("writer")
    event_id = new_id(call.body.get("id") or "")
    if book.stored(event_id):
        raise GoogleError(409, "duplicate", "The requested identifier already exists.")
    return event_view(_create(call, book, event_id, written(call.body)), book)


async def patch_event(call: CallContext) -> Json:
    """`events.patch`."""
    book = call.book("writer")
    event = book.find(call.text("eventId"))
    return _change(call, book, event, patched(event.data, call.body))


async def delete_event(call: CallContext) -> None:
    """`events.delete`: 410 for what is deleted already; a guest declines by deleting their copy."""
    book = call.book("writer")
    event = book.find(call.text("eventId"))
    call.check_match(event, book)
    if event.cancelled:
        raise GoogleError(410, "deleted", "Resource has been deleted")
    if call.guests.is_organizer(book, event.data):
        gone = book.put(event.data | {"status": "cancelled"}, call.now)
        call.guests.share(book, event.data, gone, call.now, tells=call.tells())
    else:
        declined = _answered(event.data, book.owner, "declined")
        book.put(declined | {"status": "cancelled"}, call.now)
        call.guests.respond(book, declined, call.now, tells=call.tells())


async def move_event(call: CallContext) -> Json:
    """`events.move`: to another calendar of the organizer's; a deleted event stays behind."""
    book, target = call.book("writer"), call.book("writer", "destination")
    event = book.find(call.text("eventId"))
    if event.master_id or event.cancelled:
        raise invalid_value("eventId", "Only whole events that are not deleted can be moved.")
    if not call.guests.is_organizer(book, event.data):
        raise GoogleError(403, "forbiddenForNonOrganizer", "Only the organizer can move an event.", domain="calendar")
    held = target.stored(event.id)
    if held and not held.cancelled:
        raise GoogleError(409, "duplicate", "The requested identifier already exists.")
    moved = target.put(event.data | {"organizer": _organizer(call, target)}, call.now)
    for exception in book.exceptions(event.id).values():
        target.put(exception.data | {"organizer": _organizer(call, target)}, call.now)
    book.put(event.data | {"status": "cancelled"}, call.now)
    call.guests.share(target, event.data, moved, call.now, tells=call.tells())
    return event_view(moved, target)


def _create(call: CallContext, book: CalendarEvents, event_id: str, fields: Json) -> StoredEvent:
    data = checked(_head(call, book, event_id) | fields, book.zone_name)
    if data.get("attendees"):
        data["attendees"] = [_as_invited(guest, book.owner) for guest in data["attendees"]]
    event = book.put(data, call.now)
    call.guests.share(book, None, event, call.now, tells=call.tells())
    return event


def _change(call: CallContext, book: CalendarEvents, event: StoredEvent, changed: Json) -> Json:
    call.check_match(event, book)
    data = checked(changed, book.zone_name, event.data)
    if call.guests.is_organizer(book, event.data):
        kept = book.put(data, call.now)
        call.guests.share(book, event.data, kept, call.now, tells=call.tells())
    else:
        call.guests.check_guests_change(book, event.data, data, SHARED_FIELDS)
        kept = book.put(data, call.now)
        if _answer_of(data, book.owner) != _answer_of(event.data, book.owner):
            call.guests.respond(book, data, call.now, tells=call.tells())
    return event_view(kept, book)


def _head(call: CallContext, book: CalendarEvents, event_id: str) -> Json:
    """What every new event has, whatever the client writes."""
    name = call.shelf.name_of(call.address)
    return {
        "id": event_id,
        "status": "confirmed",
        "htmlLink": f"{call.root}calendar/event?eid={event_id}",
        "created": stamp(call.now),
        "creator": {"email": call.address} | ({"displayName": name} if name else {}),
        "organizer": _organizer(call, book),
        "iCalUID": f"{event_id}@google.com",
        "reminders": {"useDefault": True},
        "eventType": "default",
    }


def _organizer(call: CallContext, book: CalendarEvents) -> Json:
    name = call.shelf.name_of(book.id) or book.summary
    return {"email": book.id, "displayName": name}


def _as_invited(guest: Json, owner: str) -> Json:
    """A new guest has not answered yet, whatever the organizer writes; the organizer comes."""
    return guest | {"responseStatus": "accepted" if guest["email"] == owner else "needsAction"}


def _answer_of(data: Json, address: str) -> tuple[str, str] | None:
    mine = next((guest for guest in data.get("attendees", []) if guest["email"] == address), None)
    return (mine["responseStatus"], mine.get("comment", "")) if mine else None


def _answered(data: Json, address: str, answer: str) -> Json:
    guests = data.get("attendees", [])
    return data | {"attendees": [g | ({"responseStatus": answer} if g["email"] == address else {}) for g in guests]}
