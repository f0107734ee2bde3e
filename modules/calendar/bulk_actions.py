"""The bulk actions on events, and the texts about each."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

from butler.contract.bulk import BulkWords
from butler.contract.speech import phrase, say, say_many


class CalendarAction(StrEnum):
    """The actions, by their tools' names."""

    DELETE = "delete"
    MOVE = "move"
    DECLINE = "decline"
    REMIND = "remind"
    COLOUR = "colour"


_SAID = {
    CalendarAction.DELETE: (phrase("Deletes events from your calendar"), phrase("Deleting"), phrase("Deleted")),
    CalendarAction.MOVE: (phrase("Moves events in your calendar"), phrase("Moving"), phrase("Moved")),
    CalendarAction.DECLINE: (
        phrase("Declines events as you, and Google tells who invites"),
        phrase("Declining"),
        phrase("Declined"),
    ),
    CalendarAction.REMIND: (
        phrase("Changes the reminders of events in your calendar"),
        phrase("Changing reminders"),
        phrase("Reminders changed"),
    ),
    CalendarAction.COLOUR: (phrase("Colours events in your calendar"), phrase("Colouring"), phrase("Coloured")),
}
_TRANSFERS = (phrase("Moves events to another calendar of yours"), phrase("Moving"), phrase("Moved"))
_RESTORES = (phrase("Brings deleted events back"), phrase("Bringing back"), phrase("Brought back"))
_BACK = (phrase("Puts events back as they were"), phrase("Putting back as it was"), phrase("Put back as it was"))


def words_of(action: CalendarAction, params: Mapping[str, Any], counted: Mapping[str, int]) -> BulkWords:
    """Return the texts about an action; `counted` are the counts of its listing."""
    lines = _SAID[action]
    if params.get("back"):
        lines = _RESTORES if action is CalendarAction.DELETE else _BACK
    elif "to" in params:
        lines = _TRANSFERS
    does, doing, did = map(say, lines)
    if params.get("back"):
        return BulkWords(does, doing, did)
    beside = " ".join(_beside(action, params, counted))
    return BulkWords(does, doing, did, _stays(action), _for_good(action, params, counted), beside=beside)


def _stays(action: CalendarAction) -> str:
    """Return what does not change."""
    if action is CalendarAction.DELETE:
        return say("Google keeps deleted events for about 30 days.")
    return say("They stay in your calendar, marked as declined.") if action is CalendarAction.DECLINE else ""


def _beside(action: CalendarAction, params: Mapping[str, Any], counted: Mapping[str, int]) -> list[str]:
    """Return who is notified, and what is left out."""
    told, others, left, longer = (counted.get(name, 0) for name in ("told", "others", "left", "longer"))
    lines: list[str] = []
    if action is CalendarAction.DELETE and others:
        lines.append(
            say_many(
                others,
                "1 is somebody else's: it is only taken out of your own calendar, and declined.",
                "{count} are somebody else's: they are only taken out of your own calendar, and declined.",
            )
        )
    if action in {CalendarAction.DELETE, CalendarAction.MOVE} and told:
        lines.append(_telling(told, notify=bool(params.get("tell"))))
    if action is CalendarAction.MOVE and left:
        lines.append(_left(left, params))
    if longer:
        lines.append(
            say_many(
                longer,
                "1 longer one that goes on outside this time is left as it is.",
                "{count} longer ones that go on outside this time are left as they are.",
            )
        )
    return lines


def _telling(events: int, *, notify: bool) -> str:
    if notify:
        return say_many(
            events, "Google tells the guests of 1 event by mail.", "Google tells the guests of {count} events by mail."
        )
    return say_many(events, "The guests of 1 event are not told.", "The guests of {count} events are not told.")


def _left(left: int, params: Mapping[str, Any]) -> str:
    if "to" in params:
        return say_many(
            left,
            "1 more stays: it is somebody else's, or a single one of a series, which moves only as a whole.",
            "{count} more stay: they are others', or single ones of a series, which moves only as a whole.",
        )
    return say_many(
        left,
        "1 more stays: it is somebody else's, or of whole days, which move by days only.",
        "{count} more stay: they are others', or of whole days, which move by days only.",
    )


def _for_good(action: CalendarAction, params: Mapping[str, Any], counted: Mapping[str, int]) -> str:
    whole = action is CalendarAction.DELETE or (action is CalendarAction.MOVE and "to" not in params)
    if counted.get("series") and whole:
        return say("Of a series: single events that were changed before are then as the series has them.")
    return ""
