"""The table of what the Calendar stand-in can do, and the operations on calendars and channels."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from butler_demo.calendar import operations_events as events
from butler_demo.calendar import operations_lists as lists
from butler_demo.calendar.book import ROLES
from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.views import calendar_view, list_entry_view
from butler_demo.google.call import Answer, Json
from butler_demo.google.errors import GoogleError, invalid_value

OperationHandler: TypeAlias = Callable[[CallContext], Awaitable[Answer]]


async def list_calendars(call: CallContext) -> Json:
    """`calendarList.list`."""
    since = 0
    if token := call.text("syncToken"):
        if call.text("minAccessRole"):
            raise invalid_value(
                "syncToken", "Sync token cannot be combined with other query restrictions: minAccessRole"
            )
        since = call.tokens.read_for_list(token, call.address, call.now)
    least = ROLES.index(call.text("minAccessRole") or "freeBusyReader")
    books = [
        book
        for book in call.shelf.seen_by(call.address)
        if ROLES.index(book.roles[call.address]) >= least and book.listed_at > since
    ]
    page, more = call.page(books, call.number("maxResults", 100), invalid_value("pageToken"))
    if not more and not call.text("minAccessRole"):
        more = {"nextSyncToken": call.tokens.issue_for_list(call.address, call.shelf.revision, call.now)}
    etag = f'"p{call.shelf.revision:015d}"'
    items = [list_entry_view(book, call.address) for book in page]
    return {"kind": "calendar#calendarList", "etag": etag} | more | {"items": items}


async def get_list_entry(call: CallContext) -> Json:
    """`calendarList.get`."""
    return list_entry_view(call.book(), call.address)


async def get_calendar(call: CallContext) -> Json:
    """`calendars.get`."""
    return calendar_view(call.book())


async def insert_calendar(call: CallContext) -> Json:
    """`calendars.insert`."""
    summary: str = call.body.get("summary") or ""
    if not summary:
        raise GoogleError(400, "required", "Missing title.")
    book = call.shelf.add(call.address, summary, call.body.get("timeZone") or "")
    book.description = call.body.get("description") or ""
    return calendar_view(book)


async def watch_events(call: CallContext) -> Json:
    """`events.watch`."""
    book = call.book("reader")
    uri = f"{call.root}calendar/v3/calendars/{book.id}/events?alt=json"
    return call.channels.watch(call.body, book.id, uri, call.now)


async def stop_channel(call: CallContext) -> None:
    """`channels.stop`."""
    call.channels.stop(call.body)


OPERATIONS: Mapping[str, OperationHandler] = {
    "calendar.calendarList.list": list_calendars,
    "calendar.calendarList.get": get_list_entry,
    "calendar.calendars.get": get_calendar,
    "calendar.calendars.insert": insert_calendar,
    "calendar.events.list": lists.list_events,
    "calendar.events.instances": lists.list_instances,
    "calendar.events.get": events.get_event,
    "calendar.events.insert": events.insert_event,
    "calendar.events.import": events.import_event,
    "calendar.events.quickAdd": events.quick_add,
    "calendar.events.patch": events.patch_event,
    "calendar.events.update": events.update_event,
    "calendar.events.delete": events.delete_event,
    "calendar.events.move": events.move_event,
    "calendar.events.watch": watch_events,
    "calendar.channels.stop": stop_channel,
    "calendar.freebusy.query": lists.query_free_busy,
}
