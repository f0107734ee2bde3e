"""The operations that list: events whole and since a sync token, the occurrences of one series, and who is busy."""

from datetime import UTC, datetime

from butler_demo.calendar.book import CalendarBook, StoredEvent, not_here
from butler_demo.calendar.call_context import CallContext
from butler_demo.calendar.selection import EventFilter, changed, listed, occurrences_of
from butler_demo.calendar.times import moment_of, rfc3339, stamp
from butler_demo.calendar.views import events_head
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError, invalid_value

_LARGEST_PAGE = 2500
_USUAL_PAGE = 250
_NOT_WITH_TOKEN = (
    "iCalUID",
    "orderBy",
    "privateExtendedProperty",
    "q",
    "sharedExtendedProperty",
    "timeMin",
    "timeMax",
    "updatedMin",
)
_NO_TOKEN_AFTER = frozenset(_NOT_WITH_TOKEN) - {"timeMin", "timeMax"}


async def list_events(call: CallContext) -> Json:
    """`events.list`: the last page has the token from which the next list tells only what changed."""
    book = call.book()
    refusal = invalid_value("pageToken", "Invalid page token value.")
    revision = call.mark(book.revision, refusal)
    if token := call.text("syncToken"):
        _check_beside_token(call)
        since, wanted = call.tokens.read(token, book, call.now)
        events = changed(book, wanted, since, call.now)
    else:
        wanted = _filter(call)
        events = _ordered(call, book, listed(book, wanted, call.now))
    page, more = call.page(events, _size(call), refusal, revision)
    if not more and not any(call.parameters.get(name) for name in _NO_TOKEN_AFTER):
        more = {"nextSyncToken": call.tokens.issue(book, revision, wanted, call.now)}
    return _head(call, book) | more | {"items": [call.view(event, book) for event in page]}


async def list_instances(call: CallContext) -> Json:
    """`events.instances`."""
    book = call.book()
    master = book.stored(call.text("eventId"))
    if master is None or not master.recurring:
        raise not_here()
    after, before = _times(call)
    wanted = EventFilter(single=True, deleted=call.flag("showDeleted"), after=after, before=before)
    original = call.text("originalStart")
    events = [
        event
        for event in occurrences_of(book, master, wanted, call.now)
        if (wanted.deleted or not event.cancelled) and (not original or _starts(event, book, original))
    ]
    events.sort(key=lambda event: moment_of(event.data["originalStartTime"], book.zone))
    page, more = call.page(events, _size(call), invalid_value("pageToken", "Invalid page token value."))
    return _head(call, book) | more | {"items": [call.view(event, book) for event in page]}


async def query_free_busy(call: CallContext) -> Json:
    """`freebusy.query`: overlapping times are one; what is declined, deleted or marked as free is not there."""
    after, before = (_required_moment(call.body, name) for name in ("timeMin", "timeMax"))
    if before <= after:
        raise _empty_range("timeMax")
    calendars: Json = {}
    items: list[Json] = call.body.get("items") or []
    for item in items:
        calendars[item["id"]] = _busy(call, item["id"], after, before)
    times = {"timeMin": rfc3339(after.astimezone(UTC)), "timeMax": rfc3339(before.astimezone(UTC))}
    return {"kind": "calendar#freeBusy"} | times | {"calendars": calendars}


def _filter(call: CallContext) -> EventFilter:
    after, before = _times(call)
    return EventFilter(
        single=call.flag("singleEvents"),
        deleted=call.flag("showDeleted"),
        words=call.text("q"),
        ical_uid=call.text("iCalUID"),
        updated_since=call.moment("updatedMin"),
        private_properties=call.texts("privateExtendedProperty"),
        shared_properties=call.texts("sharedExtendedProperty"),
        types=call.texts("eventTypes"),
        after=after,
        before=before,
    )


def _times(call: CallContext) -> tuple[datetime | None, datetime | None]:
    after, before = call.moment("timeMin"), call.moment("timeMax")
    if after and before and before <= after:
        raise _empty_range("timeMax")
    return after, before


def _empty_range(name: str) -> GoogleError:
    location = {"locationType": "parameter", "location": name}
    return GoogleError(
        400, "timeRangeEmpty", "The specified time range is empty.", location=location, domain="calendar"
    )


def _check_beside_token(call: CallContext) -> None:
    for name in _NOT_WITH_TOKEN:
        if call.parameters.get(name):
            raise invalid_value("syncToken", f"Sync token cannot be combined with other query restrictions: {name}")
    if call.parameters.get("showDeleted") is False:
        raise invalid_value("showDeleted", "Sync token cannot be combined with showDeleted=false")


def _ordered(call: CallContext, book: CalendarBook, events: list[StoredEvent]) -> list[StoredEvent]:
    match call.text("orderBy"):
        case "startTime":
            if not call.flag("singleEvents"):
                message = "The requested ordering is not available for the particular query."
                raise invalid_value("orderBy", message)
            return sorted(events, key=lambda event: moment_of(event.data["start"], book.zone))
        case "updated":
            return sorted(events, key=lambda event: event.data["updated"])
        case _:
            return events


def _head(call: CallContext, book: CalendarBook) -> Json:
    updated = max((event.data["updated"] for event in book.events()), default=stamp(call.now))
    return events_head(book, call.address, call.zone(), updated)


def _size(call: CallContext) -> int:
    return min(call.number("maxResults", _USUAL_PAGE), _LARGEST_PAGE)


def _starts(event: StoredEvent, book: CalendarBook, original: str) -> bool:
    begins = event.data["originalStartTime"]
    if "date" in begins or "T" not in original:
        return begins.get("date") == original
    return moment_of(begins, book.zone) == datetime.fromisoformat(original)


def _required_moment(body: Json, name: str) -> datetime:
    text = str(body.get(name) or "")
    moment = datetime.fromisoformat(text) if text else None
    if moment is None or moment.tzinfo is None:
        raise GoogleError(400, "required", f"Missing or invalid {name}.")
    return moment


def _busy(call: CallContext, calendar_id: str, after: datetime, before: datetime) -> Json:
    book = call.shelf.primary(call.address) if calendar_id == "primary" else call.shelf.book(calendar_id)
    if book is None or call.address not in book.roles:
        return {"busy": [], "errors": [{"domain": "global", "reason": "notFound"}]}
    times: list[tuple[datetime, datetime]] = []
    for event in listed(book, EventFilter(single=True, after=after, before=before), call.now):
        if _blocks(event, book.owner):
            begins, ends = (moment_of(event.data[name], book.zone).astimezone(UTC) for name in ("start", "end"))
            times.append((max(begins, after), min(ends, before)))
    merged: list[tuple[datetime, datetime]] = []
    for begins, ends in sorted(times):
        if merged and begins <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(ends, merged[-1][1]))
        else:
            merged.append((begins, ends))
    shown = [{"start": rfc3339(b.astimezone(UTC)), "end": rfc3339(e.astimezone(UTC))} for b, e in merged]
    return {"busy": shown}


def _blocks(event: StoredEvent, owner: str) -> bool:
    mine = [guest["responseStatus"] for guest in event.data.get("attendees", []) if guest["email"] == owner]
    return event.data.get("transparency") != "transparent" and "declined" not in mine
