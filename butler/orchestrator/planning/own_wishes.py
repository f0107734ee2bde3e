"""Reads a message of the owner's as wishes that consist of nothing but known words; see `own_wishes.toml`.

A model may plan what it likes, but what it changes of the butler's own is the owner's choice only if the owner's words
plainly ask for that. So a wish is a whole part of a message, from its first word to its last, and comes first in it:
after other words it may be what somebody else said, or be about a text.
"""

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from butler.orchestrator.planning.preference_requests import says
from butler.understanding.stored_words import stored
from butler.understanding.times.lexicon import folded

PACKAGE = "butler.orchestrator.planning"
SENTENCE = re.compile(r"[.;!?]+(?=\s|$)")
CLAUSE = re.compile(r",+|\b(?:and|then|und|dann|et|puis|y|luego)\b", re.IGNORECASE)
OF_MORE = re.compile(r",(?=\s*(?:dass|wenn|if)\b)", re.IGNORECASE)
"""A comma within a wish: `ich möchte, dass du ...`."""
OTHERS_TEXT = re.compile(r"(?<!\d):|:(?!\d)|[\"“”„«»`>]|(?<!\w)['‘‚‹]")
"""Signs of a text for or by somebody else; `22:00` has none."""
NOON_MARK = re.compile(r"\b([ap])\.\s?m\b\.?", re.IGNORECASE)
DASH = re.compile(r"(?<=[\dhm])\s*[-–—]\s*(?=\d)")
WORD = re.compile(r"\w+|#|–")
SPAN = "#"
"""What stands for a stretch of time that was read, also as a kind of words."""
NAMED = 5
"""The words within which it is said who said something, or what somebody is called."""
KINDS = (
    SPAN,
    "around", "can", "particles", "be", "no", "lasting", "rather", "to_me", "speaks", "in_language", "negates", "short",
    "long", "shorter", "longer", "rambles", "less", "disturbs", "quiet", "with_quiet", "quiet_hours", "ends",
    "any_more", "usual", "nightly", "english", "german", "french", "spanish",
)  # fmt: skip
"""All words that a wish can have."""


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a message in one of the languages, and what is said after it."""

    text: str
    language: str
    after: tuple[str, ...]

    def kinds(self, allowed: Collection[str]) -> Counter[str] | None:
        """Return how often each kind of words occurs; None if there is any other word."""
        return kinds_of(self.text, self.language, allowed)

    @property
    def alone(self) -> bool:
        """Whether nothing but such wishes is in the message; a reason of the owner's own may follow."""
        return all(_is_wish(one, self.language) or _begins(one, "reason") for one in self.after)

    @property
    def for_nobody_else(self) -> bool:
        """Whether what follows is no text to somebody else or to be translated."""
        rest = " , ".join(self.after)
        return not says("to_others", rest) and not _has(rest, "translates")

    @property
    def whole(self) -> bool:
        """Whether nothing of the wish is left out again, and nobody else is said to have it."""
        said_by = self.after[0] if self.after and len(self.after[0].split()) <= NAMED else ""
        left_out = any(_begins(one, "excepts") for one in self.after)
        return not left_out and not _has(said_by, "reported")


def first_parts(own: str, language: str) -> Iterator[Part]:
    """Yield the parts of a text of the owner's own before which nothing but such parts stands."""
    texts = [text for sentence in SENTENCE.split(own) for text in CLAUSE.split(sentence) if text.strip()]
    for place, text in enumerate(texts):
        part = Part(text, language, tuple(texts[place + 1 :]))
        if part.whole:
            yield part
        if not _is_wish(text, language):
            return


def kinds_of(text: str, language: str, allowed: Collection[str]) -> Counter[str] | None:
    """Return how often each of these kinds of words occurs, the longest phrases first; None if any word is left."""
    found: Counter[str] = Counter()
    words = tuple(WORD.findall(folded(text)))
    at = 0
    while at < len(words):
        length, kinds = _longest(words, at, language, frozenset(allowed))
        if not length:
            return None
        found.update(kinds)
        at += length
    return found


@cache
def phrases(kind: str, language: str = "") -> tuple[tuple[str, ...], ...]:
    """Return the phrases of a kind in a language, or in all of them, as words without accents."""
    return tuple(tuple(WORD.findall(folded(one))) for one in stored(PACKAGE, "own_wishes", kind, language))


def own_text(words: str) -> str:
    """Return what is the owner's own: the first line, without the sentence in which somebody else's text begins."""
    line = next(iter(words.strip().splitlines()), "")
    line = DASH.sub(" – ", NOON_MARK.sub(r"\1m", OF_MORE.sub("", line)))
    mark = OTHERS_TEXT.search(line)
    if mark is None:
        return line
    ends = [one.end() for one in SENTENCE.finditer(line, 0, mark.start())]
    return line[: ends[-1]] if ends else ""


def _is_wish(text: str, language: str) -> bool:
    """Return whether a part has only words of wishes, or says what to call the owner."""
    named = _begins(text, "called") and len(text.split()) <= NAMED
    return named or kinds_of(text, language, KINDS) is not None


def _begins(text: str, kind: str) -> bool:
    """Return whether a text begins with words of a kind, in any of the languages."""
    words = tuple(WORD.findall(folded(text)))
    return any(words[: len(one)] == one for one in phrases(kind))


def _has(text: str, kind: str) -> bool:
    words = tuple(WORD.findall(folded(text)))
    return any(words[at : at + len(one)] == one for one in phrases(kind) for at in range(len(words)))


def _longest(words: tuple[str, ...], at: int, language: str, allowed: frozenset[str]) -> tuple[int, frozenset[str]]:
    known, longest = _known(language, allowed)
    for length in range(min(longest, len(words) - at), 0, -1):
        if kinds := known.get(words[at : at + length]):
            return length, kinds
    return 0, frozenset()


@cache
def _known(language: str, allowed: frozenset[str]) -> tuple[Mapping[tuple[str, ...], frozenset[str]], int]:
    """Return the kinds of each phrase, and the number of words of the longest."""
    known: dict[tuple[str, ...], frozenset[str]] = {(SPAN,): frozenset({SPAN})} if SPAN in allowed else {}
    for kind in allowed - {SPAN}:
        for phrase in phrases(kind, language):
            known[phrase] = known.get(phrase, frozenset()) | {kind}
    return known, max(map(len, known))
