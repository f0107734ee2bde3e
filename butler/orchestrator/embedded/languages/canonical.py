"""A request in German, French or Spanish as the same request in the planner's own English.

What the owner dictates, names and looks for stands in it letter for letter; only the words around it are put into
English. English requests are never touched: every pattern holds words that are none of English.
"""

import re
from collections.abc import Iterator
from datetime import date
from itertools import islice

from butler.orchestrator.embedded.languages.calendar import dated
from butler.orchestrator.embedded.languages.matching import Reading
from butler.orchestrator.embedded.languages.often import without_often
from butler.orchestrator.embedded.languages.tongue import Tongue
from butler.orchestrator.embedded.languages.tongues import TONGUES

REMIND = "remind me "
TWICE_QUOTED = re.compile(r'"[„“”«»]\s?([^"„“”«»]+?)\s?[“”«»]"')
"""A name that the owner has quoted, within the quotation marks of the planner's own English."""
JOINTS = frozenset({";", "."})
MOST_WORDS, MOST_JOINTS = 200, 4
"""Within which a second request is looked for, and behind how many joints."""
SHORTEST = 3
"""Letters of a word alone that is taken for a day: `so` and `mi` are other words as well."""
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
    for rest, often in without_often(words):
        found = readings(rest, butler_name=butler_name, today=today)
        # What is said again and again has ways of its own in each language; this is for what is done.
        yield from (often + said for said in found if not said.startswith(REMIND))
    for tongue in _likeliest(words):
        two = _with_reminder(tongue, words, butler_name)
        for said in (*two, *Reading(tongue, words, butler_name).requests()):
            plain = TWICE_QUOTED.sub(r'"\1"', said)
            yield dated(plain, today) if today else plain


def _with_reminder(tongue: Tongue, words: str, butler_name: str) -> Iterator[str]:
    """Two requests in one message, where the second asks for a reminder: `... und erinnere mich um 11 daran`."""
    tokens = tongue.lex(words)[:MOST_WORDS]
    joints = [n for n, token in enumerate(tokens) if 0 < n < len(tokens) - 1 and token.word in JOINTS | tongue.joints]
    for n in joints[:MOST_JOINTS]:
        second = next(Reading(tongue, words[tokens[n].end :], butler_name).requests(), "")
        head = words[: tokens[n].start].rstrip(" ,")
        if second.startswith(REMIND) and not _in_quotes(head):
            yield from (f"{first}; {second}" for first in islice(Reading(tongue, head, butler_name).requests(), 1))


def _in_quotes(head: str) -> bool:
    """Whether a quotation that was opened is not closed yet."""
    return head.count('"') % 2 == 1 or any(head.count(a) > head.count(b) for a, b in ("“”", "„“", "«»"))


def time_in_english(words: str, today: date) -> str | None:
    """A time alone, such as the answer to `When?`; None where the words are none in any of the languages."""
    found = (Reading(tongue, words).all_of("when") for tongue in _likeliest(words))
    return next((dated(said, today) for said in found if said is not None), None)


def begins_in_time(words: str) -> bool:
    """Whether a text in the likeliest language begins in a time: `morgen um 17 Uhr`."""
    reading = Reading(_likeliest(words)[0], words)
    return any(len(reading.text_until(end)) > SHORTEST for end in reading.ends_of("when"))


def language_of(words: str) -> str | None:
    """The language that a text is written in by its small words: `de`, `fr` or `es`; None where none stands out."""
    found = sorted(((_common(words, tongue), tongue.code) for tongue in TONGUES), reverse=True)
    return found[0][1] if found[0][0] > found[1][0] else None


def _likeliest(words: str) -> list[Tongue]:
    return sorted(TONGUES, key=lambda tongue: -_common(words, tongue))


def _common(words: str, tongue: Tongue) -> int:
    return sum(token.word in tongue.common for token in tongue.lex(words)[:40])
