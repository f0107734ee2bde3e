"""Messages, cards and buttons for the owner, independent of the channel that draws them."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Protocol

from pydantic import AwareDatetime

from butler.contract.attachment import Attachment
from butler.contract.records import Record


class Style(StrEnum):
    """How a span is set."""

    PLAIN = "plain"
    BOLD = "bold"
    ITALIC = "italic"
    CODE = "code"
    PRE = "pre"
    QUOTE = "quote"
    STRIKE = "strike"
    """Removed text, in a view of changes."""
    UNDERLINE = "underline"
    """Added text, in a view of changes."""
    LINK = "link"


class Span(Record):
    """A run of text in one style. Text is literal: no markup is read out of it."""

    text: str
    style: Style = Style.PLAIN
    url: str = ""
    live: bool = False
    """Whether clients may make parts of the text tappable, such as `/help`: only for the butler's own texts, without
    values that anybody else had a hand in."""


Rich = tuple[Span, ...]


def plain(text: str) -> Rich:
    """Return text without any style."""
    return (Span(text=text),)


def rich_text(rich: Rich) -> str:
    """Return the bare text."""
    return "".join(span.text for span in rich)


class Button(Record):
    """A button: what it says, and the opaque data (1 to 64 bytes of UTF-8) that comes back when it is tapped."""

    label: str
    data: str


class MessageRef(Record):
    """A message that was sent: the chat, and the provider's ids of it (several when it was long)."""

    chat: str
    message_ids: tuple[str, ...]


class Card(Record):
    """An approval as it is shown. `body` is shown whole, however long."""

    approval_id: str
    revision: int
    title: str
    fields: tuple[tuple[str, Rich], ...] = ()
    body: str = ""
    changes: Rich = ()
    """The changes by the owner's edit, against the revision before; empty for the first revision."""
    attachments: tuple[Attachment, ...] = ()
    reasons: tuple[str, ...] = ()
    effect: str = ""
    expires_at: AwareDatetime | None = None
    outcome: Rich = ()
    """The recorded outcome; empty while the approval is pending."""
    buttons: tuple[tuple[Button, ...], ...] = ()


class OwnerMessage(Record):
    """A message of the butler to its owner."""

    text: Rich
    attachments: tuple[Attachment, ...] = ()
    buttons: tuple[tuple[Button, ...], ...] = ()
    reply_to: str | None = None


class OwnerChannel(Protocol):
    """The way to the owner.

    All methods raise `Retryable` when the channel cannot be reached now (with nothing surely lost: delivery to the
    owner is at least once) and `Refuse` when this message can never be delivered.
    """

    def home(self) -> str | None:
        """Return the owner's own chat, such as `telegram:42`; None before pairing."""
        ...

    async def say(self, chat: str, message: OwnerMessage) -> MessageRef:
        """Send a message, split if it is too long."""
        ...

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        """Send a card with its buttons on the last message."""
        ...

    async def edit(self, ref: MessageRef, card: Card) -> None:
        """Redraw a card in place. An unchanged card is no error, nor is a deleted message."""
        ...

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None:
        """Redraw a message of text and buttons in place, as `edit` does a card.

        If it takes another number of messages now, only its end is drawn.
        """
        ...

    def pages(self, card: Card) -> int:
        """Return how many messages this card takes. Sends nothing."""
        ...

    async def delete(self, ref: MessageRef) -> bool:
        """Delete messages, including the owner's; return False if one was already deleted, or must not be deleted."""
        ...

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        """Answer a tap. A query that is too old is no error."""
        ...

    async def typing(self, chat: str) -> None:
        """Show that the butler is busy; never raises for a lost connection."""
        ...

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None:
        """Publish the list of commands, as name and description."""
        ...
