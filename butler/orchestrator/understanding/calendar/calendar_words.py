"""Provides what requests about the calendar say, in any of the languages; see `calendar_words.toml`."""

from collections.abc import Mapping
from functools import partial

from butler.contract.tables import table
from butler.understanding.stored_words import group_in, patterns_in, stored, whole_in

FILE = ("butler.orchestrator.understanding.calendar", "calendar_words")
plain, group = partial(stored, *FILE), partial(group_in, *FILE)
patterns, whole = partial(patterns_in, *FILE), partial(whole_in, *FILE)


def numbers(kind: str) -> Mapping[str, int]:
    """Return the number of a kind for each language."""
    return table(*FILE)[kind]
