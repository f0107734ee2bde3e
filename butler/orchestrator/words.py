"""The owner's own words out of a message; what was forwarded or quoted is left out, and only counted."""

from dataclasses import dataclass

from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled, Origin, Trust

PLURAL = {"dice": "dice", "story": "stories"}


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


def without_words(item: Inbound) -> str:
    """What is said to a message in which the owner said nothing."""
    if missing := item.payload.get("missing_files"):
        return f"A file did not reach me: {missing[0]['reason']}. Tell me in words what to do."
    if files := len(item.attachments):
        return f"I got {files} file{'s' if files > 1 else ''}. Tell me in words what to do."
    if item.text:
        return "I see only what somebody else wrote. Tell me in your own words what to do with it."
    kind = str(item.payload.get("unread") or "such message")
    return f"I cannot read {PLURAL.get(kind, f'{kind}s')}. Tell me in words what to do."
