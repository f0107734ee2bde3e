"""The status of a calendar event: whether it takes place and asks for an answer, or is something else (RFC 5546).

Used both to show an event and to answer it, so that both agree. Doubt asks for no answer.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final

from butler.contract.speech import phrase, say


class EventStatus(StrEnum):
    """What a calendar says of the event in it."""

    ASKS = "asks"
    """It takes place, and somebody is invited to it."""
    PLAIN = "plain"
    """An event as a file holds it, without any of it."""
    ANNOUNCED = "announced"
    ADDED = "added"
    CANCELLED = "cancelled"
    ANSWERED = "answered"
    COUNTERED = "countered"
    COUNTER_DECLINED = "counter_declined"
    REFRESHED = "refreshed"
    UNKNOWN = "unknown"


_BY_METHOD: Final[Mapping[str, EventStatus]] = {
    "": EventStatus.PLAIN,
    "REQUEST": EventStatus.ASKS,
    "PUBLISH": EventStatus.ANNOUNCED,
    "ADD": EventStatus.ADDED,
    "CANCEL": EventStatus.CANCELLED,
    "REPLY": EventStatus.ANSWERED,
    "COUNTER": EventStatus.COUNTERED,
    "DECLINECOUNTER": EventStatus.COUNTER_DECLINED,
    "REFRESH": EventStatus.REFRESHED,
}
_LIVE: Final = frozenset({EventStatus.ASKS, EventStatus.PLAIN, EventStatus.ANNOUNCED, EventStatus.ADDED})
_STATES: Final = frozenset({"", "CONFIRMED", "TENTATIVE"})
"""Of an event that takes place."""
_CANCELLED_STATES: Final = frozenset({"CANCELLED", "CANCELED"})

_SAID: Final[Mapping[EventStatus, str]] = {
    EventStatus.ANNOUNCED: phrase("An announcement, which asks for no answer"),
    EventStatus.ADDED: phrase("Added to a series; to be answered in your calendar"),
    EventStatus.CANCELLED: phrase("Cancelled, so it does not take place"),
    EventStatus.COUNTERED: phrase("A proposal to change it, not an invitation"),
    EventStatus.COUNTER_DECLINED: phrase("Your proposal to change it was declined"),
    EventStatus.REFRESHED: phrase("Somebody asks to be sent the invitation again"),
    EventStatus.UNKNOWN: phrase("It is not clear whether it takes place"),
}
_ANSWERS: Final[Mapping[str, str]] = {
    "ACCEPTED": phrase("An answer: accepted by {name}"),
    "TENTATIVE": phrase("An answer: {name} may come"),
    "DECLINED": phrase("An answer: declined by {name}"),
    "DELEGATED": phrase("An answer: {name} sends somebody else"),
}
_SERIES: Final = phrase("Only this one of a series")
_FOLLOWING: Final = phrase("This and all later ones of a series")


def standing_of(method: str, status: str) -> EventStatus:
    """Return the standing by the calendar's METHOD and the event's STATUS; unknown ones take no answer."""
    standing = _BY_METHOD.get(method.upper(), EventStatus.UNKNOWN)
    state = status.upper()
    if standing not in _LIVE or state in _STATES:
        return standing
    return EventStatus.CANCELLED if state in _CANCELLED_STATES else EventStatus.UNKNOWN


def is_live(standing: EventStatus) -> bool:
    """Return whether the event takes place, as far as its calendar says."""
    return standing in _LIVE


def say_standing(standing: EventStatus, *, answer: str = "", by: str = "") -> str:
    """Say what to know of the event before its time; empty for an invitation and for a plain event.

    `answer` is what somebody answered (PARTSTAT), `by` who.
    """
    if standing is EventStatus.ANSWERED:
        text = _ANSWERS.get(answer.upper(), phrase("An answer by {name}"))
        return say(text, name=by or say("somebody"))
    return say(_SAID[standing]) if standing in _SAID else ""


def say_part(*, one: bool, following: bool) -> str:
    """Say which part of a series it is about; empty for all of it, and for a single event."""
    if following:
        return say(_FOLLOWING)
    return say(_SERIES) if one else ""
