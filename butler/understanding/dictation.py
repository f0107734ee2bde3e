"""Extends dictated texts to all their words, so that no word of a message or note in somebody's own words is dropped.

A text after a colon or in quotes goes on to its end, verbatim, whatever it says. A text told in passing goes on to the
end of its clause, without a final `please`.
"""

import re
import tomllib
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from butler.understanding.marked import SlotWords

DICTATED = frozenset({"text", "reported", "asked"})
COLON = re.compile(r":\s*$")
CLAUSE = re.compile(r"[,;.!?\n]")
QUOTES = {"“": "”", "„": "“”", "«": "»", "»": "«", '"': '"'}
"""The closing marks for each opening quotation mark."""


def whole_texts(text: str, slots: Sequence[SlotWords]) -> tuple[SlotWords, ...]:
    """Return the slots with dictated texts extended to all their words, which absorb slots marked within them."""
    behind = [one for one in slots if one.slot in DICTATED and COLON.search(text[: one.start])]
    ends = {one: len(text.rstrip()) for one in behind} if len(behind) == 1 else {}
    ends |= {one: end for one in slots if one.slot in DICTATED and (end := _closed(text, one)) is not None}
    ends |= {
        one: end for one in slots if one.slot in DICTATED and one not in ends and (end := _clause_end(text, one, slots))
    }
    found: list[SlotWords] = []
    for one in slots:
        if one in ends:
            found.append(SlotWords(one.slot, text[one.start : ends[one]], one.start, ends[one]))
        elif not any(other.start < one.start < end for other, end in ends.items()):
            found.append(one)
    return tuple(found)


def _closed(text: str, one: SlotWords) -> int | None:
    """Return the end of the quote that opens right before a slot; None if there is none."""
    closing = QUOTES.get(text[: one.start].rstrip()[-1:], "")
    places = [at for mark in closing if (at := text.find(mark, one.start + 1)) >= one.end - 1]
    return min(places) if places else None


def _clause_end(text: str, one: SlotWords, slots: Sequence[SlotWords]) -> int:
    """Return the end of a text's clause if some of its words were left unmarked; 0 if none were."""
    following = min((other.start for other in slots if other.start >= one.end), default=len(text))
    stop = CLAUSE.search(text, one.end, following)
    rest = text[one.end : stop.start() if stop else following]
    if not stop and following < len(text):
        # A preposition before the next slot belongs to that slot.
        return 0
    kept = rest
    while (shorter := _endings().sub("", kept)) != kept:
        kept = shorter
    return one.end + len(kept.rstrip()) if any(map(str.isalnum, kept)) else 0


@cache
def _endings() -> re.Pattern[str]:
    words = tomllib.loads(Path(__file__).with_name("endings.toml").read_text(encoding="utf-8"))["endings"]
    phrases = sorted({line.strip() for line in words if line.strip()}, key=len, reverse=True)
    return re.compile(rf"(?:^|\s+)(?:{'|'.join(map(re.escape, phrases))})\s*$", re.IGNORECASE)
