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
    """No arguments, or no answer but that it is done."""


class ById(ClosedRecord):
    """Something by its id."""

    id: Id


class ByRef(ClosedRecord):
    """A card or board by its id or its short one."""

    id: Ref


class Member(ClosedRecord):
    """Somebody on a board."""

    id: str
    name: str
    username: str


class Members(ClosedRecord):
    """Who is on a board."""

    members: list[Member]


class Label(ClosedRecord):
    """A label of a board; one without a name is known by its colour."""

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
    """The person's open boards."""

    boards: list[Board]


class Card(ClosedRecord):
    """A card as Trello tells of it."""

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
    """Ids."""
    url: str = ""
    description: str = ""
    activity: str = ""
    """When something was last done to it, as Trello writes it."""
    board_name: str = ""
    list_name: str = ""
    """Both only of a card that is read alone."""


class Cards(ClosedRecord):
    """Some cards of a list, the newest first."""

    cards: list[Card]


class CardsArgs(ById):
    """Cards of a list by its id: `filter` is open, closed or all; made in or after `since`, and before `before`."""

    filter: str = Field(default="open", pattern="^(open|closed|all)$")
    since: AwareDatetime | None = None
    before: AwareDatetime | None = None
    limit: int = Field(default=MOST_LISTED, ge=1, le=MOST_LISTED)
    texts: bool = False
    """Whether the descriptions come along."""


class ActionsArgs(ByRef):
    """What was done on a board after the action `since`, of one kind such as `createCard`; all kinds, where empty."""

    kind: str = ""
    since: str = Field(default="", pattern=r"^([0-9a-f]{24})?$")
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)


class Action(ClosedRecord):
    """Something that was done: by whom, to which card or list, with which name or text."""

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
    """What was done on a board after the action `since`; with none, the newest."""

    since: str = Field(default="", pattern=r"^([0-9a-f]{24})?$")
    limit: int = Field(default=MOST_LISTED, ge=1, le=MOST_LISTED)


class Deed(ClosedRecord):
    """Something that was done on a board, and by whom."""

    id: str
    kind: str
    """As Trello calls it, such as `updateCard`."""
    at: AwareDatetime
    by: str
    card_id: str = ""
    card_name: str = ""
    list_name: str = ""
    moved: bool = False
    """Whether the card is in another list since."""
    closed: bool | None = None
    """Whether the card was archived or sent back by this; None where it was neither."""


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
    """What of a card becomes what; what is not set stays. A `due` of None that is set takes the date off."""

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
    """A label or a member on a card."""

    what: str = Field(pattern="^(label|member)$")
    which: Id


class NewNamed(ClosedRecord):
    """A new list or label of a board."""

    board_id: Id
    name: str = Field(min_length=1)


class NewLabel(NewNamed):
    """A new label."""

    colour: str
