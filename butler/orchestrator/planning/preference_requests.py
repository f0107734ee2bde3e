"""The words that ask for each preference, in any of the languages; see `preference_requests.toml`.

A planner may read them, but not add to them. They are stems, wider than what is understood without a model: a model may
understand more, but is held to these words.
"""

import re
from typing import Final

from butler.understanding.stored_words import patterns_in

_ASKS: Final[dict[tuple[str, str], tuple[str, ...]]] = {
    ("language", "en"): ("speak", "english"),
    ("language", "de"): ("speak", "german"),
    ("language", "fr"): ("speak", "french"),
    ("language", "es"): ("speak", "spanish"),
    ("length", "brief"): ("brief",),
    ("length", "full"): ("full",),
    ("persona", "Technical"): ("technical",),
    ("persona", "Executive"): ("executive",),
    ("persona", "General"): ("general",),
    ("sources", "quoted"): ("quoted",),
    ("sources", "named"): ("named",),
}
"""The kinds of words for each value; one word of every kind must be somewhere in what is said."""


_OF_TEXTS: Final = frozenset({"language", "length", "persona"})
"""Preferences about answers to the owner; a text to somebody else may be wished for in the same words."""
_CLAUSE: Final = re.compile(r"[.;!?\n]+|\b(?:and|und|et|y)\b", re.IGNORECASE)


def asks_for(name: str, value: str, words: str) -> bool:
    """Return whether the words ask for this value of a preference, or, for an empty value, to take it back.

    `write to Anna in German` wishes for one text, and not for German answers.
    """
    kinds = _ASKS.get((name, value), ()) if value else ("takes_back",)
    if not kinds or not value or name not in _OF_TEXTS:
        return bool(kinds) and _says_all(kinds, words)
    return any(_says_all(kinds, text) and not says("to_others", text) for text in (words, *_CLAUSE.split(words)))


def _says_all(kinds: tuple[str, ...], words: str) -> bool:
    return all(says(kind, words) for kind in kinds)


def says(kind: str, words: str) -> bool:
    """Return whether the words hold one of this kind of the table."""
    return patterns_in("butler.orchestrator.planning", "preference_requests", kind).search(words) is not None
