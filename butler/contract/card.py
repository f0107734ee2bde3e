"""What the owner sees and can tap, independent of the channel that draws it."""

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
    """Taken out, in what shows a change."""
    UNDERLINE = "underline"
    """Put in, in what shows a change."""
    LINK = "link"


class Span(Record):
    """A run of text in one style. Text is literal: no markup is read out of it."""

    text: str
    style: Style = Style.PLAIN
    url: str = ""
    live: bool = False
    """Whether what a client finds in it may be tapped, such as `/help`: only for a text that is the butler's own, with
    no value in it that anybody else had a hand in."""


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
    """What the owner's edit changed, against the revision before; empty on a first one."""
    attachments: tuple[Attachment, ...] = ()
    reasons: tuple[str, ...] = ()
    effect: str = ""
    expires_at: AwareDatetime | None = None
    outcome: Rich = ()
    """Empty while pending; afterwards the recorded truth."""
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
        """Send a message, split where it is too long."""
        ...

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        """Send a card with its buttons on the last message."""
        ...

    async def edit(self, ref: MessageRef, card: Card) -> None:
        """Draw a card anew in its place. An unchanged card is no error; nor is one that is gone."""
        ...

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None:
        """Draw a message of text and buttons anew in its place, as `edit` does a card.

        Where it needs more or fewer messages now, its end is drawn.
        """
        ...

    def pages(self, card: Card) -> int:
        """Return how many messages this card takes. Nothing is sent."""
        ...

    async def delete(self, ref: MessageRef) -> bool:
        """Delete messages, the owner's own too; False where one was gone already, or must not be deleted."""
        ...

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        """Answer a tap. A query that is too old is no error."""
        ...

    async def typing(self, chat: str) -> None:
        """Show that something is being done; never raises for a lost connection."""
        ...

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None:
        """Publish the list of commands, as name and description."""
        ...
