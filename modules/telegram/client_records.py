"""The arguments and answers of the client's methods: the published schemas of `telegram_client.*.v1`.

A chat is a marked id (unchanged for a person, negative for a group) or a public name with its `@`. Others' texts,
display names, chat titles and files are untrusted data.
"""

from pydantic import AwareDatetime, Field

from butler.contract.mirror import ChatKind
from butler.contract.records import ClosedRecord
from butler.contract.tools import Attachment
from modules.telegram.user_files import MOST_IN_ALBUM

MOST_AT_ONCE = 200


class SendAsUser(ClosedRecord):
    """A message to send to a person or chat: a text, files with a text under the first, or files alone."""

    to: int | str
    text: str
    topic: int = 0
    reply_to: int = 0
    attachments: tuple[Attachment, ...] = Field(default=(), max_length=MOST_IN_ALBUM)


class SentAsUser(ClosedRecord):
    """The sent message: `message_ids` has one id for each file of an album, and `message_id` is the first of them.

    `repeated`: Telegram already had this very message from an earlier try. It does not report the id then, so there is
    one only if the chat shows which message it is.
    """

    message_id: int | None
    repeated: bool = False
    message_ids: tuple[int, ...] = ()


class EditAsUser(ClosedRecord):
    """A new text for one of the owner's own messages."""

    to: int | str
    message_id: int
    text: str


class EditedAsUser(ClosedRecord):
    """The result of an edit; `changed` is false if the message already had this text."""

    message_id: int
    changed: bool


class DeleteAsUser(ClosedRecord):
    """The owner's own messages to delete for everybody."""

    to: int | str
    message_ids: tuple[int, ...] = Field(min_length=1, max_length=100)


class DeletedAsUser(ClosedRecord):
    """The deleted messages, and those that no longer existed."""

    deleted: tuple[int, ...]
    gone: tuple[int, ...]


class ListMessages(ClosedRecord):
    """A request for a conversation's newest messages: of one topic, unread, with some words, or since a time."""

    chat: int | str
    limit: int = Field(ge=1, le=MOST_AT_ONCE)
    topic: int = 0
    unread: bool = False
    words: str = ""
    since: AwareDatetime | None = None


class GetMessages(ClosedRecord):
    """A request for messages by their ids; with `album`, for all that were sent together with the message."""

    chat: int | str
    message_ids: tuple[int, ...] = Field(min_length=1, max_length=100)
    album: bool = False


class ClientLink(ClosedRecord):
    """A link: its text, and its address."""

    text: str
    url: str


class ClientFile(ClosedRecord):
    """A file of a message, which is still at Telegram."""

    name: str
    media_type: str
    size: int
    kind: str


class ClientMessage(ClosedRecord):
    """A message as the account sees it; `outgoing` ones are the owner's own."""

    message_id: int
    sender: str
    outgoing: bool
    at: AwareDatetime
    text: str
    chat: str = ""
    sender_name: str = ""
    reply_to: str = ""
    topic: str = ""
    album: str = ""
    forwarded_from: str = ""
    edited_at: AwareDatetime | None = None
    attachments: tuple[ClientFile, ...] = ()
    exact_text: str = ""
    """The text alone: `text` also has addresses after the words of links, and words that stand for other content."""
    links: tuple[ClientLink, ...] = ()
    labels: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class ClientMessages(ClosedRecord):
    """Messages, the newest first. `empty_because` says why there are none."""

    count: int
    items: tuple[ClientMessage, ...]
    chat: str = ""
    name: str = ""
    empty_because: str = ""


class FoundMessages(ClosedRecord):
    """Messages in the order of their ids; `missing` are ids without a message in the conversation (any more)."""

    items: tuple[ClientMessage, ...]
    missing: tuple[int, ...]
    name: str = ""


class DownloadFile(ClosedRecord):
    """A message's file to download, if it is not larger than `most` bytes."""

    chat: int | str
    message_id: int
    most: int


class ListDialogs(ClosedRecord):
    """A request for the newest conversations; with `unread`, only those with unread messages."""

    limit: int = Field(ge=1, le=1000)
    unread: bool = False
    muted: bool = True


class Dialog(ClosedRecord):
    """A conversation of the account; `id` is its address, `telegram:<id>`."""

    id: str
    name: str
    unread: int
    at: AwareDatetime | None
    last_text: str
    kind: ChatKind = ChatKind.PERSON
    muted: bool = False
    usernames: tuple[str, ...] = ()


class Dialogs(ClosedRecord):
    """Conversations, the newest first. `muted_left_out` counts muted ones that would have been among them."""

    count: int
    items: tuple[Dialog, ...]
    muted_left_out: int = 0
    complete: bool = True
    reason: str = ""
    empty_because: str = ""


class ListGroups(ClosedRecord):
    """A request for the groups and channels in which the account may write, among the newest conversations."""

    limit: int = Field(ge=1, le=1000)


class WritableGroup(ClosedRecord):
    """A group or channel by its address and title; `members` is 0 if the list does not say how many there are."""

    id: str
    name: str
    kind: ChatKind
    members: int = 0


class WritableGroups(ClosedRecord):
    """Groups and channels, the newest first."""

    items: tuple[WritableGroup, ...]


class Nothing(ClosedRecord):
    """No arguments."""


class Contact(ClosedRecord):
    """A person in the account's address book, under the name that the owner gave them."""

    user_id: int
    name: str
    username: str = ""


class Contacts(ClosedRecord):
    """The address book."""

    items: tuple[Contact, ...]


class Me(ClosedRecord):
    """The account's own user."""

    user_id: int
    name: str
    username: str = ""
