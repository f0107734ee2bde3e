"""The arguments of the Trello tools that read, or act on one card or list. Times are local times of the owner's.

Open arguments (`place`, `about`) are filled in before a card shows them, and checked again before execution.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, NaiveDatetime, model_validator

from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import ArgRole, InZone, ToolMetadata

ME = "me"
"""The name by which the owner refers to themselves."""
MOST_FOUND = 200
LONGEST_TEXT = 16_384
"""Most characters of a description or a comment at Trello."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_NO_TEXT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError(say("must be one line without control characters"))
    return text


def _plain(text: str) -> str:
    if _NO_TEXT.search(text):
        raise ValueError(say("must not hold control characters"))
    return text


Line = Annotated[str, Field(max_length=500), AfterValidator(_one_line)]
Named = Annotated[Line, Field(min_length=1, pattern=r"\S")]
Text = Annotated[str, Field(max_length=LONGEST_TEXT), AfterValidator(_plain)]


class Position(StrEnum):
    """Where in its list a new card is put."""

    TOP = "top"
    BOTTOM = "bottom"


class Place(ClosedRecord):
    """Where something is made, and with what: names resolved to ids."""

    board_id: str
    board: str
    list_id: str = ""
    list_name: str = ""
    labels: tuple[tuple[str, str], ...] = ()
    """Id and name."""
    members: tuple[tuple[str, str], ...] = ()
    """Id and name."""


class CardSeen(ClosedRecord):
    """A card as it was when it was shown."""

    card_id: str
    name: str
    board: str = ""
    list_name: str = ""


class _Args(ClosedRecord):
    account: Annotated[str, Field(max_length=30)] = ""
    """Which of the person's accounts; the first one, when left out."""


class ListBoardsArgs(_Args):
    """The boards that are open, with their lists."""


class ListCardsArgs(_Args):
    """All that is given must hold; without a board, all boards are looked at.

    `words` each stand in the name or the description, `assigned` is somebody on the card ("me" for the person),
    `due_before` excludes that moment, `overdue` cards are due and not done, `archived` ones are looked for instead of
    those on the board.
    """

    board: Line = ""
    in_list: Line = ""
    label: Line = ""
    words: Line = ""
    assigned: Line = ""
    due_before: NaiveDatetime | None = None
    overdue: bool = False
    archived: bool = False
    limit: int = Field(default=50, ge=1, le=MOST_FOUND)
    in_zone: InZone = ""


class ReadCardArgs(_Args):
    """A card by its id or its address."""

    card: Named


class CreateCardArgs(_Args):
    """A new card. Without `in_list` it goes into the board's first list; `assign` holds names, "me" for the person."""

    name: Named
    board: Line = ""
    in_list: Line = ""
    description: Text = ""
    due: NaiveDatetime | None = None
    labels: Annotated[tuple[Named, ...], Field(max_length=20)] = ()
    assign: Annotated[tuple[Named, ...], Field(max_length=20)] = ()
    position: Position = Position.BOTTOM
    place: Place | None = None
    """What the names came to; filled in."""
    in_zone: InZone = ""


class ChangeCardArgs(_Args):
    """What of a card becomes what; what is left out stays. `user_trello_due_card` takes a due date off."""

    card: Named
    name: Named | None = None
    description: Text | None = None
    due: NaiveDatetime | None = None
    done: bool | None = None
    about: CardSeen | None = None
    """Which card it is; filled in."""
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _changes_something(self) -> "ChangeCardArgs":
        if (self.name, self.description, self.due, self.done) == (None, None, None, None):
            raise ValueError("say what of the card is changed: its name, description, due date, or whether it is done")
        return self


class CommentCardArgs(_Args):
    """A comment as the person; everybody on the board can read it."""

    card: Named
    text: Annotated[Text, Field(min_length=1, pattern=r"\S")]
    about: CardSeen | None = None
    """Which card it is; filled in."""


class DeleteCardArgs(_Args):
    """One card, for good: unlike an archived one, nobody can bring it back."""

    card: Named
    about: CardSeen | None = None
    """Which card it is; filled in."""


class CreateListArgs(_Args):
    """A new list at the end of a board."""

    board: Line = ""
    name: Named
    place: Place | None = None
    """What the board's name came to; filled in."""


_TARGET, _CONTENT, _OPTION = ArgRole.TARGET, ArgRole.CONTENT, ArgRole.OPTION
_ABOUT = {"card": _TARGET, "about": _TARGET, "account": _OPTION}
_SELECTION = ("board", "in_list", "label", "words", "assigned")

ROLES: Mapping[str, ToolMetadata] = {
    "user_trello_list_boards": ToolMetadata.of(option="account"),
    "user_trello_list_cards": ToolMetadata(
        {name: _TARGET if name in _SELECTION else _OPTION for name in ListCardsArgs.model_fields}
    ),
    "user_trello_read_card": ToolMetadata.of(target="card", option="account"),
    "user_trello_create_card": ToolMetadata.of(
        content="name description due", target="board in_list assign place", option="labels position in_zone account"
    ),
    "user_trello_change_card": ToolMetadata(
        {"name": _CONTENT, "description": _CONTENT, "due": _CONTENT, "done": _CONTENT, "in_zone": _OPTION, **_ABOUT}
    ),
    "user_trello_comment_card": ToolMetadata({"text": _CONTENT, **_ABOUT}),
    "user_trello_delete_card": ToolMetadata(_ABOUT),
    "user_trello_create_list": ToolMetadata.of(content="name", target="board place", option="account"),
}
"""The role of each argument."""
