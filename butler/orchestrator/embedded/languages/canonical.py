"""A request in German, French or Spanish as the same request in the planner's own English.

What the owner dictates, names and looks for stands in it letter for letter; only the words around it are put into
English. English requests are never touched: every pattern holds words that are none of English.
"""

from collections.abc import Iterator
from datetime import date

from butler.orchestrator.embedded.languages.calendar import dated
from butler.orchestrator.embedded.languages.matching import Reading
from butler.orchestrator.embedded.languages.tongue import Tongue
from butler.orchestrator.embedded.languages.tongues import TONGUES

LONGEST = 20_000
"""Letters of a request; what is longer is a letter, not a request."""


def canonical(words: str, *, butler_name: str = "", today: date | None = None) -> str | None:
    """The likeliest reading of a request in another language; None for English and for what no language knows.

    Args:
        words: The owner's words, as written.
        butler_name: Skipped where it stands before or behind the request.
        today: The owner's local date, for days that English has no plain name for: `am ersten Montag im Monat`.
    """
    return next(readings(words, butler_name=butler_name, today=today), None)


def readings(words: str, *, butler_name: str = "", today: date | None = None) -> Iterator[str]:
    """All the ways to read it, the likeliest first; none for English."""
    if len(words) > LONGEST:
        return
    for tongue in _likeliest(words):
        for said in Reading(tongue, words, butler_name).requests():
            yield dated(said, today) if today else said


def language_of(words: str) -> str | None:
    """The language that a text is written in by its small words: `de`, `fr` or `es`; None where none stands out."""
    found = sorted(((_common(words, tongue), tongue.code) for tongue in TONGUES), reverse=True)
    return found[0][1] if found[0][0] > found[1][0] else None


def _likeliest(words: str) -> list[Tongue]:
    return sorted(TONGUES, key=lambda tongue: -_common(words, tongue))


def _common(words: str, tongue: Tongue) -> int:
    return sum(token.word in tongue.common for token in tongue.lex(words)[:40])
