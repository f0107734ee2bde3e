"""The arguments and answers of the feed's methods: the published schemas of `telegram_client.feed.*.v1`.

A chat is given by its marked id, as in Telethon and the Bot API: a person's id unchanged, a basic group's negated, a
channel's (and a supergroup's) as -100 and the id.
"""

from typing import Literal

from pydantic import AwareDatetime, Field

from butler.contract.mirror import ChatKind, SeenMessage
from butler.contract.records import ClosedRecord

FEED_STATE = "telegram_client.feed.state.v1"
FEED_DIFFERENCE = "telegram_client.feed.difference.v1"
FEED_CHANNEL = "telegram_client.feed.channel_difference.v1"
FEED_MUTES = "telegram_client.feed.mutes.v1"
FEED_DIALOGS = "telegram_client.feed.dialogs.v1"
FEED_DIALOGS_OF = "telegram_client.feed.dialogs_of.v1"
FEED_HISTORY = "telegram_client.feed.history.v1"

PAGE = 100
"""Most dialogs or messages that Telegram returns per request."""


class _Answer(ClosedRecord):
    user_id: int
    """The account that answered."""


class Ask(ClosedRecord):
    """No arguments."""


class State(_Answer):
    """The account's position: the numbers of the newest events of the common box; `date` in seconds."""

    pts: int
    qts: int
    date: int


class Place(ClosedRecord):
    """A chat as a request names it."""

    chat: int
    access_hash: int = 0


class Glimpse(ClosedRecord):
    """A chat as an answer shows it."""

    chat: int
    kind: ChatKind
    title: str = ""
    names: tuple[str, ...] = ()
    """Its public names, in lower case and without `@`."""
    access_hash: int = 0
    """0 if the answer does not hold it."""
    readable: bool = True
    """False if the account is no longer in the chat."""


class Read(ClosedRecord):
    """A report that the owner has read a chat up to a message."""

    chat: int
    upto: int
    unread: int
    """How many messages were still unread then."""


class Muting(ClosedRecord):
    """Until when a chat is muted in Telegram; None: by the setting for chats of its kind."""

    chat: int
    until: AwareDatetime | None = None


class Mutes(_Answer):
    """Until when whole kinds of chats are muted, unless a chat has its own setting."""

    people: AwareDatetime | None = None
    groups: AwareDatetime | None = None
    channels: AwareDatetime | None = None


class Deleted(ClosedRecord):
    """Deleted messages; without `chat`, they are of any basic group or private chat."""

    refs: tuple[int, ...]
    chat: int | None = None


class Move(ClosedRecord):
    """A basic group that became a supergroup."""

    old: int
    new: int


class News(ClosedRecord):
    """The changes that an answer reports, without those that the owner's settings leave out."""

    glimpses: tuple[Glimpse, ...] = ()
    messages: tuple[SeenMessage, ...] = ()
    """New and edited messages, in their present state."""
    deleted: tuple[Deleted, ...] = ()
    reads: tuple[Read, ...] = ()
    mutings: tuple[Muting, ...] = ()
    moves: tuple[Move, ...] = ()
    channels: tuple[int, ...] = ()
    """Channels with changes of their own."""


class AskDifference(ClosedRecord):
    """A request for the changes since the account's position."""

    pts: int
    qts: int
    date: int


class Difference(_Answer):
    """The changes since then: none, a part, all, or more than Telegram reports."""

    outcome: Literal["nothing", "part", "all", "too_long"]
    pts: int
    qts: int
    date: int
    news: News = News()


class AskChannel(ClosedRecord):
    """A request for the changes in a channel since the account's position there."""

    place: Place
    pts: int


class DialogSeen(ClosedRecord):
    """A conversation in the account's list."""

    glimpse: Glimpse
    top: int
    """The id of its newest message."""
    read_upto: int
    unread: int
    pts: int = 0
    """The channel's position; 0 for other chats."""
    muted_until: AwareDatetime | None = None


class ChannelDifference(_Answer):
    """The changes in a channel; if they are too many to report, `dialog` holds its present state."""

    outcome: Literal["news", "too_long"]
    final: bool
    pts: int
    news: News = News()
    dialog: DialogSeen | None = None


class DialogsOffset(ClosedRecord):
    """The last conversation before a page; `date` in seconds."""

    date: int
    message_id: int
    place: Place


class AskDialogs(ClosedRecord):
    """A request for one page of the conversations, the newest first."""

    after: DialogsOffset | None = None


class AskDialogsOf(ClosedRecord):
    """A request for the conversations with these chats."""

    places: tuple[Place, ...] = Field(min_length=1, max_length=PAGE)


class DialogsPage(_Answer):
    """A page of conversations; the owner's settings exclude `left_out`, `after` is where the next page begins."""

    dialogs: tuple[DialogSeen, ...] = ()
    messages: tuple[SeenMessage, ...] = ()
    moves: tuple[Move, ...] = ()
    left_out: tuple[int, ...] = ()
    after: DialogsOffset | None = None


class AskHistory(ClosedRecord):
    """A request for the newest messages of a chat with ids between `after` and `before`, exclusive."""

    place: Place
    after: int
    before: int
    limit: int = Field(ge=1, le=PAGE)


class HistoryPage(_Answer):
    """A page of messages, newest first; `lowest` is its smallest id. `finished`: there are no older ones."""

    messages: tuple[SeenMessage, ...] = ()
    lowest: int = 0
    finished: bool
