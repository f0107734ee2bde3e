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
    """A message to a person or chat: a text, files with a text under the first, or files alone."""

    to: int | str
    text: str
    topic: int = 0
    reply_to: int = 0
    attachments: tuple[Attachment, ...] = Field(default=(), max_length=MOST_IN_ALBUM)


class SentAsUser(ClosedRecord):
    """`message_ids` has one for each file of an album, `message_id` is the first of them.

    `repeated`: Telegram had this very message already, from an earlier try; it does not say then under which id, so
    there is one only where the chat shows which message it is.
    """

    message_id: int | None
    repeated: bool = False
    message_ids: tuple[int, ...] = ()


class EditAsUser(ClosedRecord):
    """The new text of one of the person's own messages."""

    to: int | str
    message_id: int
    text: str


class EditedAsUser(ClosedRecord):
    """`changed` is false where the message had this text already."""

    message_id: int
    changed: bool


class DeleteAsUser(ClosedRecord):
    """The person's own messages, which are deleted for everybody."""

    to: int | str
    message_ids: tuple[int, ...] = Field(min_length=1, max_length=100)


class DeletedAsUser(ClosedRecord):
    """What was deleted, and what was gone already."""

    deleted: tuple[int, ...]
    gone: tuple[int, ...]


class ListMessages(ClosedRecord):
    """The newest messages of a conversation: of one topic, of those not read yet, that hold words, from a time on."""

    chat: int | str
    limit: int = Field(ge=1, le=MOST_AT_ONCE)
    topic: int = 0
    unread: bool = False
    words: str = ""
    since: AwareDatetime | None = None


class GetMessages(ClosedRecord):
    """Messages of a conversation by id; with `album`, everything that was sent together with the one."""

    chat: int | str
    message_ids: tuple[int, ...] = Field(min_length=1, max_length=100)
    album: bool = False


class ClientLink(ClosedRecord):
    """A link: what is shown, and where it leads."""

    text: str
    url: str


class ClientFile(ClosedRecord):
    """A file of a message, which is still at Telegram."""

    name: str
    media_type: str
    size: int
    kind: str


class ClientMessage(ClosedRecord):
    """A message as the account sees it; `outgoing` ones are the person's own."""

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
    """The text alone: `text` has addresses behind the words of links, and words for what else the message holds."""
    links: tuple[ClientLink, ...] = ()
    labels: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()


class ClientMessages(ClosedRecord):
    """Newest first. `empty_because` says why there are none."""

    count: int
    items: tuple[ClientMessage, ...]
    chat: str = ""
    name: str = ""
    empty_because: str = ""


class FoundMessages(ClosedRecord):
    """In the order of their ids; `missing` are those that the conversation does not have (any more)."""

    items: tuple[ClientMessage, ...]
    missing: tuple[int, ...]
    name: str = ""


class DownloadFile(ClosedRecord):
    """The file of a message, where it is not larger than `most` bytes."""

    chat: int | str
    message_id: int
    most: int


class ListDialogs(ClosedRecord):
    """The newest conversations, of those with unread messages only where `unread` is set."""

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
    """Newest first. `muted_left_out` are muted ones that would have been among them."""

    count: int
    items: tuple[Dialog, ...]
    muted_left_out: int = 0
    complete: bool = True
    reason: str = ""
    empty_because: str = ""


class ListGroups(ClosedRecord):
    """The groups and channels in which the account may write, of the newest conversations."""

    limit: int = Field(ge=1, le=1000)


class WritableGroup(ClosedRecord):
    """A group or a channel by its address and title; `members` is 0 where the list does not say how many there are."""

    id: str
    name: str
    kind: ChatKind
    members: int = 0


class WritableGroups(ClosedRecord):
    """Newest first."""

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
    """The account itself."""

    user_id: int
    name: str
    username: str = ""
