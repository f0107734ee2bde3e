"""Draws a card as plain text, for a mail or a terminal: the same content in the same order as on Telegram.

Lines of quoted text begin with a bar, so that none of them can pass for a line of the card.
"""

from collections.abc import Iterator

from butler.contract.card import Card, Rich, Style, rich_text
from butler.contract.speech import say, say_number

_MARKS = {Style.STRIKE: ("[-", "-]"), Style.UNDERLINE: ("{+", "+}")}


def card_lines(card: Card) -> Iterator[str]:
    """Return the whole card except its buttons and expiry; continuation lines are indented."""
    yield card.title
    yield ""
    for label, value in card.fields:
        yield say("{label}: ", label=label) + _indented(rich_text(value))
    if card.body:
        yield ""
        yield from _barred(card.body)
    if card.changes:
        yield ""
        yield say(
            "Changed, with what was taken out in {removed} and what was put in in {added}:",
            removed="[-…-]",
            added="{+…+}",
        )
        yield from _barred(rich_marks(card.changes))
    if card.attachments:
        yield ""
    for file in card.attachments:
        yield say("{label}: ", label=say("File")) + say(
            "{name} ({size} bytes, {media_type}, SHA-256 {sha256})",
            name=file.name,
            size=say_number(file.size),
            media_type=file.media_type,
            sha256=file.sha256,
        )
    yield ""
    attention = say("{label}: ", label=say("Attention"))
    yield from (f"{attention}{reason}" for reason in card.reasons)
    yield say("{label}: ", label=say("What it does")) + card.effect
    if card.outcome:
        # While a card waits, its outcome only holds warnings.
        yield f"{attention if card.expires_at is not None else ''}{_indented(rich_text(card.outcome))}"


def rich_marks(rich: Rich) -> str:
    """Return the bare text, with removed text in [-…-] and added text in {+…+}."""
    marks = ((span.text, *_MARKS.get(span.style, ("", ""))) for span in rich)
    return "".join(f"{before}{text}{after}" for text, before, after in marks)


def _barred(text: str) -> Iterator[str]:
    # A carriage return would let the text after it cover the text before it.
    yield from (f"| {line}" for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n"))


def _indented(text: str) -> str:
    return text.replace("\n", "\n    ")
