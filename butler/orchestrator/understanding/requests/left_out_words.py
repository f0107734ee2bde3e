"""The words of `left_out.toml`, and a request without those that say nothing of what it leaves alone."""

import re
from collections.abc import Iterable, Sequence
from functools import cache

from butler.contract.tables import table
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

HELD = frozenset({"text", "reported", "asked", "title", "subject", "time", "every", "value", "query"})
"""Slots whose words say nothing of what is left out."""


def outside(one: Request) -> str:
    """The text with dots in the place of words that say nothing of it."""
    return masked(one.text, [slot for slot in one.slots if slot.slot in HELD])


def masked(text: str, slots: Iterable[SlotWords]) -> str:
    """The text with dots in the place of these slots' words."""
    for slot in slots:
        text = text[: slot.start] + "·" * (slot.end - slot.start) + text[slot.end :]
    return text


@cache
def words_of(kind: str, language: str, behind: str = "") -> re.Pattern[str]:
    """Words of a kind in a language, with what has to stand behind them; in all languages where that is not known."""
    stored: dict[str, list[str]] = table("butler.orchestrator.understanding.requests", "left_out")[kind]
    words = stored.get(language)
    every = [one for listed in stored.values() for one in listed]
    return re.compile(rf"(?<![\w'’-])(?:{options(every if words is None else words) or '(?!)'}){behind}", re.IGNORECASE)


@cache
def phrases(kind: str) -> re.Pattern[str]:
    """Words and phrases of a kind, of all languages."""
    stored: list[str] = table("butler.orchestrator.understanding.requests", "left_out")[kind]
    return re.compile(rf"(?<![\w'’-])(?:{options(stored)})", re.IGNORECASE)


def options(stored: Sequence[str]) -> str:
    """A pattern of words or phrases, the longest first; what ends with an apostrophe needs nothing behind it."""
    longest_first = sorted(stored, key=len, reverse=True)
    return "|".join(re.escape(one) + ("" if one.endswith(("'", "’")) else r"(?![\w'’-])") for one in longest_first)
