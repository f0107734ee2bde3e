"""How labels are joined: a derived value has the union of its sources' labels."""

from collections.abc import Iterable, Mapping
from typing import Any

from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.speech import say

Labels = frozenset[Origin]


def join(labels: Iterable[Labels]) -> Labels:
    """The labels of something derived from all of these."""
    return frozenset[Origin]().union(*labels)


def is_tainted(labels: Labels) -> bool:
    """True when anybody untrusted had a hand in it, or nobody knows who had."""
    return Labelled(value=None, origins=labels).tainted


def untrusted_sources(labels: Labels) -> list[str]:
    """The untrusted sources as a card names them, in a stable order."""
    return sorted({say(o.shown_as or o.source) for o in labels if o.trust is Trust.UNTRUSTED})


def dump(labels: Labels) -> list[dict[str, Any]]:
    """Labels as JSON, in a stable order."""
    return [o.model_dump(mode="json") for o in sorted(labels, key=lambda o: (o.trust, o.source, o.shown_as))]


def load(data: Iterable[Mapping[str, Any]]) -> Labels:
    """Labels from JSON."""
    return frozenset(Origin.model_validate(o) for o in data)
