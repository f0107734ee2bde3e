"""What the stand-in remembers: members, boards, lists, labels, cards and the log of actions."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

Json = dict[str, Any]
POSITION_STEP = 65_536.0


@dataclass(frozen=True)
class Member:
    """A person of Trello's."""

    id: str
    username: str
    full_name: str


@dataclass(frozen=True)
class Label:
    """A label of one board; without a colour it is not seen on a card's front."""

    id: str
    board_id: str
    name: str
    color: str | None


@dataclass
class Board:
    """A board; `member_ids` has everybody who may see and change it, the first is its owner."""

    id: str
    link: str
    name: str
    member_ids: list[str]
    closed: bool = False


@dataclass
class CardList:
    """A list of a board. `lowest_free` is a position below all its cards."""

    id: str
    board_id: str
    name: str
    pos: float
    closed: bool = False
    lowest_free: float = POSITION_STEP


@dataclass
class Card:
    """A card. `due` is a moment as Trello writes it."""

    id: str
    link: str
    board_id: str
    list_id: str
    name: str
    pos: float
    last_activity: datetime
    desc: str = ""
    due: str | None = None
    done: bool = False
    closed: bool = False
    label_ids: list[str] = field(default_factory=list[str])
    member_ids: list[str] = field(default_factory=list[str])


@dataclass(frozen=True)
class Action:
    """A line of a board's log."""

    id: str
    type: str
    member_id: str
    card_id: str
    at: datetime
    data: Json


def stamp(at: datetime) -> str:
    """Return an aware moment as Trello writes it: UTC with milliseconds."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
