"""What others wrote, as it is shown to the owner: cut, and with what could hide or mislead in it made visible."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from butler.contract.card import Span
from butler.contract.speech import say, say_clock, say_many, say_short_moment
from butler.contract.visible import visible, visible_line

SNIPPET = 120
LINE = 500
LONGEST = 12_000
"""Characters of one text that are shown; a longer one would be dozens of messages."""
MOST = 25
"""Things of a list that are shown in one message, where there is nothing to be read on."""


def clipped(text: str, most: int) -> str:
    """Somebody's words, no longer than that; a snippet is on one line."""
    line = " ".join(text.split()) if most == SNIPPET else text.strip()
    return visible(line if len(line) <= most else f"{line[: most - 1]}…")


def more(found: int, data: Mapping[str, Any]) -> list[Span]:
    """How many of a list beyond `MOST` are not shown."""
    left = found - MOST
    lines: list[Span] = []
    if left > 0:
        lines.append(Span(text=f"\n\n{say_many(left, 'And 1 more.', 'And {count} more.')}"))
    if not data.get("complete", True) and found > 1:  # of the next one nobody wants to hear that more come after it
        told = say("There are still more: ask for fewer at once.")
        lines.append(Span(text=f"\n{told}" if left > 0 else f"\n\n{told}"))
    return lines


def cut(text: str, most: int) -> str:
    """Somebody's text on one line, cut, with what could hide in it made visible."""
    line = " ".join(text.split())
    return visible_line(line if len(line) <= most else f"{line[: most - 1]}…")


def clock(at: datetime, today: datetime) -> str:
    """The time alone where it is of today, else with its day."""
    same = at.date() == today.astimezone(at.tzinfo).date()
    return say_clock(at) if same else say_short_moment(at)
