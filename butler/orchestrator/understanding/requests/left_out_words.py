"""Provides the words of `left_out.toml`, and masks the slots of a request that say nothing about exceptions."""

import re
from collections.abc import Iterable
from functools import cache

from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored

FILE = ("butler.orchestrator.understanding.requests", "left_out")
HELD = frozenset({"text", "reported", "asked", "title", "subject", "time", "every", "value", "query"})
"""Slots whose words say nothing about exceptions."""


def outside(one: Request) -> str:
    """Return the text with dots in place of words that say nothing about exceptions."""
    return masked(one.text, [slot for slot in one.slots if slot.slot in HELD])


def masked(text: str, slots: Iterable[SlotWords]) -> str:
    """Return the text with dots in place of these slots' words."""
    for slot in slots:
        text = text[: slot.start] + "·" * (slot.end - slot.start) + text[slot.end :]
    return text


@cache
def words_of(kind: str, language: str, behind: str = "") -> re.Pattern[str]:
    """Return a pattern for a kind of words in a language, followed by `behind`; in all languages if it is unknown."""
    return re.compile(rf"(?<![\w'’-])(?:{options(kind, language) or '(?!)'}){behind}", re.IGNORECASE)


def phrases(kind: str) -> re.Pattern[str]:
    """Return a pattern for a kind of phrases in all languages."""
    return words_of(kind, "")


def options(kind: str, language: str = "") -> str:
    """Return a pattern for words or phrases, the longest first; those with a final apostrophe need no word end."""
    longest_first = sorted(stored(*FILE, kind, language), key=len, reverse=True)
    return "|".join(re.escape(one) + ("" if one.endswith(("'", "’")) else r"(?![\w'’-])") for one in longest_first)
