"""Provides what replies to cards say, in any of the languages; see `card_words.toml` and `ways.toml`."""

import re

from butler.understanding.stored_words import patterns_in, words_in

PACKAGE = "butler.orchestrator.edits"


def card_words(kind: str) -> re.Pattern[str]:
    """Return a pattern for what is said of a card, in any of the languages."""
    return patterns_in(PACKAGE, "card_words", kind)


def words_of_kind(kind: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern for the words of a kind in a language, or in all if it is not known."""
    return words_in(PACKAGE, "ways", kind, language)
