"""The person's boards at Trello when the demo begins, dated relative to the demo's clock."""

from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from butler_demo.clock import local_zone
from butler_demo.people import OWNER
from butler_demo.seed_content import PEOPLE, Row, rows
from butler_demo.trello.server import TrelloServer


def fill_boards(server: TrelloServer, now: datetime) -> dict[str, str]:
    """Open both boards with their lists, labels and cards; the boards' ids by name."""
    opened: dict[str, str] = {}
    today = now.astimezone(ZoneInfo(local_zone()))
    for board in rows("boards"):
        members = [PEOPLE[name].username for name in board["members"]]
        board_id = opened[board["name"]] = server.add_board(board["name"], OWNER.username, members)
        labels = {name: server.add_label(board_id, name, colour) for name, colour in board["labels"].items()}
        for each in board["lists"]:
            list_id = server.add_list(board_id, each["name"])
            for card in each["cards"]:
                _add_card(server, list_id, card, labels, today)
    return opened


def _add_card(server: TrelloServer, list_id: str, card: Row, labels: dict[str, str], today: datetime) -> None:
    """Put up a card; its `due` counts days from today, at noon."""
    due = datetime.combine(today.date() + timedelta(card["due"]), time(12), today.tzinfo) if "due" in card else None
    server.add_card(
        list_id,
        card["name"],
        desc=card.get("text", ""),
        due=due,
        done=card.get("done", False),
        labels=[labels[label] for label in card.get("labels", ())],
        members=[PEOPLE[name].username for name in card.get("people", ())],
    )
