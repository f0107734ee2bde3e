"""Reads how words point at something shown: `the second one`, `das letzte`, `celui-là`, `both`, `márcalos`."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from butler.contract.tables import table
from butler.understanding.stored_words import group_in, patterns_in, stored, whole_in
from butler.understanding.times.lexicon import folded, lexicon, tokens_of

HANDLE = re.compile(r"\b(mail|message|file|page|source|event|card|board|reminder|note)-\d{1,6}\b", re.ASCII)
PACKAGE = "butler.orchestrator.understanding.things"
WAYS = (PACKAGE, "pointing")
NUMBERED = re.compile(
    rf"(?:^|\s|#|{group_in(*WAYS, 'number')})\s*(\d{{1,3}}){group_in(*WAYS, 'ordinal')}?(?:\b|$)", re.IGNORECASE
)
LAST, ALL = whole_in(*WAYS, "last"), whole_in(*WAYS, "all")
MAIL_NOUN, INFINITIVE = patterns_in(*WAYS, "mail"), patterns_in(*WAYS, "infinitive")
SHORTEST_VERB = 4
BEFORE_VERB = patterns_in(*WAYS, "before_verb")
"""French `les` before its verb: `tu peux les archiver`."""


@dataclass(frozen=True, slots=True)
class Pointed:
    """A way of pointing at something shown; without any field, `it`."""

    numbers: tuple[int, ...] = ()
    last: bool = False
    every: bool = False
    handle: str = ""
    first: int = 0
    """How many from the beginning of the list."""
    final: int = 0
    """How many from the end of the list."""
    at_end: bool = False
    """Whether it is the last item of the list, not the newest of a mailbox."""
    oldest: bool = False
    other: bool = False
    """Whether it is the other item of two, after one of them was shown alone."""
    rest: bool = False
    """Whether it is all items but the one that was shown alone since."""
    step: int = 0
    """The number of places down the list from the item that was shown alone."""
    either: bool = False
    """Whether it may be one or all of what was shown last, such as German `sie`."""
    pair: bool = False
    """Whether it is `both`, so that there have to be two."""
    how_many: bool = False
    """Whether a number may be a count: `die drei`, `les deux`."""


def pointed(words: str, language: str) -> Pointed:
    """Read the words of a `ref` slot."""
    if match := HANDLE.search(words):
        return Pointed(handle=match[0])
    tokens, plain = tokens_of(words), folded(words)
    counted = _counted(tokens, language) or _in_figures(words, tokens, language)
    return counted or _of_all(plain) or _relative(words, plain) or _spelled(tokens, plain, language)


def _in_figures(words: str, tokens: Sequence[str], language: str) -> Pointed | None:
    """Return pointing by numbers in the list: `the second and the fourth`, `number 3`."""
    numbers = _ordinals(tokens, language) or [int(one) for one in NUMBERED.findall(words)]
    return Pointed(numbers=tuple(dict.fromkeys(numbers))) if numbers else None


def ordinals(text: str, language: str) -> tuple[int, ...]:
    """Return the ordinal numbers that pick something in a text: `erste beantworten`, but not `first archive it`.

    They stand after an article, before a noun for a mail, or with only one other word.
    """
    words, tokens = lexicon(language), [token for token in tokens_of(text) if token[:1].isalnum()]
    found = [(at, one) for at in range(len(tokens)) if (one := words.longest(tokens, at, "ordinal")) is not None]
    counted = {place for at, (_, end) in found for place in range(at, end)}
    rest = [
        token for at, token in enumerate(tokens) if at not in counted and "and" not in words.phrases.get((token,), {})
    ]
    picked = (
        int(number)
        for at, (number, end) in found
        if len(rest) <= 1 or _says_the(tokens[:at]) or MAIL_NOUN.match(" ".join(tokens[end : end + 1]))
    )
    return tuple(dict.fromkeys(picked))


def _says_the(before: Sequence[str]) -> bool:
    return bool(before) and before[-1] in _words("the")


def _ordinals(tokens: Sequence[str], language: str) -> list[int]:
    words = lexicon(language)
    found = (words.longest(tokens, at, "ordinal") for at in range(len(tokens)))
    return [int(one[0]) for one in found if one is not None]


def _of_all(plain: str) -> Pointed | None:
    """Return pointing at all of them, both, or all the others."""
    if _says("rest", plain):
        return Pointed(rest=True)
    if _says("both", plain):
        return Pointed(every=True, pair=True)
    every = _says("every", plain) or _says("many", plain) or _alone(plain, "alone_many")
    return Pointed(every=True) if every else None


def _relative(words: str, plain: str) -> Pointed | None:
    """Return pointing at an item by its place in the list, or by its age."""
    ways = {
        "next": Pointed(step=1),
        "previous": Pointed(step=-1),
        "top": Pointed(numbers=(1,)),
        "oldest": Pointed(oldest=True),
        "newest": Pointed(last=True),
        "last": Pointed(last=True, at_end=MAIL_NOUN.search(words) is None),
        "other": Pointed(other=True),
    }
    return next((way for kind, way in ways.items() if _says(kind, plain)), None)


def _spelled(tokens: Sequence[str], plain: str, language: str) -> Pointed:
    """Return pointing by a number in words."""
    words = lexicon(language)
    found = [
        (at, int(one[0]))
        for at in range(len(tokens))
        if (one := words.longest(tokens, at, "number")) and int(one[0]) > 1
    ]
    if not found:
        return Pointed(either=_says("either", plain))
    how_many = found[0][0] > 0 and tokens[found[0][0] - 1] in _words("plural")
    return Pointed(numbers=tuple(number for _, number in found), how_many=how_many)


def _counted(tokens: Sequence[str], language: str) -> Pointed | None:
    """Return pointing at the first or last few: `the first three`, `los últimos dos`, `die zwei letzten`."""
    for at, token in enumerate(tokens):
        for kind in ("first", "last"):
            if token in _words(kind):
                number = max(_number(tokens[at + 1 : at + 2], language), _number(tokens[max(at - 1, 0) : at], language))
                if number > 1:
                    return Pointed(first=number) if kind == "first" else Pointed(final=number)
    return None


def _number(tokens: Sequence[str], language: str) -> int:
    if not tokens:
        return 0
    if tokens[0].isdigit():
        return int(tokens[0])
    if tokens[0] in _words("both"):
        return 2
    found = lexicon(language).longest(tokens, 0, "number")
    return int(found[0]) if found else 0


def pointed_within(text: str, language: str) -> Pointed:
    """Return how an unmarked request points at things: by its pronouns, or by its verbs' endings."""
    if match := HANDLE.search(text):
        return Pointed(handle=match[0])
    said, plain = _within(language), folded(text)
    if _says("rest", plain):
        return Pointed(rest=True)
    if _says("both", plain):
        return Pointed(every=True, pair=True)
    if _has(said["many"], plain) or _ends(said["endings_many"], plain) or BEFORE_VERB.search(plain):
        return Pointed(every=True)
    if _has(said["either"], plain) or _stands_alone(said["articles"], said["behind"], plain):
        return Pointed(either=True)
    one = _has(said["one"], plain) or _ends(said["endings_one"], plain)
    return Pointed() if one else _relative(text, plain) or Pointed(either=True, how_many=True)


