"""Describes an event's status in words."""

from collections.abc import Mapping
from typing import Final

from butler.contract.calendar_events import EventStatus
from butler.contract.speech import phrase, say

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


def say_standing(standing: EventStatus, *, answer: str = "", by: str = "") -> str:
    """Describe an event's status, which is shown before its time; empty for an invitation and for a plain event.

    `answer` is an attendee's answer (PARTSTAT), `by` the attendee.
    """
    if standing is EventStatus.ANSWERED:
        text = _ANSWERS.get(answer.upper(), phrase("An answer by {name}"))
        return say(text, name=by or say("somebody"))
    return say(_SAID[standing]) if standing in _SAID else ""


def say_part(*, one: bool, following: bool) -> str:
    """Describe the affected part of a series; empty for the whole series, and for a single event."""
    if following:
        return say(_FOLLOWING)
    return say(_SERIES) if one else ""
