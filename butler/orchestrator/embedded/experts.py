"""Reads which expert the owner asks by name, and the request to it: `ask the mail expert to ...`.

Only the beginning of the owner's own words names an expert. Quoted or forwarded words name nobody.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from butler.orchestrator.embedded.lexer import Tail, fold, lex, name_phrase, phrases, word_set
from butler.orchestrator.embedded.manners import without_manners
from butler.orchestrator.experts.expert import Expert

LIST = phrases(
    "[which|what] experts", "/experts", "(which|what) experts (are there|do you have|do you know|can i ask|have you)",
    "(who|what) are (the|your) experts", "[list|show] [me] (the|your|all) experts", "do you have [any] experts",
    "welche experten", "welche experten (gibt es|hast du|kennst du|kann ich fragen)", "experten",
    "(zeig|zeige|nenn|nenne) [mir] (die|deine|alle) experten", "wer sind (die|deine) experten",
    "quels experts", "quels experts (as-tu|y a-t-il|connais-tu|il y a|tu as|puis-je consulter)",
    "quels sont (les|tes) experts", "[montre-moi|montre|liste] (les|tes) experts",
    "(qué|que) expertos [hay|tienes|conoces]", "cuáles son (los|tus) expertos", "quiénes son (los|tus) expertos",
    "[muéstrame|enséñame|lista] (los|tus) expertos", "expertos",
)  # fmt: skip
OPENING = phrases(
    "bitte", "hallo", "hey", ",", "s'il te plaît", "s'il vous plaît", "bonjour", "salut", "por favor", "hola",
    "oye", "kannst du", "peux-tu", "puedes",
)  # fmt: skip
ASK = phrases(
    "ask", "tell", "have", "let", "get", "use", "as", "with", "consult", "i want to ask", "i'd like to ask",
    "frag", "frage", "fragt", "lass", "sag", "als", "mit", "nimm",
    "demande à", "demandez à", "dis à", "laisse", "avec", "en tant que", "en tant qu'", "demande",
    "pregunta a", "pregúntale a", "pregunta", "pregúntale", "pide a", "pídele a", "pídele", "pide", "dile a", "dile",
    "con", "como",
)  # fmt: skip
ARTICLE = phrases(
    "the", "my", "our", "your", "an", "a", "den", "dem", "die", "der", "das", "meinen", "meine", "deinen", "deine",
    "einen", "le", "la", "mon", "ma", "ton", "ta", "un", "une", "l'", "el", "al", "mi", "tu", "una",
)  # fmt: skip
LINK = phrases("to", "please", "bitte", "de", "que")
SEPARATORS = frozenset(",:-–—")
ENGLISH = frozenset({"expert", "experts"})
GERMAN = ("experte", "experten", "expertin", "experts", "expert")
ROMANCE = frozenset({"expert", "experte", "l'expert", "l'experte", "experto", "experta"})
OF = phrases("en", "de", "du", "des", "del", "de la", "de l'", "de los", "de las", "d'", "pour", "para")
GLUED = ("d'", "l'", "qu'")
"""French prefixes of the next word."""
ARTICLES_OF_SUBJECTS = word_set("the my our this that der die das mein meine unser unsere")
ASKING = word_set("why how what where when warum wieso weshalb wie")
IS = word_set("is are was were ist sind war waren")


@dataclass(frozen=True, slots=True)
class Named:
    """The experts that a name may mean, nearly always one, and what is asked of them."""

    experts: tuple[Expert, ...]
    words: str


def asks_which(words: str, butler_name: str) -> bool:
    """Return whether the owner wants to know which experts there are."""
    after = _opened(words, butler_name).bare().take(LIST)
    return after is not None and after.done


def named(words: str, experts: Sequence[Expert], aliases: Iterable[str], butler_name: str) -> Named | None:
    """Return the experts that the words name, with the request; None if they name no expert.

    `aliases` are names of people and of the butler; they take precedence over experts of the same name.
    """
    start = _opened(words, butler_name)
    if (found := _mentioned(start, experts)) is not None:
        return None if _is_somebody(start, aliases) else found
    asked = start.take(ASK)
    here = (asked or start).past(ARTICLE)
    for after, meant in _nouns(here, experts):
        if (asked is not None or after.word() in SEPARATORS) and not _is_somebody(here, aliases):
            return Named(meant, _request(after, asked=asked is not None))
    return None


def _opened(words: str, butler_name: str) -> Tail:
    """Return the words without polite openings in any language."""
    tail = without_manners(lex(words.lstrip("¿¡ ")), butler_name)
    while (after := tail.take(OPENING)) is not None and not after.done:
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
        if after.word() in ENGLISH or after.word() in GERMAN:
            yield after.skip(), meant
    if compound := _best((_compound(tail.word(), call), one) for one in experts for call in _names(one)):
        yield tail.skip(), compound
    if tail.word() in ROMANCE:
        for after, meant in _calls(tail.skip().past(OF), experts):
            yield after, meant


def _calls(tail: Tail, experts: Sequence[Expert]) -> Iterator[tuple[Tail, tuple[Expert, ...]]]:
    """Yield the words after a name or topic of an expert, the longest name first, with the experts."""
    glued = next((sign for sign in GLUED if tail.word().startswith(sign)), "")
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
    return int(word.startswith(call) and word[len(call) :].lstrip("s").lstrip("-") in GERMAN)


def _request(after: Tail, *, asked: bool) -> str:
    """Return the request as the owner wrote it; an indirect question becomes a direct one."""
    while after.word() in SEPARATORS or (asked and after.take(LINK) is not None):
        after = after.skip()
    if not asked:
        return after.text
    if after.word().startswith("d'"):
        return after.text[2:]
    return _as_question(after) or after.text


def _as_question(tail: Tail) -> str:
    """Return an indirect question (`why the server is slow`, `warum der Server langsam ist`) as a direct one, or ""."""
    words = tail.bare()
    if words.word() not in ASKING or words.word(1) not in ARTICLES_OF_SUBJECTS:
        return ""
    place = next((n for n in range(2, words.end - words.at) if words.word(n) in IS), None)
    if place is None:
        return ""
    before = words.skip().until(words.skip(place)).text
    return " ".join(filter(None, (words.written(), words.written(place), before, words.skip(place + 1).text)))
