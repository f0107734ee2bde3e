"""Rates how much a text looks like prompt injection: signs with weights, added up where they are close.

Only a hint: a careful attacker is not detected. No safety guarantee depends on it.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

from butler.contract.tables import table
from butler.guardrails.decoding import GATES, backwards, decoded
from butler.guardrails.folding import FURTHER, Folded, folded, hidden_tags, latinised, unleeted
from butler.guardrails.patterns import Look, Pattern, PatternSet
from butler.guardrails.reading import patterns_of

HIDDEN = "hidden"
"""The sign of a text written in invisible characters."""
LEET = "maybe_leet"
WEAK = 0.35
"""Lighter signs are in most texts, so they are searched separately."""
MOST = 40
"""Matches of a sign that are considered: this many suffice for suspicion."""
KEPT = 4_096
"""Sets of matching patterns whose outlook is cached: most texts have none, or the same few together."""


class Sign(NamedTuple):
    """One sign, and its place in the original text."""

    kind: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Suspicion:
    """A rating of how much a text looks like an injection, where 1 and more is too much, and its signs."""

    score: float = 0.0
    signs: tuple[Sign, ...] = ()

    @property
    def is_injection(self) -> bool:
        """Return whether the signs suffice."""
        return self.score >= _weights().threshold

    @property
    def is_plain(self) -> bool:
        """Return whether the text is an injection even if its author may give orders."""
        return self.is_injection and any(sign.kind in _weights().plain for sign in self.signs)


CLEAN = Suspicion()
"""The result for a text without signs."""


@dataclass(frozen=True, slots=True)
class _Together:
    signs: tuple[str, str]
    within: int
    weight: float


@dataclass(frozen=True, slots=True)
class _Weights:
    threshold: float
    window: int
    plain: frozenset[str]
    encoded: float
    signs: dict[str, float]
    together: tuple[_Together, ...]


def injection_patterns() -> tuple[tuple[Pattern, ...], ...]:
    """Return the patterns of signs and of encoded parts, grouped so that the automata's states do not multiply."""
    signs = patterns_of("injection")
    weak = tuple(sign for sign in signs if _weights().signs.get(sign.kind, 0.0) < WEAK)
    return tuple(sign for sign in signs if sign not in weak), weak, GATES


def suspicion(text: str) -> Suspicion:
    """Rate how much a text looks like an injection."""
    seen = folded(text)
    return suspicion_of(seen, _set().look(seen.text))


def suspicion_of(seen: Folded, look: Look) -> Suspicion:
    """Rate a text after its pass by a set that includes the signs.

    Signs that cannot reach the threshold at any distance are not located.
    """
    outlook = _outlook(look.patterns, look.hits)
    is_ascii = seen.original.isascii()
    if is_ascii and not outlook.may_add_up:
        return CLEAN
    mixed, hidden, turned = (None, 0, None) if is_ascii else _disguised(seen)
    if not (outlook.may_add_up or mixed or hidden or turned):
        return CLEAN
    others = [*filter(None, [mixed, unleeted(seen) if LEET in outlook.kinds else None])]
    looks = [(seen, look), *((other, _signs_alone().look(other.text)) for other in others)]
    inside = [*decoded(seen.text, gates)] if (gates := outlook.kinds & _gates()) else []
    if turned is not None:
        inside.append((0, len(seen.text), turned[:FURTHER]))
    all_kinds = outlook.kinds.union(*(_outlook(one.patterns, one.hits).kinds for _, one in looks[1:]))
    if not hidden and not inside and _at_most(all_kinds) < _weights().threshold:
        return CLEAN
    found = [sign for one, its_look in looks for sign in _signs(one, its_look)]
    if hidden:
        found.append(Sign(HIDDEN, 0, len(seen.original)))
    worst = _added_up(found)
    for start, end, plain in inside:
        worst = _with_encoded(worst, plain, *seen.spans([(start, end)])[0])
    return worst


@dataclass(frozen=True, slots=True)
class _Outlook:
    """The highest possible rating for the patterns in a text, at any distance."""

    kinds: frozenset[str]
    may_add_up: bool


