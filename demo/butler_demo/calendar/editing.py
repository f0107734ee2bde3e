"""From what a client writes to an event as it is kept: which fields are its own to write, and what they must hold."""

import re
import secrets

from butler_demo.calendar.recurrence import check_recurrence
from butler_demo.calendar.times import canonical_time, is_all_day, moment_of, zone_named
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError, not_in_stand_in

SHARED_FIELDS = frozenset(
    {
        "summary",
        "description",
        "location",
        "start",
        "end",
        "recurrence",
        "attendees",
        "status",
        "guestsCanInviteOthers",
        "guestsCanModify",
        "guestsCanSeeOtherGuests",
        "sequence",
    }
)
"""What every guest sees the same; only the organizer changes it."""
PRIVATE_FIELDS = frozenset({"transparency", "visibility", "reminders", "colorId"})
"""What each guest has for themselves."""
_WRITABLE = SHARED_FIELDS | PRIVATE_FIELDS
_ID = re.compile(r"[0-9a-v]{5,1024}")
_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
_RESPONSES = ("needsAction", "declined", "tentative", "accepted")
_STATUSES = ("confirmed", "tentative", "cancelled")


def new_id(given: str) -> str:
    """Return the id of a new event, the client's own where it gives one. Raises GoogleError 400."""
    if given and not _ID.fullmatch(given):
        raise GoogleError(400, "invalid", "Invalid resource id value.")
    return given or "".join(secrets.choice("0123456789abcdefghijklmnopqrstuv") for _ in range(26))


def written(body: Json) -> Json:
    """Return the fields of a body that a client may write; the others are passed over, as Calendar does."""
    if (body.get("eventType") or "default") != "default":
        raise not_in_stand_in(f"events of the type {body['eventType']}")
    return {name: value for name, value in body.items() if name in _WRITABLE}


def patched(kept: Json, body: Json) -> Json:
    """Return the event after a patch: null takes a field away, lists are replaced."""
    changes = written(body)
    if body.get("attendeesOmitted"):
        changes["attendees"] = _answered(kept.get("attendees", []), changes.get("attendees") or [])
    for name in ("start", "end", "reminders"):
        if changes.get(name):
            changes[name] = {key: value for key, value in changes[name].items() if value is not None}
    merged = kept | changes
    return {name: value for name, value in merged.items() if value is not None or name not in changes}


def checked(data: Json, calendar_zone: str, before: Json | None = None) -> Json:
    """Return the event in the form in which it is kept. Raises GoogleError 400 for what cannot be."""
    recurring = bool(data.get("recurrence"))
    if data.get("status", "confirmed") not in _STATUSES:
        raise GoogleError(400, "invalid", "Invalid value for: status")
    for name in ("start", "end"):
        if not data.get(name):
            raise GoogleError(400, "required", f"Missing {name} time.")
        data = data | {name: canonical_time(data[name], calendar_zone, name, needs_zone=recurring)}
    _check_range(data["start"], data["end"], calendar_zone)
    if recurring:
        if data.get("recurringEventId"):
            raise GoogleError(400, "invalid", "An instance of a recurring event cannot recur itself.")
        check_recurrence(data)
    if data.get("attendees"):
        data = data | {"attendees": _attendees(data["attendees"], (before or {}).get("attendees", []))}
    held = (before or {}).get("sequence", 0)
    if data.get("sequence", held) < held:
        raise GoogleError(400, "invalid", "Invalid sequence value. The specified sequence number is below the current")
    moved = before is not None and any(before.get(name) != data.get(name) for name in ("start", "end", "recurrence"))
    return data | {"sequence": data.get("sequence", held) + (1 if moved and data.get("sequence", held) == held else 0)}


def _check_range(start: Json, end: Json, calendar_zone: str) -> None:
    if is_all_day(start) != is_all_day(end):
        raise GoogleError(400, "invalid", "Start and end times must either both be date or both be dateTime.")
    zone = zone_named(calendar_zone)
    assert zone is not None  # a calendar has a zone
    begins, ends = moment_of(start, zone), moment_of(end, zone)
    if ends < begins or (is_all_day(start) and ends == begins):
        raise GoogleError(400, "timeRangeEmpty", "The specified time range is empty.", domain="calendar")


def _attendees(given: list[Json], before: list[Json]) -> list[Json]:
    answers = {guest["email"]: guest.get("responseStatus", "needsAction") for guest in before}
    guests: dict[str, Json] = {}
    for guest in given:
        email = str(guest.get("email") or "").lower()
        if not email:
            raise GoogleError(400, "required", "Missing attendee email.")
        if not _ADDRESS.fullmatch(email):
            raise GoogleError(400, "invalid", "Invalid attendee email.")
        answer = guest.get("responseStatus") or answers.get(email, "needsAction")
        if answer not in _RESPONSES:
            raise GoogleError(400, "invalid", "Invalid value for: responseStatus")
        kept = {name: value for name, value in guest.items() if name not in ("self", "organizer") and value is not None}
        guests[email] = kept | {"email": email, "responseStatus": answer}
    return list(guests.values())


def _answered(kept: list[Json], given: list[Json]) -> list[Json]:
    """Guests of whom only some are given: the others stay as they are, and nobody is invited that way."""
    answers = {str(guest.get("email") or "").lower(): guest for guest in given}
    return [guest | answers.get(guest["email"], {}) for guest in kept]