@cache
def _within(language: str) -> Mapping[str, Any]:
    return table(*WAYS)["within"][language]


def says_nothing(way: Pointed) -> bool:
    """Return whether an unmarked request points at nothing in particular: `archive`, `mark as read`."""
    return way == Pointed(either=True, how_many=True)


def is_of_one(text: str, language: str) -> bool:
    """Return whether the words mean a single mail: `the one from the vet`."""
    return _has(stored(*WAYS, "single", language), " ".join(folded(text).split()))


def _ends(endings: Sequence[str], plain: str) -> bool:
    """Return whether a verb has one of these endings."""
    words = re.findall(r"[\w'-]+", plain)
    return any(
        word.endswith(tuple(endings))
        and len(word) > SHORTEST_VERB
        and (before not in _words("before_nouns") or INFINITIVE.search(word))
        for before, word in zip(["", *words], words, strict=False)
    )


def _stands_alone(articles: Sequence[str], behind: str, plain: str) -> bool:
    """Return whether an article is used as a pronoun: `archivier die`, `die gehört in Haus`."""
    after = "|".join(map(re.escape, behind.split()))
    return (
        bool(articles) and re.search(rf"{_any_of(tuple(articles))}(?=\s*(?:$|[,.!?]|(?:{after})\b))", plain) is not None
    )


def _has(phrases: Sequence[str], plain: str) -> bool:
    return bool(phrases) and re.search(_any_of(tuple(phrases)), plain) is not None


def _says(kind: str, plain: str) -> bool:
    return re.search(_any_of(_words(kind)), plain) is not None


def _alone(plain: str, kind: str) -> bool:
    return plain.strip(" -.,!?") in _words(kind)


def _words(kind: str) -> tuple[str, ...]:
    return stored(PACKAGE, "pointing_words", kind)


@cache
def pointing_words() -> frozenset[str]:
    """Return all single words that point, and so do not identify anything."""
    every = (phrase for kind in table(PACKAGE, "pointing_words") for phrase in _words(kind))
    return frozenset(word for phrase in every for word in phrase.split())


@cache
def _any_of(phrases: tuple[str, ...]) -> str:
    return rf"(?<!\w)(?:{'|'.join(map(re.escape, phrases))})(?![\w])"
