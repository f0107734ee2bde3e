"""Matches words of the owner with the words of a title or text of a provider."""

import re


def begins_a_word(said: str, text: str) -> bool:
    """Return whether `said` begins a word of the text: `art` does in `Art supplies`, and not in `Party`.

    Args:
        said: What the owner said, case-folded.
        text: The title or text, case-folded.
    """
    before = r"(?<![^\W_])" if said[:1].isalnum() else ""
    return re.search(before + re.escape(said), text) is not None


def has_words(said: str, text: str) -> bool:
    """Return whether each word of the owner begins a word of the text, in any case."""
    return all(begins_a_word(word, text.casefold()) for word in said.casefold().split())
