"""Prepares others' texts for the owner: cut, and with everything that could hide or mislead made visible."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from butler.contract.card import Span
from butler.contract.speech import say, say_clock, say_many, say_short_moment
from butler.contract.visible import visible, visible_line

SNIPPET = 120
LINE = 500
LONGEST = 12_000
"""The most characters shown of one text; a longer one would take dozens of messages."""
MOST = 25
"""The most items of a list in one message, if the list cannot be continued."""


def clipped(text: str, most: int) -> str:
    """Cut somebody's text to a length; put a snippet on one line."""
    line = " ".join(text.split()) if most == SNIPPET else text.strip()
    return visible(line if len(line) <= most else f"{line[: most - 1]}…")


def more(found: int, data: Mapping[str, Any]) -> list[Span]:
    """Say how many items of a list beyond `MOST` are not shown."""
    left = found - MOST
    lines: list[Span] = []
    if left > 0:
        lines.append(Span(text=f"\n\n{say_many(left, 'And 1 more.', 'And {count} more.')}"))
    if not data.get("complete", True) and found > 1:  # A single next item needs no remark that more follow.
        text = say("There are still more: ask for fewer at once.")
        lines.append(Span(text=f"\n{text}" if left > 0 else f"\n\n{text}"))
    return lines


def cut(text: str, most: int) -> str:
    """Return somebody's text on one line, cut, with what could hide in it made visible."""
    line = " ".join(text.split())
    return visible_line(line if len(line) <= most else f"{line[: most - 1]}…")


def clock(at: datetime, today: datetime) -> str:
    """Return the time alone if it is today, otherwise with its day."""
    same = at.date() == today.astimezone(at.tzinfo).date()
    return say_clock(at) if same else say_short_moment(at)
