"""Finds which of the owner's contacts a text names, by a whole confirmed name or address."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from butler.agents.reader.port import KnownPerson

_SHORTEST = 2


@dataclass(frozen=True, slots=True)
class _Named:
    start: int
    end: int
    contact_id: str


def named(text: str, people: Sequence[KnownPerson]) -> Iterator[str]:
    """Yield the ids of the named contacts, in order; names within a longer name do not count."""
    folded = text.casefold()
    found = [_Named(*span, person.contact_id) for person in people for span in _spans(folded, person)]
    for one in sorted(found, key=lambda one: one.start):
        if not any(_within(one, other) for other in found):
            yield one.contact_id


def _spans(folded: str, person: KnownPerson) -> Iterator[tuple[int, int]]:
    for name in {*person.aliases, *person.addresses}:
        flat = r"\s+".join(map(re.escape, name.casefold().split()))
        if len(name) >= _SHORTEST:
            yield from (match.span() for match in re.finditer(rf"(?<![\w@.-]){flat}(?![\w@]|[.-]\w)", folded))


def _within(one: _Named, other: _Named) -> bool:
    longer = other.end - other.start > one.end - one.start
    return longer and other.start <= one.start and one.end <= other.end and other.contact_id != one.contact_id
