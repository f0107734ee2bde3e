"""Reads which expert the owner asks by name, and the request to it: `ask the mail expert to ...`.

Only the beginning of the owner's own words names an expert. Quoted or forwarded words name nobody. The words around a
name are in `experts.toml`.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from butler.orchestrator.embedded.lexer import Phrases, Tail, fold, lex, name_phrase
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.embedded.table_words import phrases_of, word_set
from butler.orchestrator.experts.expert import Expert

SEPARATORS = frozenset(",:-–—")


@dataclass(frozen=True, slots=True)
class Named:
    """The experts that a name may mean, nearly always one, and what is asked of them."""

    experts: tuple[Expert, ...]
    words: str


def asks_which(words: str, butler_name: str) -> bool:
    """Return whether the owner wants to know which experts there are."""
    after = _opened(words, butler_name).bare().take(_phrases("which"))
    return after is not None and after.done


def named(words: str, experts: Sequence[Expert], aliases: Iterable[str], butler_name: str) -> Named | None:
    """Return the experts that the words name, with the request; None if they name no expert.

    `aliases` are names of people and of the butler; they take precedence over experts of the same name.
    """
    start = _opened(words, butler_name)
    if (found := _mentioned(start, experts)) is not None:
        return None if _is_somebody(start, aliases) else found
    asked = start.take(_phrases("ask"))
    here = (asked or start).past(_phrases("article"))
    for after, meant in _nouns(here, experts):
        if (asked is not None or after.word() in SEPARATORS) and not _is_somebody(here, aliases):
            return Named(meant, _request(after, asked=asked is not None))
    return None


def _opened(words: str, butler_name: str) -> Tail:
    """Return the words without polite openings in any language."""
    tail = without_manners(lex(words.lstrip("¿¡ ")), butler_name)
    while (after := tail.take(_phrases("opening"))) is not None and not after.done:
        tail = after
    return tail


def _is_somebody(tail: Tail, aliases: Iterable[str]) -> bool:
    return any(tail.take(name_phrase(sign + alias)) is not None for alias in aliases if alias for sign in ("", "@"))


def _mentioned(tail: Tail, experts: Sequence[Expert]) -> Named | None:
    """Return the expert and the request of words such as `@mail any news?`."""
    found = [one for one in experts if tail.word() == f"@{one.name}"]
    return Named(tuple(found), _request(tail.skip(), asked=False)) if found else None


def _nouns(tail: Tail, experts: Sequence[Expert]) -> Iterator[tuple[Tail, tuple[Expert, ...]]]:
    """Yield the words after names such as `mail expert`, `Mail-Experten` or `experto en correo`, with the experts."""
    for after, meant in _calls(tail, experts):
        if after.word() in _words("noun_behind"):
            yield after.skip(), meant
    if compound := _best((_compound(tail.word(), call), one) for one in experts for call in _names(one)):
        yield tail.skip(), compound
    if tail.word() in _words("noun_before"):
        for after, meant in _calls(tail.skip().past(_phrases("of")), experts):
            yield after, meant


def _calls(tail: Tail, experts: Sequence[Expert]) -> Iterator[tuple[Tail, tuple[Expert, ...]]]:
    """Yield the words after a name or topic of an expert, the longest name first, with the experts."""
    glued = next((sign for sign in _words("elided") if tail.word().startswith(sign)), "")
    here = lex(tail.text[len(glued) :])
    lengths: dict[int, list[tuple[int, Expert]]] = {}
    for one in experts:
        for call in _names(one):
            after = here.take(name_phrase(call))
            if after is not None:
                lengths.setdefault(after.at, []).append((1 + (call == one.name), one))
    for length in sorted(lengths, reverse=True):
        yield tail.skip(length), _best(lengths[length])


def _best(found: Iterable[tuple[int, Expert]]) -> tuple[Expert, ...]:
    """Return the experts that fit best; a name fits better than a topic."""
    fitting = [(fit, one) for fit, one in found if fit]
    most = max((fit for fit, _ in fitting), default=0)
    return tuple({one.name: one for fit, one in fitting if fit == most}.values())


@cache
def _names(expert: Expert) -> tuple[str, ...]:
    return (expert.name, *map(fold, expert.topics))


def _compound(word: str, call: str) -> int:
    """Return 1 if a word is German for that expert, such as `mail-experten` or `betriebsexpertin`, else 0."""
    return int(word.startswith(call) and word[len(call) :].lstrip("s").lstrip("-") in _words("noun_joined"))


def _request(after: Tail, *, asked: bool) -> str:
    """Return the request as the owner wrote it; an indirect question becomes a direct one."""
    while after.word() in SEPARATORS or (asked and after.take(_phrases("link")) is not None):
        after = after.skip()
    if not asked:
        return after.text
    if to := next((sign for sign in _words("elided_to") if after.word().startswith(sign)), ""):
        return after.text[len(to) :]
    return _as_question(after) or after.text


def _as_question(tail: Tail) -> str:
    """Return an indirect question (`why the server is slow`, `warum der Server langsam ist`) as a direct one, or ""."""
    words = tail.bare()
    if words.word() not in _words("asking") or words.word(1) not in _words("articles_of_subjects"):
        return ""
    place = next((n for n in range(2, words.end - words.at) if words.word(n) in _words("is")), None)
    if place is None:
        return ""
    before = words.skip().until(words.skip(place)).text
    return " ".join(filter(None, (words.written(), words.written(place), before, words.skip(place + 1).text)))


def _phrases(kind: str) -> Phrases:
    return phrases_of("experts", kind)


def _words(kind: str) -> frozenset[str]:
    return word_set("experts", kind)
