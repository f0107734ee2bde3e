"""Words in German, French or Spanish as the same in the English that commands and the edits of cards are read in.

What the owner names stands in it letter for letter; only the words around it are put into English. English is never
touched: every pattern holds words that are none of English.
"""

import re
from collections.abc import Iterator

from butler.orchestrator.embedded.languages.matching import Reading
from butler.orchestrator.embedded.languages.tongue import Tongue
from butler.orchestrator.embedded.languages.tongues import TONGUES

TWICE_QUOTED = re.compile(r'"[„“”«»]\s?([^"„“”«»]+?)\s?[“”«»]"')
"""A name that the owner has quoted, within the quotation marks of the English."""
MOST_WORDS = 40
"""By which a language is told from others."""
LONGEST = 20_000
"""Letters of a reply; what is longer is a letter."""


def canonical(words: str, *, butler_name: str = "") -> str | None:
    """The likeliest reading of words in another language; None for English and for what no language knows."""
    return next(readings(words, butler_name=butler_name), None)


def readings(words: str, *, butler_name: str = "") -> Iterator[str]:
    """All the ways to read it, the likeliest first; none for English and for what no language knows.

    Args:
        words: The owner's words, as written.
        butler_name: Skipped where it stands before or behind the reply.
    """
    if len(words) > LONGEST:
        return
    for tongue in _likeliest(words):
        for said in Reading(tongue, words, butler_name).requests():
            yield TWICE_QUOTED.sub(r'"\1"', said)


def time_in_english(words: str) -> str | None:
    """A time alone, such as the answer to `When?`; None where the words are none in any of the languages."""
    found = (Reading(tongue, words).all_of("when") for tongue in _likeliest(words))
    return next((said for said in found if said is not None), None)


def _likeliest(words: str) -> list[Tongue]:
    return sorted(TONGUES, key=lambda tongue: -_common(words, tongue))


def _common(words: str, tongue: Tongue) -> int:
    return sum(token.word in tongue.common for token in tongue.lex(words)[:MOST_WORDS])
