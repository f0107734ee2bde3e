"""The status of a calendar event: whether it takes place and asks for an answer, or is something else (RFC 5546).

Used both to show an event and to answer it, so that both agree. An unclear event asks for no answer.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


class EventStatus(StrEnum):
    """The status of an event by its calendar."""

    ASKS = "asks"
    """It takes place, and somebody is invited to it."""
    PLAIN = "plain"
    """An event in a file, without an invitation."""
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
"""The values of STATUS for an event that takes place."""
_CANCELLED_STATES: Final = frozenset({"CANCELLED", "CANCELED"})


def standing_of(method: str, status: str) -> EventStatus:
    """Return the status by the calendar's METHOD and the event's STATUS; unknown ones ask for no answer."""
    standing = _BY_METHOD.get(method.upper(), EventStatus.UNKNOWN)
    state = status.upper()
    if standing not in _LIVE or state in _STATES:
        return standing
    return EventStatus.CANCELLED if state in _CANCELLED_STATES else EventStatus.UNKNOWN


def is_live(standing: EventStatus) -> bool:
    """Return whether the event takes place, as far as its calendar says."""
    return standing in _LIVE
