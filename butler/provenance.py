"""Joins labels: a derived value has the union of its sources' labels."""

from collections.abc import Iterable, Mapping
from typing import Any

from butler.contract.provenance import Labelled, Origin, SourceKind, SourceName, Trust
from butler.contract.speech import phrase, say

Labels = frozenset[Origin]
Name = SourceName | str
"""The name of a source: with its values, or a text without any."""
MODEL_PLAN = Origin(trust=Trust.UNTRUSTED, source="model", shown_as=phrase("a language model's plan"))
"""The label of a model's choices: if it chose what others will see, the owner is asked."""
_SOURCES: Mapping[SourceKind, str] = {
    SourceKind.MAIL: phrase("a mail by {who}"),
    SourceKind.MAIL_QUOTED: phrase("a mail by {who}, as quoted"),
    SourceKind.MAIL_FORWARDED: phrase("a mail by {who}, as forwarded"),
    SourceKind.MESSAGE: phrase("a message by {who}"),
    SourceKind.TELEGRAM_MESSAGE: phrase("a Telegram message by {who}"),
    SourceKind.FORWARDED_MESSAGE: phrase("a message forwarded from {who}"),
    SourceKind.DELIVERY_REPORT: phrase("a delivery report by {who}"),
    SourceKind.FILE: phrase("the file {name}"),
    SourceKind.FILE_FROM: phrase("the file {name} from {who}"),
    SourceKind.FILE_FROM_CHAT: phrase("the file {name} from a chat"),
    SourceKind.DRIVE_FILE: phrase("the Drive file {name}"),
    SourceKind.PAGE: phrase("the page {name}"),
    SourceKind.WEBHOOK: phrase("the webhook {name}"),
    SourceKind.ALERT: phrase("an alert by {name}"),
}

_NO_QUOTES = str.maketrans("“”„«»", "‘’‚‹›")
"""Characters that could look like the end of a quotation."""


def join(labels: Iterable[Labels]) -> Labels:
    """Return the labels of something derived from all of these."""
    return frozenset[Origin]().union(*labels)


def is_tainted(labels: Labels) -> bool:
    """Return whether anything untrusted, or of unknown origin, contributed."""
    return Labelled(value=None, origins=labels).tainted


def known_to_planners(labels: Labels) -> bool:
    """Return whether a planner may know a value: nobody but the owner, the butler and a planner had a hand in it."""
    trusted = {Trust.OWNER, Trust.BUTLER}
    return bool(labels) and all(_is_plan(one) or one.trust in trusted for one in labels)


def by_model(labels: Labels) -> bool:
    """Return whether a language model made the choice."""
    return any(map(_is_plan, labels))


def seen_by_model(labels: Labels) -> Labels:
    """Return the other people whose texts a language model saw when it chose, as they may have steered it."""
    if not by_model(labels):
        return frozenset()
    return frozenset(o for o in labels if not _is_plan(o) and o.trust in {Trust.CONTACT, Trust.UNTRUSTED})


def _is_plan(origin: Origin) -> bool:
    return (origin.trust, origin.source) == (MODEL_PLAN.trust, MODEL_PLAN.source)


def untrusted_names(labels: Labels) -> list[Name]:
    """Return the names of the untrusted sources, in a stable order."""
    return sorted({o.shown_as or o.source for o in labels if o.trust is Trust.UNTRUSTED}, key=str)


def dump_names(names: Iterable[Name]) -> list[Any]:
    """Return names as they are stored."""
    return [one if isinstance(one, str) else one.model_dump(mode="json") for one in names]


def untrusted_sources(labels: Labels) -> list[str]:
    """Return the names of the untrusted sources for a card, in a stable order."""
    return sorted(set(map(_in_words, untrusted_names(labels))))


def say_sources(stored: Iterable[Any]) -> str:
    """Convert stored names of sources to those for a card."""
    names = (one if isinstance(one, str) else SourceName.model_validate(one) for one in stored)
    return say(" and ").join(sorted(set(map(_in_words, names))))


def _in_words(name: Name) -> str:
    if isinstance(name, str):
        return say(name)
    values = {"who": name.who or say("somebody"), "name": name.name or say("a file")}
    return say(_SOURCES[name.kind], **values)


def only_set_going(labels: Labels) -> Labels:
    """Return the untrusted sources that only triggered the act, if the value itself is the owner's; otherwise none.

    Permissions do not depend on this: only a card distinguishes the two.
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
    return [o.model_dump(mode="json") for o in sorted(labels, key=lambda o: (o.trust, o.source, str(o.shown_as)))]


def load(data: Iterable[Mapping[str, Any]]) -> Labels:
    """Load labels from JSON."""
    return frozenset(Origin.model_validate(o) for o in data)
