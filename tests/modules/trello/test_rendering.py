"""Boards with their lists, cards under the list they lie in, one card whole."""
# names: made up here

from typing import Any

from butler.contract.card import rich_text
from tests.support.rendering import of


def test_boards_are_listed_with_their_lists() -> None:
    rows: list[dict[str, Any]] = [
        {"board_id": "b1", "name": "Home", "lists": ["To Do", "Done"], "url": ""},
        {"board_id": "b2", "name": "Work", "lists": [], "url": ""},
    ]
    said = of("user_trello_list_boards", {"boards": rows, "count": 2})
    assert rich_text(said.text) == "1. Home: To Do, Done\n2. Work"


def card(number: int, name: str, **more: Any) -> dict[str, Any]:
    base: dict[str, Any] = {
        "card_id": f"c{number}",
        "name": name,
        "board": "Home",
        "list": "To Do",
        "labels": [],
        "assigned": [],
    }
    return base | {"due": None, "done": False, "url": ""} | more


def test_cards_stand_under_the_list_they_lie_in() -> None:
    rows = [
        card(1, "Buy paint", due="2026-03-06T12:00", labels=["Urgent"], assigned=["Bob"]),
        card(2, "Call the plumber"),
        card(3, "Sow peas", list="Done", done=True),
    ]
    said = of("user_trello_list_cards", {"cards": rows, "count": 3, "complete": True})
    assert rich_text(said.text) == (
        "Home · To Do\n1. Buy paint · due Fri 6 Mar 12:00 · 🏷 Urgent · 👤 Bob\n2. Call the plumber\n\n"
        "Home · Done\n3. Sow peas · done"
    )


def test_one_card_is_read_whole_with_its_comments() -> None:
    row = card(1, "Buy paint", description="White, 5 l", archived=True, comments=[{"by": "Bob", "text": "Got it"}])
    said = of("user_trello_read_card", {"cards": [row], "count": 1, "complete": True})
    assert rich_text(said.text) == "Buy paint\nHome · To Do\n📦 It is archived.\nWhite, 5 l\n💬 Bob: Got it"
