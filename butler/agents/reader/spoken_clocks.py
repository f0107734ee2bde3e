"""Finds a clock that a text tells in words: `um acht`, `Friday at 10`, `à huit heures et demie`, `Friday evening`."""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, time
from itertools import islice

from butler.understanding.times.halves import likely
from butler.understanding.times.lexicon import LANGUAGES, lexicon, tokens_of
from butler.understanding.times.parse import parse
from butler.understanding.times.saying import USUAL_CLOCKS, TimeSaid

_MOST_WORDS = 7
_AT = re.compile(r"\b(?:at|um|gegen|ab|à|vers|dès|a las?|sobre las?|desde las?)\b", re.IGNORECASE)
_WORD = re.compile(r"[\w’']+(?::\d\d)?")
# A number before a noun counts something: "at 10 people", "um acht Leute".
_ENDS = re.compile(
    r"\s*(?:$|[.,;:!?)\n–—-]|(?:and|or|in|at|with|for|on|sharp|please|if|und|oder|im|am|bei|mit|zum|zur|vor|bitte|wenn|"
    r"et|ou|chez|avec|pour|dans|devant|si|y|o|en|con|para|delante)\b)",
    re.IGNORECASE,
)
_ANY_DAY = datetime(2026, 1, 5, tzinfo=UTC)


def spoken_clocks(text: str) -> Iterator[time]:
    """Yield every clock of a text that is told in words or by a bare number behind an `at`, in order."""
    words = list(_WORD.finditer(text))
    at = 0
    while at < len(words):
        found = _longest(text, words, at)
        if found is None:
            at += 1
        else:
            clock, at = found
            yield clock


def clock_of_part(text: str) -> time | None:
    """Return the usual clock of the part of the day that a text begins with, such as ` evening, at Anna's`."""
    words = list(islice(_WORD.finditer(text), _MOST_WORDS))
    if not words or text[: words[0].start()].strip(" ,"):
        return None
    for word in reversed(words):
        for said in _readings(text[words[0].start() : word.end()]):
            if said.part and said.clock is None:
                return USUAL_CLOCKS.get(said.part)
    return None


def _longest(text: str, words: list[re.Match[str]], at: int) -> tuple[time, int] | None:
    if not _may_begin(words[at].group()):
        return None
    for end in range(min(len(words), at + _MOST_WORDS), at, -1):
        phrase = text[words[at].start() : words[end - 1].end()]
        if _ENDS.match(text, words[end - 1].end()) and (clock := _clock(phrase)) is not None:
            return clock, end
    return None


def _clock(phrase: str) -> time | None:
    for said in _readings(phrase):
        if said.clock is not None and (said.part or _AT.match(phrase)):
            # As in what the owner says of a day (decision 74): it is never today's next such hour.
            return likely(replace(said, day=_ANY_DAY.date(), weekday=True), _ANY_DAY).clock
    return None


def _readings(phrase: str) -> Iterator[TimeSaid]:
    """Yield what a phrase means in each language in which all of it is a clock or a part of the day."""
    for language in LANGUAGES:
        said = parse(phrase, language, _ANY_DAY)
        if said is not None and not (said.day or said.moment or said.until_clock):
            yield said


def _may_begin(word: str) -> bool:
    """Return whether a clock may begin with a word in some language; it spares most words the reading."""
    return any((token,) in lexicon(language).words_known for language in LANGUAGES for token in tokens_of(word)[:1])
