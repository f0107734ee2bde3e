"""A card as plain text for a terminal: the same content in the same order as on Telegram, nothing hidden."""

from collections.abc import Iterator
from zoneinfo import ZoneInfo

from butler.contract.card import Card, Rich, Style, rich_text

_MARKS = {Style.STRIKE: ("[-", "-]"), Style.UNDERLINE: ("{+", "+}")}


def card_text(card: Card, zone: ZoneInfo) -> str:
    """The card. A body and whatever has several lines are indented, so that they cannot pass for lines of the card."""
    return "\n".join(_lines(card, zone))


def rich_marks(rich: Rich) -> str:
    """Bare text; what was taken out stands in [-…-], what was put in stands in {+…+}."""
    marks = (_MARKS.get(span.style, ("", "")) for span in rich)
    return "".join(f"{before}{span.text}{after}" for span, (before, after) in zip(rich, marks, strict=True))


def _lines(card: Card, zone: ZoneInfo) -> Iterator[str]:
    yield card.title
    for label, value in card.fields:
        yield f"{label}: {_indented(rich_text(value))}"
    if card.body:
        yield f"\n  | {_lined(card.body)}\n"
    if card.changes:
        yield f"Changed: {_indented(rich_marks(card.changes))}"
    for file in card.attachments:
        yield f"File: {file.name} ({file.size:,} bytes, {file.media_type}, SHA-256 {file.sha256})"
    yield from (f"⚠ {reason}" for reason in card.reasons)
    if card.effect:
        yield card.effect
    if card.outcome:
        yield _indented(rich_text(card.outcome))
    if card.expires_at is not None:
        yield f"Waits until {card.expires_at.astimezone(zone):%Y-%m-%d %H:%M} ({zone.key})."


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")


def _lined(text: str) -> str:
    # A carriage return would let what follows it cover what stands before it.
    return text.replace("\r\n", "\n").replace("\n", "\n  | ")
