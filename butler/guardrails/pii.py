"""Finds personal data in a text, as spans."""

from bisect import bisect_left
from collections.abc import Sequence
from functools import lru_cache

from butler.guardrails.checks import CHECKS
from butler.guardrails.credentials import credentials
from butler.guardrails.folding import Folded, folded
from butler.guardrails.guard import GuardSpan
from butler.guardrails.kinds import DOMAIN
from butler.guardrails.patterns import Match, Pattern, PatternSet
from butler.guardrails.reading import patterns_of


def personal_data(text: str) -> list[GuardSpan]:
    """Return all personal or secret data that patterns find, in order and without overlaps."""
    seen = folded(text)
    look = _patterns().look(seen.text)
    return spans_of(seen, look.find(look.hits))


def spans_of(seen: Folded, matches: Sequence[Match]) -> list[GuardSpan]:
    """Return the valid matches as spans of the original; of two that overlap, the more certain one."""
    if not matches:
        return []
    checked = [match for match in matches if CHECKS[match.pattern.check](match.text)]
    checked.sort(key=lambda match: (match.rank, match.start))
    kept = _apart(checked)
    places = seen.spans([(match.start, match.end) for match in kept])
    return [
        GuardSpan(start=start, end=end, type=match.pattern.kind)
        for match, (start, end) in zip(kept, places, strict=True)
    ]


def without_links(spans: Sequence[GuardSpan]) -> list[GuardSpan]:
    """Return the spans without web addresses, which are nobody's personal data."""
    return [span for span in spans if span.type != DOMAIN]


def _apart(matches: Sequence[Match]) -> list[Match]:
    """Drop matches that overlap one earlier in the list; return the others by position."""
    kept: list[Match] = []
    for match in matches:
        at = bisect_left(kept, match.end, key=_start)
        if at == 0 or kept[at - 1].end <= match.start:
            kept.insert(at, match)
    return kept


def _start(match: Match) -> int:
    return match.start


@lru_cache(maxsize=1)
def pii_patterns() -> tuple[Pattern, ...]:
    """Return all patterns, the most certain first."""
    return (*credentials(), *patterns_of("pii"))


@lru_cache(maxsize=1)
def _patterns() -> PatternSet:
    return PatternSet(credentials(), patterns_of("pii"))
