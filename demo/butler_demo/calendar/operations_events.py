"""The operations that read or change one event."""

from datetime import timedelta

from dateutil import parser as date_parser

from butler_demo.calendar.book import CalendarBook, StoredEvent
from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.editing import SHARED_FIELDS, checked, new_id, patched, replaced, written
from butler_demo.calendar.times import stamp
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError, invalid_value

_HOUR = timedelta(hours=1)


async def get_event(call: CallContext) -> Json:
    """`events.get`: deleted events, too; 304 where the client has it already."""
    book = call.book()
    event = book.find(call.text("eventId"))
    if call.headers.get("If-None-Match") == book.etag_of(event.revision):
        raise GoogleError(304, "notModified", "Not Modified")
    return call.view(event, book)


async def insert_event(call: CallContext) -> Json:
    """`events.insert`: 409 for an id that is taken, by a deleted event also."""
    book = call.book("writer")
    event_id = new_id(call.body.get("id") or "")
    if book.stored(event_id):
        raise GoogleError(409, "duplicate", "The requested identifier already exists.")
    return call.view(_create(call, book, event_id, written(call.body)), book)


async def import_event(call: CallContext) -> Json:
    """`events.import`: a private copy under its iCalUID; the same again changes it, and nobody is invited."""
    book = call.book("writer")
    uid: str = call.body.get("iCalUID") or ""
    if not uid:
        raise GoogleError(400, "required", "Missing iCalUID.")
    kept = next((event for event in book.events() if event.data.get("iCalUID") == uid and not event.master_id), None)
    organizer: Json = call.body.get("organizer") or _organizer(call, book)
    data = _head(call, book, kept.id if kept else new_id(""), uid) | written(call.body) | {"organizer": organizer}
    return call.view(book.put(checked(data, book.zone_name, kept.data if kept else None), call.now), book)


async def quick_add(call: CallContext) -> Json:
    """`events.quickAdd`: the date and time found in the text, an hour long; the rest is the title."""
    book = call.book("writer")
    local = call.now.astimezone(book.zone).replace(tzinfo=None, minute=0, second=0, microsecond=0) + _HOUR
    try:
        found, rest = date_parser.parse(call.text("text"), default=local, fuzzy_with_tokens=True)
    except (ValueError, OverflowError):
        found, rest = local, (call.text("text"),)
    title = " ".join(" ".join(rest).split()).removesuffix(" on").removesuffix(" at").strip(" ,")
    begins, ends = ({"dateTime": moment.isoformat(), "timeZone": book.zone_name} for moment in (found, found + _HOUR))
    data = {"summary": title or call.text("text"), "start": begins, "end": ends}
    return call.view(_create(call, book, new_id(""), data), book)


async def patch_event(call: CallContext) -> Json:
    """`events.patch`."""
    book = call.book("writer")
    event = book.find(call.text("eventId"))
    return _change(call, book, event, patched(event.data, call.body))


async def update_event(call: CallContext) -> Json:
    """`events.update`: what the body leaves out is gone."""
    book = call.book("writer")
    event = book.find(call.text("eventId"))
    return _change(call, book, event, replaced(event.data, call.body))


async def delete_event(call: CallContext) -> None:
    """`events.delete`: 410 for what is deleted already; a guest declines by deleting their copy."""
    book = call.book("writer")
    event = book.find(call.text("eventId"))
    call.check_match(event, book)
    if event.cancelled:
        raise GoogleError(410, "deleted", "Resource has been deleted")
    if call.guests.is_organizer(book, event.data):
        gone = book.put(event.data | {"status": "cancelled"}, call.now)
        call.guests.share(book, event.data, gone, call.send_updates(), call.now)
    else:
        declined = _answered(event.data, book.owner, "declined")
        book.put(declined | {"status": "cancelled"}, call.now)
        call.guests.respond(book, declined, call.send_updates(), call.now)


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
    call.guests.share(target, event.data, moved, call.send_updates(), call.now)
    return call.view(moved, target)


def _create(call: CallContext, book: CalendarBook, event_id: str, fields: Json) -> StoredEvent:
    data = checked(_head(call, book, event_id, f"{event_id}@google.com") | fields, book.zone_name)
    if data.get("attendees"):
        data["attendees"] = [_as_invited(guest, book.owner) for guest in data["attendees"]]
    event = book.put(data, call.now)
    call.guests.share(book, None, event, call.send_updates(), call.now)
    return event


def _change(call: CallContext, book: CalendarBook, event: StoredEvent, changed: Json) -> Json:
    call.check_match(event, book)
    data = checked(changed, book.zone_name, event.data)
    if call.guests.is_organizer(book, event.data):
        kept = book.put(data, call.now)
        call.guests.share(book, event.data, kept, call.send_updates(), call.now)
    else:
        call.guests.check_guests_change(book, event.data, data, SHARED_FIELDS)
        kept = book.put(data, call.now)
        if _answer_of(data, book.owner) != _answer_of(event.data, book.owner):
            call.guests.respond(book, data, call.send_updates(), call.now)
    return call.view(kept, book)


def _head(call: CallContext, book: CalendarBook, event_id: str, uid: str) -> Json:
    """What every new event has, whatever the client writes."""
    name = call.shelf.name_of(call.address)
    return {
        "id": event_id,
        "status": "confirmed",
        "htmlLink": f"{call.root}calendar/event?eid={event_id}",
        "created": stamp(call.now),
        "creator": {"email": call.address} | ({"displayName": name} if name else {}),
        "organizer": _organizer(call, book),
        "iCalUID": uid,
        "reminders": {"useDefault": True},
        "eventType": "default",
    }


def _organizer(call: CallContext, book: CalendarBook) -> Json:
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
