"""The owner's own words out of a message; what was forwarded or quoted is left out, and only counted."""

from dataclasses import dataclass

from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled, Origin, Trust


@dataclass(frozen=True, slots=True)
class OwnerWords:
    """What the owner said, and how many pieces by others came with it."""

    words: Labelled[str]
    others: tuple[Labelled[str], ...]


def owner_words(item: Inbound) -> OwnerWords:
    """Split a message that the owner sent into own words and everything else."""
    segments = item.segments or (Labelled(value=item.text, origins=frozenset({item.origin})),)
    own = [s for s in segments if s.origins and all(o.trust is Trust.OWNER for o in s.origins)]
    others = tuple(s for s in segments if s not in own)
    text = "\n".join(s.value.strip() for s in own if s.value.strip())
    origins = frozenset[Origin]().union(*(s.origins for s in own)) or frozenset({Origin.owner(item.chat)})
    return OwnerWords(Labelled(value=text, origins=origins), others)
