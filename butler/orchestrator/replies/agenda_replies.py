"""What a look into a calendar or at boards found, as it is told; nothing of any other step."""

from collections.abc import Mapping, Sequence
from typing import Any

from butler.contract.card import Rich, Span
from butler.contract.names import ToolName
from butler.contract.speech import phrase, say
from butler.orchestrator.replies.agenda_lines import NOTHING, NOTHING_LIKE_IT, agenda, calendars, event, free_times
from butler.orchestrator.replies.board_lines import boards, card, cards
from butler.orchestrator.replies.found_items import Shown
from butler.orchestrator.results.facts import Item

NO_CARDS = phrase("There is no such card on your boards.")


def booked(found: Sequence[Item], one: Shown, data: Mapping[str, Any]) -> Rich | None:
    """The answer to a look into a calendar or at boards; None for a step of any other channel."""
    action = ToolName.parse(one.spec.tool_name).action
    if one.spec.channel == "calendar":
        return _of_calendar(found, one, data, action)
    return _of_boards(found, one, data, action) if one.spec.channel == "trello" else None


def _of_calendar(found: Sequence[Item], one: Shown, data: Mapping[str, Any], action: str) -> Rich:
    match action:
        case "find_free_time":
            return free_times(data)
        case "list_calendars":
            return calendars(data)
        case "read_event" if len(found) == 1:
            return event(found[0])
        case _ if found:
            return agenda(found, one.first, data)
        case _:
            return (Span(text=say(NOTHING_LIKE_IT if one.step.args.get("words") else NOTHING)),)


def _of_boards(found: Sequence[Item], one: Shown, data: Mapping[str, Any], action: str) -> Rich:
    match action:
        case "list_boards" if found:
            return boards(found, one.first, data)
        case "read_card" if len(found) == 1:
            return card(found[0])
        case _:
            return cards(found, one.first, data) if found else (Span(text=say(NO_CARDS)),)
