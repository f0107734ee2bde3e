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
    """Whose account answered."""


class Ask(ClosedRecord):
    """No arguments."""


class State(_Answer):
    """The number of the newest event of the common box; `date` in seconds."""

    pts: int
    qts: int
    date: int


class Place(ClosedRecord):
    """A chat as Telegram is asked for it."""

    chat: int
    access_hash: int = 0


class Glimpse(ClosedRecord):
    """A chat as an answer shows it."""

    chat: int
    kind: ChatKind
    title: str = ""
    names: tuple[str, ...] = ()
    """Its public names, in small letters and without `@`."""
    access_hash: int = 0
    """0 where the answer does not hold it."""
    readable: bool = True
    """False for a chat that the account is no longer in."""


class Read(ClosedRecord):
    """The person has read a chat up to a message."""

    chat: int
    upto: int
    unread: int
    """How many were still unread then."""


class Muting(ClosedRecord):
    """Until when a chat is muted in Telegram; None: as others of its kind."""

    chat: int
    until: AwareDatetime | None = None


class Mutes(_Answer):
    """Until when whole kinds of chats are muted, unless a chat has a setting of its own."""

    people: AwareDatetime | None = None
    groups: AwareDatetime | None = None
    channels: AwareDatetime | None = None


class Deleted(ClosedRecord):
    """Messages that are gone; without a chat, of whichever basic group or person they were."""

    refs: tuple[int, ...]
    chat: int | None = None


class Move(ClosedRecord):
    """A basic group that became a supergroup."""

    old: int
    new: int


class News(ClosedRecord):
    """What an answer says, without what is left out by the owner's settings."""

    glimpses: tuple[Glimpse, ...] = ()
    messages: tuple[SeenMessage, ...] = ()
    """New and edited ones, as they are now."""
    deleted: tuple[Deleted, ...] = ()
    reads: tuple[Read, ...] = ()
    mutings: tuple[Muting, ...] = ()
    moves: tuple[Move, ...] = ()
    channels: tuple[int, ...] = ()
    """Channels that have news of their own."""


class AskDifference(ClosedRecord):
    """Where the account stands."""

    pts: int
    qts: int
    date: int


class Difference(_Answer):
    """What happened since: nothing, a part of it, all of it, or more than Telegram tells."""

    outcome: Literal["nothing", "part", "all", "too_long"]
    pts: int
    qts: int
    date: int
    news: News = News()


class AskChannel(ClosedRecord):
    """Where the account stands in a channel."""

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
    """Of a channel."""
    muted_until: AwareDatetime | None = None


class ChannelDifference(_Answer):
    """What happened in a channel since; `dialog` is where it stands, where that was too much to be told."""

    outcome: Literal["news", "too_long"]
    final: bool
    pts: int
    news: News = News()
    dialog: DialogSeen | None = None


class DialogsOffset(ClosedRecord):
    """The conversation after which a page begins; `date` in seconds."""

    date: int
    message_id: int
    place: Place


class AskDialogs(ClosedRecord):
    """One page of the conversations, the newest first."""

    after: DialogsOffset | None = None


class AskDialogsOf(ClosedRecord):
    """The conversations with these chats."""

    places: tuple[Place, ...] = Field(min_length=1, max_length=PAGE)


class DialogsPage(_Answer):
    """`left_out` are those that the owner's settings leave out; `after` is where the next page begins."""

    dialogs: tuple[DialogSeen, ...] = ()
    messages: tuple[SeenMessage, ...] = ()
    moves: tuple[Move, ...] = ()
    left_out: tuple[int, ...] = ()
    after: DialogsOffset | None = None


class AskHistory(ClosedRecord):
    """The newest messages of a chat with an id between `after` and `before`, without both."""

    place: Place
    after: int
    before: int
    limit: int = Field(ge=1, le=PAGE)


class HistoryPage(_Answer):
    """Newest first; `lowest` is the smallest id on the page, and nothing is left below once it is `finished`."""

    messages: tuple[SeenMessage, ...] = ()
    lowest: int = 0
    finished: bool
