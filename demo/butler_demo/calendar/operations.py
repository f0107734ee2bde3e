"""The table of what the Calendar stand-in can do, and the operations that list and watch."""

from collections.abc import Mapping
from datetime import datetime

from butler_demo.calendar import operations_events as events
from butler_demo.calendar.calendar_events import CalendarEvents, StoredEvent
from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.selection import EventFilter, changed, listed
from butler_demo.calendar.times import moment_of, stamp
from butler_demo.calendar.views import event_view, events_head, list_entry_view
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError, invalid_value, not_in_stand_in
from butler_demo.google.service import Served, served

_LARGEST_PAGE = 2500
_USUAL_PAGE = 250
_NOT_WITH_TOKEN = ("orderBy", "q", "timeMin", "timeMax", "updatedMin")
_NO_TOKEN_AFTER = ("orderBy", "q", "updatedMin")


async def list_calendars(call: CallContext) -> Json:
    """`calendarList.list`."""
    books = call.shelf.seen_by(call.address)
    page, more = call.page(books, call.number("maxResults", 100), invalid_value("pageToken"))
    return {"kind": "calendar#calendarList"} | more | {"items": [list_entry_view(book, call.address) for book in page]}


async def list_events(call: CallContext) -> Json:
    """`events.list`: the last page has the token from which the next list tells only what changed."""
    book = call.book()
    refusal = invalid_value("pageToken", "Invalid page token value.")
    revision = call.mark(book.revision, refusal)
    if token := call.text("syncToken"):
        _check_beside_token(call)
        since, wanted = call.tokens.read(token, book, call.now)
        found = changed(book, wanted, since, call.now)
    else:
        wanted = _filter(call)
        found = _ordered(call, book, listed(book, wanted, call.now))
    page, more = call.page(found, min(call.number("maxResults", _USUAL_PAGE), _LARGEST_PAGE), refusal, revision)
    if not more and not any(call.parameters.get(name) for name in _NO_TOKEN_AFTER):
        more = {"nextSyncToken": call.tokens.issue(book, revision, wanted, call.now)}
    updated = max((event.data["updated"] for event in book.events()), default=stamp(call.now))
    return events_head(book, call.address, updated) | more | {"items": [event_view(event, book) for event in page]}


async def watch_events(call: CallContext) -> Json:
    """`events.watch`."""
    book = call.book()
    uri = f"{call.root}calendar/v3/calendars/{book.id}/events?alt=json"
    return call.channels.watch(call.body, book.id, uri, call.now)


async def stop_channel(call: CallContext) -> None:
    """`channels.stop`."""
    call.channels.stop(call.body)


def _filter(call: CallContext) -> EventFilter:
    after, before = call.moment("timeMin"), call.moment("timeMax")
    if after and before and before <= after:
        location = {"locationType": "parameter", "location": "timeMax"}
        message = "The specified time range is empty."
        raise GoogleError(400, "timeRangeEmpty", message, location=location, domain="calendar")
    return EventFilter(
        single=call.flag("singleEvents"),
        deleted=call.flag("showDeleted"),
        words=call.text("q"),
        updated_since=call.moment("updatedMin"),
        after=after,
        before=before,
    )


def _check_beside_token(call: CallContext) -> None:
    for name in _NOT_WITH_TOKEN:
        if call.parameters.get(name):
            raise invalid_value("syncToken", f"Sync token cannot be combined with other query restrictions: {name}")
    if call.parameters.get("showDeleted") is False:
        raise invalid_value("showDeleted", "Sync token cannot be combined with showDeleted=false")


def _ordered(call: CallContext, book: CalendarEvents, found: list[StoredEvent]) -> list[StoredEvent]:
    match call.text("orderBy"), call.flag("singleEvents"):
        case "", _:
            return found
        case "startTime", True:
            return sorted(found, key=lambda event: _begins(event, book))
        case "startTime", False:
            raise invalid_value("orderBy", "The requested ordering is not available for the particular query.")
        case other, _:
            raise not_in_stand_in(f"the order {other}")


def _begins(event: StoredEvent, book: CalendarEvents) -> datetime:
    return moment_of(event.data["start"], book.zone)


_FILTERS = "singleEvents showDeleted timeMin timeMax updatedMin q orderBy syncToken"
OPERATIONS: Mapping[str, Served] = {
    "calendar.calendarList.list": served(list_calendars, "maxResults pageToken showHidden"),
    "calendar.events.list": served(list_events, f"calendarId maxResults pageToken {_FILTERS}"),
    "calendar.events.get": served(events.get_event, "calendarId eventId"),
    "calendar.events.insert": served(events.insert_event, "calendarId sendUpdates"),
    "calendar.events.patch": served(events.patch_event, "calendarId eventId sendUpdates"),
    "calendar.events.delete": served(events.delete_event, "calendarId eventId sendUpdates"),
    "calendar.events.move": served(events.move_event, "calendarId eventId destination sendUpdates"),
    "calendar.events.watch": served(watch_events, "calendarId"),
    "calendar.channels.stop": served(stop_channel),
}
