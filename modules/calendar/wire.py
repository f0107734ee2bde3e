"""Converts between Google's JSON of events and calendars, and our records."""

from collections.abc import Mapping
from typing import Any, cast

from modules.calendar.records import Fields, NewGuest, Reminder, Time

_ENTRY = "id,summary,summaryOverride,timeZone,accessRole,primary,selected,deleted"
ENTRY_FIELDS = f"nextPageToken,items({_ENTRY})"
_EVENT = (
    "id,status,etag,summary,start,end,location,organizer(email,displayName,self),"
    "attendees(email,displayName,self,responseStatus,comment,optional,resource),attendeesOmitted,recurrence,"
    "recurringEventId,originalStartTime,reminders,colorId,transparency,guestsCanModify,eventType,htmlLink"
)
PAGE_FIELDS = f"nextPageToken,items({_EVENT})"
"""Fields without descriptions, which may be long."""
CHANGE_FIELDS = f"nextPageToken,nextSyncToken,items({_EVENT})"
_TEXTS = {"title": "summary", "location": "location", "description": "description", "status": "status"}


def entry(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry of the calendar list."""
    return {
        "id": answer["id"],
        "name": answer.get("summaryOverride") or answer.get("summary", ""),
        "zone": answer.get("timeZone", "UTC"),
        "role": answer.get("accessRole", "reader"),
        "primary": answer.get("primary", False),
        "selected": answer.get("selected", False),
    }


def event(answer: Mapping[str, Any], calendar: str) -> dict[str, Any]:
    """Return an event; a deleted one may have few fields."""
    organiser = answer.get("organizer", {})
    reminders = answer.get("reminders", {"useDefault": True})
    return {
        "id": answer["id"],
        "calendar": calendar,
        "etag": answer.get("etag", ""),
        "status": answer.get("status", "confirmed"),
        "title": answer.get("summary", ""),
        "start": _time(answer.get("start")),
        "end": _time(answer.get("end")),
        "location": answer.get("location", ""),
        "description": answer.get("description", ""),
        "organiser": str(organiser.get("email", "")).lower(),
        "organiser_name": organiser.get("displayName", ""),
        # The owner's own event without guests may have no organiser.
        "mine": organiser.get("self", not organiser),
        "guests": [_guest(one) for one in answer.get("attendees", [])],
        "guests_left_out": answer.get("attendeesOmitted", False),
        "recurrence": answer.get("recurrence", []),
        "series": answer.get("recurringEventId", ""),
        "original_start": _time(answer.get("originalStartTime")),
        "own_reminders": None if reminders.get("useDefault") else _reminders(reminders),
        "colour": answer.get("colorId", ""),
        "free": answer.get("transparency") == "transparent",
        "open_to_guests": answer.get("guestsCanModify", False),
        "kind": answer.get("eventType", "default"),
        "url": answer.get("htmlLink", ""),
    }


def body(fields: Fields) -> dict[str, Any]:
    """Return the fields that are set, as Google takes them; None clears a field."""
    found: dict[str, Any] = {}
    for name in sorted(fields.model_fields_set):
        value: Any = getattr(fields, name)
        match name:
            case "title" | "location" | "description" | "status":
                found[_TEXTS[name]] = value
            case "start" | "end":
                found[name] = _written(value)
            case "guests":
                found["attendees"] = [_invited(one) for one in value]
            case "answer":
                if value is not None:
                    # Only the owner's own answer is written; the other guests stay as they are.
                    found |= {"attendeesOmitted": True, "attendees": [_invited(value)]}
            case "reminders":
                found["reminders"] = _reminding(value)
            case "colour":
                found["colorId"] = value or None
            case _:
                found[name] = value
    return found


def new_body(fields: Fields) -> dict[str, Any]:
    """Return the fields of a new event, which has nothing to clear."""
    return _without_none(body(fields))


def _without_none(value: Any) -> Any:
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value).items()
        return {key: _without_none(one) for key, one in items if one is not None}
    return value


def _time(value: Mapping[str, Any] | None) -> dict[str, str]:
    value = value or {}
    return {"day": value.get("date", ""), "at": value.get("dateTime", ""), "zone": value.get("timeZone", "")}


def _written(time: Time) -> dict[str, str | None]:
    # A time that changes its kind has to clear the other kind.
    if time.day:
        return {"date": time.day, "dateTime": None, "timeZone": None}
    return {"date": None, "dateTime": time.at, "timeZone": time.zone}


def _guest(answer: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "address": str(answer.get("email", "")).lower(),
        "name": answer.get("displayName", ""),
        "response": answer.get("responseStatus", "needsAction"),
        "comment": answer.get("comment", ""),
        "me": answer.get("self", False),
        "optional": answer.get("optional", False),
        "room": answer.get("resource", False),
    }


def _invited(guest: NewGuest) -> dict[str, Any]:
    written: dict[str, Any] = {"email": guest.address}
    if guest.name:
        written["displayName"] = guest.name
    if guest.response:
        written |= {"responseStatus": guest.response, "comment": guest.comment or None}
    return written | ({"optional": True} if guest.optional else {})


def _reminders(answer: Mapping[str, Any]) -> list[dict[str, Any]]:
    overrides = cast("list[Mapping[str, Any]]", answer.get("overrides", []))
    return [{"method": one["method"], "minutes": one["minutes"]} for one in overrides]


def _reminding(reminders: list[Reminder] | None) -> dict[str, Any]:
    if reminders is None:
        return {"useDefault": True, "overrides": None}
    return {"useDefault": False, "overrides": [one.model_dump() for one in reminders]}
