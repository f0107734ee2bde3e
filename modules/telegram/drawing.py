"""Lays out cards and messages for Telegram: pages of text with entities, and a file where the pages would be too many.

Nothing is left out: a body is shown whole, on pages or in a file. A card keeps its number of pages, since only its last
page changes when it is decided.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from butler.contract.card import Button, Card, Rich, Span, Style, plain
from butler.contract.errors import Refuse
from butler.contract.speech import say, say_moment, say_number
from butler.contract.tools import Attachment
from modules.telegram.inert import apart, flatten
from modules.telegram.text import MESSAGE_LIMIT, Part, join, shorten, split, utf16_len

TAIL_LIMIT = 640
"""UTF-16 units that a card's last page keeps free for its expiry and, later, its outcome."""
PAGE_LIMIT = MESSAGE_LIMIT - TAIL_LIMIT
MOST_PAGES = 3
EXCERPT_LIMIT = 800
BUTTON_BYTES = 64


@dataclass(frozen=True, slots=True)
class TextFile:
    """A body that is too long for pages."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class Drawing:
    """The messages of a card: the file first, then the pages; the buttons belong to the last page."""

    pages: tuple[Part, ...]
    file: TextFile | None = None


def draw_card(card: Card, zone: ZoneInfo) -> Drawing:
    """Lay out a card. The last page ends with its state: the time left, or the outcome."""
    tail = _tail(card, zone)
    pages = _pages(card, _quoted(card.body)) if utf16_len(card.body) <= MOST_PAGES * PAGE_LIMIT else []
    # Telegram refuses a blank message, and without a blank page the text would not be whole.
    if 1 <= len(pages) <= MOST_PAGES and all(page.text.strip() for page in pages):
        return Drawing((*pages[:-1], join([pages[-1], tail])))
    excerpt = shorten(Part(card.body), EXCERPT_LIMIT).text
    notice = say(
        "The whole text ({count} characters) is in the file above. It begins:", count=say_number(utf16_len(card.body))
    )
    pages = [page for page in _pages(card, (*plain(f"{notice}\n"), *_quoted(excerpt))) if page.text.strip()]
    name = f"full-text-{card.revision}.txt"
    return Drawing((*pages[:-1], join([pages[-1], tail])), TextFile(name, card.body))


def check_buttons(buttons: Sequence[Sequence[Button]]) -> None:
    """Raise `Refuse` for a keyboard that Telegram would refuse: data is counted in bytes, not characters."""
    for button in (button for row in buttons for button in row):
        if not 1 <= len(button.data.encode()) <= BUTTON_BYTES:
            raise Refuse(f"a button's data must have 1 to {BUTTON_BYTES} bytes of UTF-8")
        if not button.label.strip():
            raise Refuse("a button needs a label")


def file_line(attachment: Attachment) -> str:
    """Return a file's line on a card."""
    return f"{attachment.name} ({_size(attachment.size)}, {attachment.media_type})"


def _pages(card: Card, body: Rich) -> list[Part]:
    return apart(split(flatten(_content(card, body)), PAGE_LIMIT))


def _content(card: Card, body: Rich) -> Rich:
    spans: list[Span] = [Span(text=card.title, style=Style.BOLD)]
    for label, value in card.fields:
        spans += [Span(text="\n" + say("{label}: ", label=label), style=Style.BOLD), *value]
    if card.body:
        spans += [Span(text="\n\n"), *body]
    if card.changes:
        spans += [Span(text="\n\n"), Span(text=say("{label}: ", label=say("Changed")), style=Style.BOLD), *card.changes]
    for attachment in card.attachments:
        spans += [
            Span(text="\n" + say("{label}: ", label=say("File")), style=Style.BOLD),
            Span(text=file_line(attachment)),
        ]
    if card.reasons:
        spans.append(Span(text="\n"))
        spans += [Span(text=f"\n⚠ {reason}") for reason in card.reasons]
    if card.effect:
        spans += [Span(text="\n\n"), Span(text=card.effect, style=Style.ITALIC)]
    return tuple(spans)


def _quoted(body: str) -> Rich:
    # As a quotation, a body cannot pass for a line of the card itself.
    return (Span(text=body, style=Style.QUOTE),)


def _tail(card: Card, zone: ZoneInfo) -> Part:
    spans: Rich = (Span(text="\n\n"), *card.outcome) if card.outcome else ()
    if card.expires_at is not None:
        until = card.expires_at.astimezone(zone)
        waits = say("Waits until {moment} ({zone}).", moment=say_moment(until), zone=zone.key)
        spans += (Span(text=f"\n\n{waits}"),)
    return shorten(flatten(spans), TAIL_LIMIT)


def _size(size: int) -> str:
    if size < 1000:  # noqa: PLR2004 - the step between units
        return say("{size} B", size=size)
    if size < 1_000_000:  # noqa: PLR2004 - the step between units
        return say("{size} kB", size=f"{size / 1000:.0f}")
    return say("{size} MB", size=f"{size / 1_000_000:.1f}")
