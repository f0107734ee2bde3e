"""What was shown and is pointed at: `the second one`, `das letzte`, `celui-là`, `both`, in any of the languages."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.items import Spoken, find, last_list, last_shown_kind
from butler.orchestrator.embedded.people import Person
from butler.orchestrator.understanding.said import Said
from butler.store.conversation import Referent
from butler.understanding.times.lexicon import lexicon, tokens_of

HANDLE = re.compile(r"\b(mail|message|file|page|source|event|card|board|reminder|note)-\d{1,6}\b", re.ASCII)
NUMBERED = re.compile(
    r"(?:^|\s|#|nr\.?|no\.?|number|nummer|num[ée]ro|n[ºo°])\s*(\d{1,3})(?:\.|er|e|º|ª|st|nd|rd|th|ème)?(?:\b|$)",
    re.IGNORECASE,
)
LAST = re.compile(
    r"\b(last|latest|newest|most recent|final|letzte[nrsm]?|neu?este[nrsm]?|jüngste[nrsm]?|derni(?:er|"
    r"ère)s?|[úu]ltim[oa]s?|plus récente?)\b",
    re.IGNORECASE,
)
ALL = re.compile(
    r"\b(all|both|every(?:thing|one)?|these|those|them|alle[nsr]?|beide[nsr]?|diese[nr]?|jene|tou(?:t|s|te|tes)|"
    r"les deux|ces|ceux|celles|tod[oa]s?|ambos|ambas|los dos|las dos|est[oa]s|es[oa]s)\b",
    re.IGNORECASE,
)
FIRST_FEW = re.compile(
    r"\b(?:first|ersten|premi(?:er|ère)s|primer[oa]s)\s+(\w+)|\b(?!the\b|les\b|l[ao]s\b)(\w+)\s+(?:first|premi(?:er|ère)s|primer[oa]s)\b",
    re.IGNORECASE,
)
FROM_END = re.compile(
    r"\b(?:last|letzten|derniers|dernières|últimos|últimas)\s+(two|three|zwei|drei|deux|trois|dos|tres|\d+)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Pointed:
    """How something shown was pointed at; nothing at all means `it`."""

    numbers: tuple[int, ...] = ()
    last: bool = False
    every: bool = False
    handle: str = ""
    first: int = 0
    """The first so many of the list."""


def pointed(words: str, language: str) -> Pointed:
    """Read the words of a `ref` slot."""
    if match := HANDLE.search(words):
        return Pointed(handle=match[0])
    tokens = tokens_of(words)
    lexical = lexicon(language)
    few = max((_number(word, language) for found in FIRST_FEW.findall(words) for word in found), default=0)
    if few > 1:
        return Pointed(first=few)
    numbers = tuple(
        int(found[0]) for at in range(len(tokens)) if (found := lexical.longest(tokens, at, "ordinal")) is not None
    ) or tuple(int(one) for one in NUMBERED.findall(words))
    if numbers:
        return Pointed(numbers=tuple(dict.fromkeys(numbers)))
    if ALL.search(words):
        return Pointed(every=True)
    if LAST.search(words):
        return Pointed(last=True)
    spelled = [
        found for at in range(len(tokens)) if (found := lexical.longest(tokens, at, "number")) and int(found[0]) > 1
    ]
    return Pointed(numbers=tuple(int(one[0]) for one in spelled))


def _number(word: str | None, language: str) -> int:
    if not word:
        return 0
    found = lexicon(language).longest(tokens_of(word), 0, "number")
    return int(word) if word.isdigit() else int(found[0]) if found else 0


def one_of(
    said: Said, among: frozenset[ReferentKind], *, by: Person | None = None, slot: str = "ref"
) -> Referent | None:
    """The one shown item that is meant; None where a person's was not shown yet. Asks where several fit."""
    words = said.words(slot)
    way = pointed(words, said.language)
    kind = next(iter(among)) if len(among) == 1 else None
    spoken = Spoken(
        handle=way.handle, number=way.numbers[0] if way.numbers else 0, newest=way.last or by is not None,
        person=by, kind=kind,
    )  # fmt: skip
    return find(spoken, said.scene, lambda handle: said.again(slot, handle), among)


def several(said: Said, among: frozenset[ReferentKind], *, slot: str = "ref") -> tuple[Referent, ...]:
    """All shown items that are meant, in order; raise `Asking` where none is."""
    way = pointed(" ".join(said.request.words(slot)), said.language)
    shown = [one for one in said.scene.request.referents if one.kind in among]
    replied = [one for one in said.scene.request.replied_to if one.kind in among]
    listed = replied or last_list(shown)
    if way.every and listed:
        return tuple(listed)
    if way.first and listed:
        return tuple(one for one in listed if 0 < one.ordinal <= way.first) or tuple(listed[: way.first])
    if len(way.numbers) > 1:
        return tuple(_numbered(listed, number) for number in way.numbers)
    found = one_of(said, among, slot=slot)
    if found is None:
        raise Asking(say("Which one do you mean?"))
    return (found,)


def _numbered(listed: Sequence[Referent], number: int) -> Referent:
    found = next((one for one in listed if one.ordinal == number), None)
    if found is None:
        raise Asking(say("There is no number {number} in the list.", number=number))
    return found


def shows(said: Said, kind: ReferentKind) -> bool:
    """Whether what was shown last, or replied to, is of a kind."""
    return last_shown_kind(said.scene) is kind