@lru_cache(maxsize=KEPT)
def _outlook(patterns: PatternSet, hits: tuple[int, ...]) -> _Outlook:
    kinds = frozenset(patterns.patterns[rank].kind for rank in hits)
    gated = LEET in kinds or not kinds.isdisjoint(_gates())
    return _Outlook(kinds, gated or _at_most(kinds) >= _weights().threshold)


def _disguised(seen: Folded) -> tuple[Folded | None, int, str | None]:
    """Return a text with mixed alphabets in Latin letters, its count of invisible characters, and its reverse."""
    return latinised(seen), hidden_tags(seen.original), backwards(seen.original)


def _with_encoded(worst: Suspicion, plain: str, start: int, end: int) -> Suspicion:
    """Add the rating of a decoded part to that of the text."""
    inside = folded(plain)
    look = _signs_alone().look(inside.text)
    if not look.hits:
        return worst
    found = _added_up(_signs(inside, look))
    if not found.score:
        return worst
    signs = (*worst.signs, *(Sign(sign.kind, start, end) for sign in found.signs))
    return Suspicion(worst.score + found.score + _weights().encoded, signs)


def _at_most(kinds: Collection[str]) -> float:
    """Return the highest possible rating of signs of these kinds, which they have close together."""
    weights = _weights()
    pairs = sum(pair.weight for pair in weights.together if pair.signs[0] in kinds and pair.signs[1] in kinds)
    return round(sum(weights.signs.get(kind, 0.0) for kind in kinds) + pairs, 3)


def _signs(seen: Folded, look: Look) -> list[Sign]:
    matches = look.find(_ranks(look.patterns), MOST)
    places = seen.spans([(match.start, match.end) for match in matches])
    return [Sign(match.pattern.kind, *place) for match, place in zip(matches, places, strict=True)]


def _added_up(signs: Sequence[Sign]) -> Suspicion:
    """Return the rating of the window of a text with the heaviest signs."""
    weights = _weights()
    ordered = sorted(signs, key=lambda sign: sign.start)
    worst = Suspicion()
    first = 0
    for at in range(len(ordered)):
        is_last = at + 1 == len(ordered)
        if not is_last and ordered[at + 1].start - ordered[first].start <= weights.window:
            continue
        near = ordered[first : at + 1]
        score = sum(weights.signs[kind] for kind in {one.kind for one in near}) + _of_pairs(near)
        if score > worst.score:
            worst = Suspicion(round(score, 3), tuple(near))
        while not is_last and ordered[at + 1].start - ordered[first].start > weights.window:
            first += 1
    return worst


def _of_pairs(signs: Sequence[Sign]) -> float:
    kinds: dict[str, list[Sign]] = {}
    for sign in signs:
        kinds.setdefault(sign.kind, []).append(sign)
    return sum(
        pair.weight
        for pair in _weights().together
        if pair.signs[0] in kinds
        and pair.signs[1] in kinds
        and any(
            max(one.start, other.start) - min(one.end, other.end) <= pair.within
            for one in kinds[pair.signs[0]]
            for other in kinds[pair.signs[1]]
        )
    )


@lru_cache(maxsize=1)
def _weights() -> _Weights:
    held: dict[str, Any] = table("butler.guardrails.tables", "injection")
    pairs = tuple(
        _Together((one["signs"][0], one["signs"][1]), one["within"], one["weight"]) for one in held["together"]
    )
    return _Weights(
        threshold=held["threshold"],
        window=held["window"],
        plain=frozenset(held["plain"]),
        encoded=held["encoded"],
        signs={**held["weights"], HIDDEN: 1.0},
        together=pairs,
    )


@lru_cache(maxsize=1)
def _set() -> PatternSet:
    return PatternSet(*injection_patterns())


@lru_cache(maxsize=1)
def _signs_alone() -> PatternSet:
    """Return the set without patterns of encoded parts: for decoded texts, and other spellings."""
    strong, weak, _ = injection_patterns()
    return PatternSet(strong, weak)


@lru_cache(maxsize=1)
def _gates() -> frozenset[str]:
    return frozenset(gate.kind for gate in GATES)


@lru_cache(maxsize=8)
def _ranks(patterns: PatternSet) -> frozenset[int]:
    return patterns.ranks(_weights().signs.keys())
