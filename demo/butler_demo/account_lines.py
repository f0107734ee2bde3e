"""What stands in the owner's calendar and on their boards, a line each: what a script compares its words with."""

from collections.abc import Iterator, Mapping
from typing import Any

from butler_demo.trello.server import TrelloServer


def event_line(event: Mapping[str, Any]) -> str:
    """An event as the Calendar API shows it: title, start, end, place, guests."""
    times = [str(event[edge].get("dateTime") or event[edge].get("date")) for edge in ("start", "end")]
    guests = [str(guest["email"]) for guest in event.get("attendees", ())]
    return " | ".join([str(event.get("summary", "")), *times, str(event.get("location", "")), ", ".join(guests)])


def card_lines(board: str, board_id: str, server: TrelloServer) -> Iterator[str]:
    """The open cards of a board: board, list, name, due date, labels."""
    lists = {one["id"]: one["name"] for one in server.lists(board_id)}
    for card in server.cards(board_id):
        if not card["closed"]:
            labels = ", ".join(str(label["name"]) for label in card["labels"])
            yield " | ".join([board, lists[card["idList"]], card["name"], str(card["due"] or ""), labels])
