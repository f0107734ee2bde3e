"""Provides words for things shown, made or said last, in any of the languages; see `act_words.toml`."""

import re

from butler.understanding.stored_words import group_in, words_in

FILE = ("butler.orchestrator.understanding", "act_words")
A_LIST = group_in(*FILE, "list_noun")
"""A pattern for what a list of a board is called."""


def words(kind: str) -> re.Pattern[str]:
    """Return a pattern for whole words or phrases of a kind, the longer ones first, with or without accents."""
    return words_in(*FILE, kind)


def says(kind: str, text: str) -> bool:
    """Return whether a text has any words of a kind."""
    return words(kind).search(text) is not None


def only(kind: str, text: str) -> bool:
    """Return whether a text is words of a kind and nothing else."""
    return words(kind).fullmatch(text.strip(" ,.;:!?")) is not None


def without(kind: str, text: str) -> str:
    """Return the text without the words of a kind."""
    return " ".join(words(kind).sub(" ", text).split())
