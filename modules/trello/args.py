"""The arguments of the Trello tools that read, or act on one card or list. Times are local times of the owner's.

Open arguments (`place`, `about`) are filled in before a card shows them, and checked again before execution.
"""

import re
from collections.abc import Mapping
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, NaiveDatetime, model_validator

from butler.contract.arguments import Account
from butler.contract.bulk_tool import NOT_A_MODELS
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
OneCard = Annotated[
    Named,
    Field(description="A card that was shown or found, or the address of one.", examples=[{"handle": "card-3"}]),
]
Board = Annotated[Line, Field(description="Name of a board; left out: all of them.", examples=["Home"])]
InList = Annotated[Line, Field(description="Name of a list.", examples=["To do"])]
Labelled = Annotated[Line, Field(description="Name or colour of a label.", examples=["Urgent"])]
Words = Annotated[
    Line, Field(description="Words that all have to stand in its name or description.", examples=["rent"])
]
Assigned = Annotated[Line, Field(description='Who is on it, by name; "me" for the owner.', examples=["me"])]
DueBefore = Annotated[NaiveDatetime | None, Field(description="Local time, excluded.", examples=["2026-03-06T00:00"])]
Overdue = Annotated[bool, Field(description="Only those that are due and not done.", examples=[True])]


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
    account: Account = ""


class ListBoardsArgs(_Args):
    """The boards that are open, with their lists."""


class ListCardsArgs(_Args):
    """All that is given must hold; without a board, all boards are looked at.

    `words` each stand in the name or the description, `assigned` is somebody on the card ("me" for the person),
    `due_before` excludes that moment, `overdue` cards are due and not done, `archived` ones are looked for instead of
    those on the board.
    """

    board: Board = ""
    in_list: InList = ""
    label: Labelled = ""
    words: Words = ""
    assigned: Assigned = ""
    due_before: DueBefore = None
    overdue: Overdue = False
    archived: bool = Field(default=False, description="Archived ones instead of those on the boards.", examples=[True])
    limit: int = Field(default=50, ge=1, le=MOST_FOUND, description="How many at most.", examples=[10])
    in_zone: InZone = ""


class ReadCardArgs(_Args):
    """A card by its id or its address."""

    card: OneCard


class CreateCardArgs(_Args):
    """A new card. Without `in_list` it goes into the board's first list; `assign` holds names, "me" for the person."""

    name: Named = Field(description="Title, in the owner's words.", examples=["Pay the rent"])
    board: Line = Field(
        default="", description="Name of the board; left out: the only one, or that of `in_list`.", examples=["Home"]
    )
    in_list: Line = Field(default="", description="Name of a list; left out: the board's first.", examples=["To do"])
    description: Text = Field(default="", description="Longer text below the title.", examples=["To the landlord."])
    due: NaiveDatetime | None = Field(default=None, description="Local time.", examples=["2026-03-06T17:00"])
    labels: tuple[Named, ...] = Field(
        default=(), max_length=20, description="Names or colours of labels that the board has.", examples=[["Urgent"]]
    )
    assign: tuple[Named, ...] = Field(
        default=(), max_length=20, description='Members of the board by name; "me" for the owner.', examples=[["me"]]
    )
    position: Position = Field(default=Position.BOTTOM, description="Where in its list.", examples=["top"])
    place: Place | None = NOT_A_MODELS
    """What the names came to."""
    in_zone: InZone = ""


class ChangeCardArgs(_Args):
    """What of a card becomes what; what is left out stays. `user_trello_due_card` takes a due date off."""

    card: OneCard
    name: Named | None = Field(default=None, description="New title.", examples=["Pay the rent"])
    description: Text | None = Field(
        default=None, description="New text below the title; empty takes it away.", examples=["To the landlord."]
    )
    due: NaiveDatetime | None = Field(default=None, description="New local time.", examples=["2026-03-06T17:00"])
    done: bool | None = Field(default=None, description="Whether it is done from now on.", examples=[True])
    about: CardSeen | None = NOT_A_MODELS
    """Which card it is."""
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _changes_something(self) -> "ChangeCardArgs":
        if (self.name, self.description, self.due, self.done) == (None, None, None, None):
            raise ValueError("say what of the card is changed: its name, description, due date, or whether it is done")
        return self


class CommentCardArgs(_Args):
    """A comment as the person; everybody on the board can read it."""

    card: OneCard
    text: Annotated[Text, Field(min_length=1, pattern=r"\S")] = Field(
        description="In the owner's words; everybody on the board can read it.", examples=["Done on Monday."]
    )
    about: CardSeen | None = NOT_A_MODELS
    """Which card it is."""


class DeleteCardArgs(_Args):
    """One card, for good: unlike an archived one, nobody can bring it back."""

    card: OneCard
    about: CardSeen | None = NOT_A_MODELS
    """Which card it is."""


class CreateListArgs(_Args):
    """A new list at the end of a board."""

    board: Line = Field(default="", description="Name of the board; left out: the only one.", examples=["Home"])
    name: Named = Field(description="Title, in the owner's words.", examples=["Later"])
    place: Place | None = NOT_A_MODELS
    """What the board's name came to."""


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
FACTS: Mapping[str, tuple[str, ...]] = {
    "user_trello_list_boards": ("count", "boards.0.name", "boards.0.lists.0", "boards.0.url"),
    "user_trello_list_cards": (
        "count",
        *("cards.0.card_id", "cards.0.name", "cards.0.list", "cards.0.due", "cards.0.assigned.0", "cards.0.url"),
    ),
    "user_trello_read_card": ("cards.0.name", "cards.0.due", "cards.0.description", "cards.0.url"),
    "user_trello_create_card": ("cards.0.card_id", "cards.0.url"),
    "user_trello_change_card": ("cards.0.card_id", "cards.0.url"),
    "user_trello_comment_card": ("card_id", "url"),
    "user_trello_create_list": ("name",),
}
"""What later steps can use of the results of these tools."""
