"""The requests to Trello and its answers, as `call()` validates them. Names and texts are untrusted."""

from typing import Annotated

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord

READS, WRITES = "read", "write"
SCOPES = (READS, WRITES)
"""The scopes that `butler login trello` requests."""
ME = "trello.members.me.v1"
BOARDS = "trello.boards.list.v1"
LABELS = "trello.boards.labels.v1"
MEMBERS = "trello.boards.members.v1"
ACTIONS = "trello.boards.actions.v1"
LOG = "trello.boards.log.v1"
LIST = "trello.lists.get.v1"
CREATE_LIST = "trello.lists.create.v1"
CARDS = "trello.lists.cards.v1"
CARD = "trello.cards.get.v1"
COMMENTS = "trello.cards.comments.v1"
CREATE_CARD = "trello.cards.create.v1"
CHANGE_CARD = "trello.cards.change.v1"
DELETE_CARD = "trello.cards.delete.v1"
COMMENT = "trello.cards.comment.v1"
PUT_ON = "trello.cards.put_on.v1"
TAKE_OFF = "trello.cards.take_off.v1"
CREATE_LABEL = "trello.labels.create.v1"

MOST_LISTED = 1_000
"""Most cards, actions or labels that Trello lists per request."""

Id = Annotated[str, Field(pattern=r"^[0-9a-fA-F]{24}$")]
Ref = Annotated[str, Field(pattern=r"^([0-9a-fA-F]{24}|[0-9a-zA-Z]{8})$")]
"""An id, or the short id from an address."""


class Nothing(ClosedRecord):
    """No arguments, or an answer without content."""


class ById(ClosedRecord):
    """An object by its id."""

    id: Id


class ByRef(ClosedRecord):
    """A card or board by its id or short id."""

    id: Ref


class Member(ClosedRecord):
    """A member of a board."""

    id: str
    name: str
    username: str


class Members(ClosedRecord):
    """The members of a board."""

    members: list[Member]


class Label(ClosedRecord):
    """A label of a board; a label without a name is known by its colour."""

    id: str
    name: str
    colour: str = ""


class Labels(ClosedRecord):
    """A board's labels."""

    labels: list[Label]


class BoardList(ClosedRecord):
    """A list of a board."""

    id: str
    name: str
    board_id: str
    closed: bool = False


class Board(ClosedRecord):
    """A board with its open lists."""

    id: str
    name: str
    url: str
    lists: list[BoardList]


class Boards(ClosedRecord):
    """The owner's open boards."""

    boards: list[Board]


class Card(ClosedRecord):
    """A card as Trello returns it."""

    id: str
    name: str
    board_id: str
    list_id: str
    pos: float
    closed: bool
    due: AwareDatetime | None = None
    done: bool = False
    labels: list[Label] = Field(default=[])
    members: list[str] = Field(default=[])
    """The ids of its members."""
    url: str = ""
    description: str = ""
    activity: str = ""
    """The time of its last activity, as Trello writes it."""
    board_name: str = ""
    list_name: str = ""
    """Like `board_name`, set only if the card is read alone."""


class Cards(ClosedRecord):
    """Some cards of a list, the newest first."""

    cards: list[Card]


class CardsArgs(ById):
    """A request for cards of a list: open, closed or all (`filter`), created from `since` on and before `before`."""

    filter: str = Field(default="open", pattern="^(open|closed|all)$")
    since: AwareDatetime | None = None
    before: AwareDatetime | None = None
    limit: int = Field(default=MOST_LISTED, ge=1, le=MOST_LISTED)
    texts: bool = False
    """Whether to include the descriptions."""


class ActionsArgs(ByRef):
    """A request for the actions on a board after the action `since`, of one kind such as `createCard`; empty: all."""

    kind: str = ""
    since: str = Field(default="", pattern=r"^([0-9a-f]{24})?$")
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class Action(ClosedRecord):
    """An action: who did what to which card or list, with the name or text."""

    id: str
    member_id: str
    at: AwareDatetime
    card_id: str = ""
    card_name: str = ""
    list_id: str = ""
    list_name: str = ""
    text: str = ""
    link: str = ""
    """The short id of the card."""


class Actions(ClosedRecord):
    """The newest first."""

    actions: list[Action]


class LogArgs(ById):
    """A request for a board's log after the action `since`; if empty, for the newest entries."""

    since: str = Field(default="", pattern=r"^([0-9a-f]{24})?$")
    limit: int = Field(default=MOST_LISTED, ge=1, le=MOST_LISTED)


class Deed(ClosedRecord):
    """An entry of a board's log: what was done, and by whom."""

    id: str
    kind: str
    """Trello's type of the action, such as `updateCard`."""
    at: AwareDatetime
    by: str
    card_id: str = ""
    card_name: str = ""
    list_name: str = ""
    moved: bool = False
    """Whether this moved the card to another list."""
    closed: bool | None = None
    """Whether this archived the card (True) or unarchived it (False); None for any other action."""


class Log(ClosedRecord):
    """The newest first."""

    deeds: list[Deed]


class CommentsArgs(ByRef):
    """Comments of a card."""

    limit: int = Field(default=20, ge=1, le=MOST_LISTED)


class Comment(ClosedRecord):
    """A comment and who wrote it."""

    id: str
    by: str
    at: AwareDatetime
    text: str


class Comments(ClosedRecord):
    """The newest first."""

    comments: list[Comment]


class CreateCardFields(ClosedRecord):
    """A new card."""

    list_id: Id
    name: str = Field(min_length=1)
    description: str = ""
    due: AwareDatetime | None = None
    labels: tuple[Id, ...] = ()
    members: tuple[Id, ...] = ()
    position: str = Field(default="bottom", pattern="^(top|bottom)$")


class CardChange(ByRef):
    """A change of a card; unset fields stay. `due` set to None removes the due date."""

    name: str | None = None
    description: str | None = None
    due: AwareDatetime | None = None
    done: bool | None = None
    closed: bool | None = None
    list_id: Id | None = None
    board_id: Id | None = None
    pos: float | str | None = None
    labels: tuple[Id, ...] | None = None
    members: tuple[Id, ...] | None = None


class CommentArgs(ByRef):
    """A new comment."""

    text: str = Field(min_length=1)


class OnCard(ByRef):
    """A label or member to put on a card or take off it."""

    what: str = Field(pattern="^(label|member)$")
    which: Id


class NewNamed(ClosedRecord):
    """A new list or label on a board."""

    board_id: Id
    name: str = Field(min_length=1)


class NewLabel(NewNamed):
    """A new label."""

    colour: str
