"""Provides the words of `left_out.toml`, and masks the slots of a request that say nothing about exceptions."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from butler.contract.tables import table
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

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
    stored: dict[str, list[str]] = table("butler.orchestrator.understanding.requests", "left_out")[kind]
    words = stored.get(language)
    every = [one for listed in stored.values() for one in listed]
    return re.compile(rf"(?<![\w'’-])(?:{options(every if words is None else words) or '(?!)'}){behind}", re.IGNORECASE)


@cache
def phrases(kind: str) -> re.Pattern[str]:
    """Return a pattern for a kind of phrases in all languages."""
    stored: list[str] = table("butler.orchestrator.understanding.requests", "left_out")[kind]
    return re.compile(rf"(?<![\w'’-])(?:{options(stored)})", re.IGNORECASE)


def options(stored: Sequence[str]) -> str:
    """Return a pattern for words or phrases, the longest first; those with a final apostrophe need no word end."""
    longest_first = sorted(stored, key=len, reverse=True)
    return "|".join(re.escape(one) + ("" if one.endswith(("'", "’")) else r"(?![\w'’-])") for one in longest_first)
