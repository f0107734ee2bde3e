"""How labels are joined: a derived value has the union of its sources' labels."""

from collections.abc import Iterable, Mapping
from typing import Any

from butler.contract.provenance import Labelled, Origin, Trust
from butler.contract.speech import phrase, say

Labels = frozenset[Origin]
MODEL_PLAN = Origin(trust=Trust.UNTRUSTED, source="model", shown_as=phrase("a language model's plan"))
"""Nobody can vouch for a model: whatever it chose of what others will see, the owner is asked about."""

_NO_QUOTES = str.maketrans("“”„«»", "‘’‚‹›")
"""What could look like the end of a quotation."""


def join(labels: Iterable[Labels]) -> Labels:
    """The labels of something derived from all of these."""
    return frozenset[Origin]().union(*labels)


def is_tainted(labels: Labels) -> bool:
    """True when anybody untrusted had a hand in it, or nobody knows who had."""
    return Labelled(value=None, origins=labels).tainted


def by_model(labels: Labels) -> bool:
    """True where a language model made the choice."""
    return MODEL_PLAN in labels


def seen_by_model(labels: Labels) -> Labels:
    """Whom else a language model had before it when it chose: other people, who may have steered the choice."""
    if not by_model(labels):
        return frozenset()
    return frozenset(o for o in labels - {MODEL_PLAN} if o.trust in {Trust.CONTACT, Trust.UNTRUSTED})


def untrusted_names(labels: Labels) -> list[str]:
    """The names of the untrusted sources as they are stored, in a stable order."""
    return sorted({o.shown_as or o.source for o in labels if o.trust is Trust.UNTRUSTED})


def untrusted_sources(labels: Labels) -> list[str]:
    """The untrusted sources as a card names them, in a stable order."""
    return sorted(set(map(say, untrusted_names(labels))))


def say_sources(names: Iterable[str]) -> str:
    """Stored names of sources as a card names them."""
    return say(" and ").join(sorted(set(map(say, names))))


def only_set_going(labels: Labels) -> Labels:
    """The untrusted sources that brought it about, where the value itself is the owner's; else none.

    It makes no difference to what may be done: only a card tells the two apart.
    """
    untrusted = frozenset(o for o in labels if o.trust is Trust.UNTRUSTED)
    owners = any(o.trust is Trust.OWNER for o in labels)
    return untrusted if owners and all(o.set_going for o in untrusted) else frozenset()


def as_kept(text: str, labels: Labels) -> str:
    """A text that was kept, as it is shown: where anybody else had a hand in it, on one line, quoted, with whose it is.

    One that nobody is named for is the owner's.
    """
    if not labels or not is_tainted(labels):
        return text
    line = " ".join(text.split()).translate(_NO_QUOTES)
    return say("“{text}” (from {sources})", text=line, sources=say(" and ").join(untrusted_sources(labels)))


def dump(labels: Labels) -> list[dict[str, Any]]:
    """Labels as JSON, in a stable order."""
    return [o.model_dump(mode="json") for o in sorted(labels, key=lambda o: (o.trust, o.source, o.shown_as))]


def load(data: Iterable[Mapping[str, Any]]) -> Labels:
    """Labels from JSON."""
    return frozenset(Origin.model_validate(o) for o in data)
