"""Joins labels: a derived value has the union of its sources' labels."""

from collections.abc import Iterable, Mapping
from typing import Any

from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.speech import phrase, say

Labels = frozenset[Origin]
MODEL_PLAN = Origin(trust=Trust.UNTRUSTED, source="model", shown_as=phrase("a language model's plan"))
"""The label of a model's choices: if it chose what others will see, the owner is asked."""

_NO_QUOTES = str.maketrans("“”„«»", "‘’‚‹›")
"""Characters that could look like the end of a quotation."""


def join(labels: Iterable[Labels]) -> Labels:
    """Return the labels of something derived from all of these."""
    return frozenset[Origin]().union(*labels)


def is_tainted(labels: Labels) -> bool:
    """Return whether anything untrusted, or of unknown origin, contributed."""
    return Labelled(value=None, origins=labels).tainted


def by_model(labels: Labels) -> bool:
    """Return whether a language model made the choice."""
    return MODEL_PLAN in labels


def seen_by_model(labels: Labels) -> Labels:
    """Return the other people whose texts a language model saw when it chose, as they may have steered it."""
    if not by_model(labels):
        return frozenset()
    return frozenset(o for o in labels - {MODEL_PLAN} if o.trust in {Trust.CONTACT, Trust.UNTRUSTED})


def untrusted_names(labels: Labels) -> list[str]:
    """Return the stored names of the untrusted sources, in a stable order."""
    return sorted({o.shown_as or o.source for o in labels if o.trust is Trust.UNTRUSTED})


def untrusted_sources(labels: Labels) -> list[str]:
    """Return the names of the untrusted sources for a card, in a stable order."""
    return sorted(set(map(say, untrusted_names(labels))))


def say_sources(names: Iterable[str]) -> str:
    """Convert stored names of sources to those for a card."""
    return say(" and ").join(sorted(set(map(say, names))))


def only_set_going(labels: Labels) -> Labels:
    """Return the untrusted sources that only triggered it, if the value itself is the owner's; else none.

    Permissions do not depend on it: only a card distinguishes the two.
    """
    untrusted = frozenset(o for o in labels if o.trust is Trust.UNTRUSTED)
    owners = any(o.trust is Trust.OWNER for o in labels)
    return untrusted if owners and all(o.set_going for o in untrusted) else frozenset()


def as_kept(text: str, labels: Labels) -> str:
    """Return a stored text for display: on one line, quoted, with its origins, unless it is only the owner's.

    A text without origins is the owner's.
    """
    if not labels or not is_tainted(labels):
        return text
    line = " ".join(text.split()).translate(_NO_QUOTES)
    return say("“{text}” (from {sources})", text=line, sources=say(" and ").join(untrusted_sources(labels)))


def dump(labels: Labels) -> list[dict[str, Any]]:
    """Return labels as JSON, in a stable order."""
    return [o.model_dump(mode="json") for o in sorted(labels, key=lambda o: (o.trust, o.source, o.shown_as))]


def load(data: Iterable[Mapping[str, Any]]) -> Labels:
    """Load labels from JSON."""
    return frozenset(Origin.model_validate(o) for o in data)
