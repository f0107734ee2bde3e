"""Extracts the words to search an existing thing by: without articles, prepositions and the names of its kind."""

import re

from butler.orchestrator.understanding.said import bare
from butler.understanding.stored_words import group_in, stored
from butler.understanding.times.lexicon import folded

PACKAGE = "butler.orchestrator.understanding.things"
NAMES = (PACKAGE, "names")
SMALL, EVENTS, REMINDERS, POINTING = (
    frozenset(map(folded, stored(*NAMES, kind))) for kind in ("small", "events", "reminders", "pointing")
)
SEVERAL_EVENTS = stored(*NAMES, "several_events")
"""Words for several events."""
ELIDED = re.compile(rf"^{group_in(*NAMES, 'elided')}['’](?=\w)", re.IGNORECASE)
COMPOUND = re.compile(rf"(?<=\w{{3}}){group_in(*NAMES, 'compound')}s?$", re.IGNORECASE)
"""Endings of German compounds that are removed: `Zahnarzttermin` is found by `Zahnarzt`."""


def telling(words: str, *also: frozenset[str]) -> str:
    """Return the identifying words, as written; empty if there is none."""
    left_out = SMALL.union(*also)
    found = [ELIDED.sub("", bare(word)) for word in bare(words).replace("“", " ").replace("”", " ").split()]
    return " ".join(
        _own(word) for word in found if word and folded(_own(word)) not in left_out and any(map(str.isalnum, word))
    )


def _own(word: str) -> str:
    return re.sub(r"['’]s$", "", bare(word))


def event_words(words: str) -> str:
    """Return the words to search an event by."""
    return " ".join(COMPOUND.sub("", word) for word in telling(words, EVENTS).split())


def reminder_words(words: str) -> str:
    """Return the words to search a reminder by; all words if none identifies it."""
    return telling(words, REMINDERS).casefold() or " ".join(bare(words).casefold().split())


def pointing(words: str) -> bool:
    """Return whether words only point at something, and do not name it."""
    return not telling(words, POINTING, EVENTS, REMINDERS)
