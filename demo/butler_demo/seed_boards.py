"""The person's boards at Trello when the demo begins, dated relative to the demo's clock."""

from dataclasses import dataclass
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

from butler_demo.clock import local_zone
from butler_demo.people import ANNA, BOB, OWNER, Person
from butler_demo.trello.server import TrelloServer


@dataclass(frozen=True, slots=True)
class _Card:
    """A card; `due` in days from the day the demo begins, at noon."""

    name: str
    labels: tuple[str, ...] = ()
    due: int | None = None
    people: tuple[Person, ...] = ()
    text: str = ""
    done: bool = False


@dataclass(frozen=True, slots=True)
class _Board:
    name: str
    members: tuple[Person, ...]
    labels: dict[str, str]
    lists: dict[str, tuple[_Card, ...]]


_BOARDS = (
    _Board(
        "Home",
        (ANNA,),
        {"Urgent": "red", "Garden": "green", "Flat": "blue"},
        {
            "To Do": (
                _Card("Buy paint", ("Flat",), 2, (OWNER,), "White, five litres, for the hall."),
                _Card("Fix the dripping tap", ("Flat", "Urgent"), -3, (OWNER,)),
                _Card("Sow the peas", ("Garden",), 5),
                _Card("Paint the garden bench", ("Garden",)),
                _Card("Ask about the second key", ("Flat",), -1),
            ),
            "Doing": (
                _Card("Sort the cellar", ("Flat",), 9, (OWNER, ANNA)),
                _Card("Mend the bicycle", (), 1, (OWNER,)),
            ),
            "Done": (
                _Card("Pay the electricity", ("Flat",), -6, (OWNER,), done=True),
                _Card("Return the ladder", ("Garden",), done=True),
                _Card("Cancel the old contract", ("Flat",), done=True),
            ),
            "Bills": (),
        },
    ),
    _Board(
        "Work",
        (BOB,),
        {"Urgent": "red", "Draft": "yellow"},
        {
            "Ideas": (_Card("A shorter report"), _Card("Numbers without tax", ("Draft",))),
            "In progress": (
                _Card("Draft for Monday", ("Draft", "Urgent"), 3, (OWNER, BOB)),
                _Card("Quarterly planning", (), 10, (OWNER,)),
            ),
            "Done": (_Card("Contract with the printer", done=True),),
        },
    ),
)


def fill_boards(server: TrelloServer, now: datetime) -> dict[str, str]:
    """Open both boards with their lists, labels and cards; the boards' ids by name."""
    opened: dict[str, str] = {}
    today = now.astimezone(ZoneInfo(local_zone()))
    for board in _BOARDS:
        board_id = server.add_board(board.name, OWNER.username, [person.username for person in board.members])
        opened[board.name] = board_id
        labels = {name: server.add_label(board_id, name, colour) for name, colour in board.labels.items()}
        for name, cards in board.lists.items():
            list_id = server.add_list(board_id, name)
            for card in cards:
                server.add_card(
                    list_id,
                    card.name,
                    desc=card.text,
                    due=None if card.due is None else _noon(today, card.due),
                    done=card.done,
                    labels=[labels[label] for label in card.labels],
                    members=[person.username for person in card.people],
                )
    return opened


def _noon(today: datetime, days: int) -> datetime:
    return datetime.combine(today.date() + timedelta(days), time(12), today.tzinfo)
