"""Turns a German clause after `dass` into a main clause: `ich etwas später komme` has its verb last.

Only certain cases are reordered: subject and verb agree, and a verb with a split-off prefix is known. The words are in
`german_clauses.toml`.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from butler.orchestrator.embedded.table_words import word_set
from butler.understanding.patterns import any_of
from butler.understanding.stored_words import patterns_in, stored

_PACKAGE, _NAME = "butler.orchestrator.embedded", "german_clauses"
SUBJECTS = (("i", "i"), ("you", "you"), ("we", "we"), ("third", "third"), ("many", "we"))
"""The kinds of subjects, with the person that their verb has to agree with."""
WORD = re.compile(r"[^\s,;.!?]+|[,;.!?]")
LAST_WORDS = 4
"""The most polite words that may follow a clause."""
LONGEST = 40


@dataclass(frozen=True, slots=True)
class _Front:
    """The words before the verb: their number, and the person that the verb has to agree with."""

    words: int
    person: str


def main_clause(text: str) -> str | None:
    """Return the clause with its verb in the second place; None if its order is not certain."""
    tokens = WORD.findall(text.strip().rstrip(".!"))
    if not tokens or len(tokens) > LONGEST:
        return None
    cut = next((n for n, token in enumerate(tokens) if token in {",", ";", ".", "!", "?"}), len(tokens))
    rest = tokens[cut:]
    if rest and not (rest[0] == "," and len(rest) > 1 and rest[1].casefold() in _words("further_clauses")):
        return None
    front = _front(tokens[:cut])
    said = _ordered(tokens[:cut], front) if front is not None else None
    return _written([*said, *rest]) if said is not None else None


def sentences_in(words: str) -> Iterator[str]:
    """Yield the main clauses made of the owner's `dass` clauses, with and without their last words."""
    for match in _clause().finditer(words):
        said = words[match.end() :].split()
        for end in range(len(said), max(len(said) - LAST_WORDS, 0), -1):
            if (sentence := main_clause(" ".join(said[:end]).rstrip(" .!?,"))) is not None:
                yield sentence


def _ordered(tokens: list[str], front: _Front) -> list[str] | None:
    """Return the reordered words of one clause, or of two that share their subject."""
    joint = next((n for n in range(front.words + 1, len(tokens) - 1) if tokens[n].casefold() in _words("joints")), None)
    if joint is not None and _verb(tokens[joint - 1], front.person) is not None:
        first = _one(tokens[:joint], front)
        second = _second(tokens[joint + 1 :], front.person)
        return [*first, tokens[joint], *second] if first is not None and second is not None else None
    return _one(tokens, front)


def _second(tokens: list[str], person: str) -> list[str] | None:
    own = _front(tokens)
    if own is not None and (said := _one(tokens, own)) is not None:
        return said
    verb = _verb(tokens[-1], person)
    return [verb[0], *tokens[:-1], *verb[1]] if verb is not None and len(tokens) > 1 else None


def _one(tokens: list[str], front: _Front) -> list[str] | None:
    middle = [token.casefold() for token in tokens[front.words : -1]]
    apart = _words("auxiliaries") | _words("that")
    if len(tokens) <= front.words or not apart.isdisjoint(middle) or _is_infinitive(tokens):
        return None
    verb = _verb(tokens[-1], front.person)
    return [*tokens[: front.words], verb[0], *tokens[front.words : -1], *verb[1]] if verb is not None else None


def _is_infinitive(tokens: list[str]) -> bool:
    """Return whether the clause ends in an infinitive such as `zu kommen`."""
    return len(tokens) > 2 and tokens[-2].casefold() in _words("to")  # noqa: PLR2004 - the two and something before


def _front(tokens: list[str]) -> _Front | None:
    """Return the words before the verb; None if it is not certain how far they go."""
    words = [token.casefold() for token in tokens]
    if not words:
        return None
    noun = _noun_at(tokens, words)
    if noun is not None:
        return noun
    person = _person(words[0])
    return _Front(1, "any" if words[0] in _words("she_or_they") else person) if person else None


def _person(word: str) -> str:
    """Return the person that the verb of a subject has to agree with; empty if the word is no subject."""
    return next((person for kind, person in SUBJECTS if word in _words(kind)), "")


def _noun_at(tokens: list[str], words: list[str]) -> _Front | None:
    """Return a subject that is a noun, such as `der neue Vertrag` or `Anna`."""
    at = 1 if words[0] in _words("articles") else 0
    while at and at < len(tokens) and tokens[at].islower() and _is_adjective(words[at]):
        at += 1
    if at >= len(tokens) or not tokens[at][:1].isupper() or _person(words[at]) not in {"", "you"}:
        return None
    after = words[at + 1] if at + 1 < len(words) else ""
    named_on = at == 0 and at + 1 < len(tokens) and tokens[at + 1][:1].isupper()
    if after in _words("behind_nouns") or named_on or words[at] in _words("titles"):
        return None
    return _Front(at + 1, "any" if words[0] in _words("plural_articles") else "third")


def _is_adjective(word: str) -> bool:
    return word.endswith(_stored("adjective_endings")) and word not in _words("small")


def _verb(token: str, person: str) -> tuple[str, list[str]] | None:
    """Return the finite verb and its split-off prefix; None if the word is no verb that agrees with the subject."""
    word = token.casefold()
    if word in _words("no_verbs") or not token.islower() or not token.isalpha():
        return None
    if not any(_agrees(word, one) for one in (("third", "we") if person == "any" else (person,))):
        return None
    if word in _words("whole"):
        return token, []
    for prefix in _stored("prefixes"):
        if word.startswith(prefix) and len(word) > len(prefix) + 1:
            stem = word.removeprefix(prefix)
            if stem in _words("stems"):
                return token[len(prefix) :], [token[: len(prefix)]]
            # `antworte` is whole, `anprobiere` is not: nobody can tell by its letters.
            return None if len(stem) > 3 and not _irregular(word, person) else (token, [])  # noqa: PLR2004
    return token, []


def _agrees(word: str, person: str) -> bool:
    regular = patterns_in(_PACKAGE, _NAME, f"regular_of_{person}")
    return _irregular(word, person) or regular.fullmatch(word) is not None


def _irregular(word: str, person: str) -> bool:
    """Return whether a word is an irregular verb form of a person."""
    return person != "any" and word in _words(f"verbs_of_{person}")


def _written(tokens: list[str]) -> str:
    said = ""
    for token in tokens:
        said += token if token in {",", ";", ".", "!", "?"} or not said else f" {token}"
    return said[:1].upper() + said[1:]


@cache
def _clause() -> re.Pattern[str]:
    """Return the pattern for what begins a clause with its verb last."""
    that = any_of((*_stored("that"), *_stored("that_formerly")))
    return re.compile(rf"\b(?:{that})\b[\s:]*", re.IGNORECASE)


def _words(kind: str) -> frozenset[str]:
    return word_set(_NAME, kind)


def _stored(kind: str) -> tuple[str, ...]:
    return stored(_PACKAGE, _NAME, kind)
