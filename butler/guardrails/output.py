"""What must not leave in a text: links nobody has shown, secrets, and what belongs to somebody whom it is not for."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butler.contract.agents import GuardSpan
from butler.guardrails.kinds import API_KEY, DOMAIN, LINK, SECRETS

_IMAGE = re.compile(
    r"!\[[^\]\n]{0,200}\]\(\s*(https?://[^)\s]+)[^)]*\)|<img\b[^>]{0,400}\bsrc=[\"']?(https?://[^\"'>\s]+)[^>]*>"
)
_TRAILING = ".,;:!?)]}'\"*"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """Whom a text is for, and what may stand in it.

    `recipients` is None where nobody knows, and empty where the text is for the owner alone, as all is that is not said
    to be for others. `known_links` is None where links are nobody's business; one without a path stands for its host.
    """

    recipients: tuple[str, ...] | None = ()
    known_links: frozenset[str] | None = None
    owners_words: str = ""

    @classmethod
    def of(cls, metadata: Mapping[str, Any] | None, known: Sequence[str] = ()) -> "Outgoing":
        """From a check's metadata: `recipients` (None for anybody), `known_links`, `owners_words`.

        Where links matter, those that are `known` by the settings may stand there, too.
        """
        held = metadata or {}
        recipients, links = held.get("recipients", ()), held.get("known_links")
        return cls(
            None if recipients is None else tuple(str(one) for one in recipients),
            None if links is None else frozenset(str(one).rstrip("/") for one in (*links, *known)),
            str(held.get("owners_words") or ""),
        )


def unwanted(text: str, found: Sequence[GuardSpan], outgoing: Outgoing) -> list[GuardSpan]:
    """What should not be in the text, of what was found in it, and its links."""
    links = list(_links(text, found, outgoing))
    inside = [range(span.start, span.end) for span in links]
    others = [span for span in found if span.type != DOMAIN and not any(span.start in one for one in inside)]
    return sorted(
        (*links, *(span for span in others if _is_unwanted(text, span, outgoing))), key=lambda span: span.start
    )


def _is_unwanted(text: str, span: GuardSpan, outgoing: Outgoing) -> bool:
    value = text[span.start : span.end]
    if span.type in SECRETS:
        # The owner may be told their own passwords and codes; what opens the house itself is shown to nobody.
        return span.type == API_KEY or outgoing.recipients != ()
    if outgoing.recipients == ():
        return False
    return not _is_theirs(value, outgoing.recipients or ()) and value not in outgoing.owners_words


def _is_theirs(value: str, recipients: Iterable[str]) -> bool:
    plain = _key(value)
    return any(_key(one) == plain for one in recipients)


def _key(address: str) -> str:
    """An address or number as it is compared: without its channel, in lower case, digits without their spacing."""
    bare = re.sub(r"^(?:mail|telegram|tel|mailto|sms):", "", address.strip().lower())
    return bare if "@" in bare else re.sub(r"[^\w]", "", bare)


def _links(text: str, found: Sequence[GuardSpan], outgoing: Outgoing) -> Iterable[GuardSpan]:
    """Images and links that are nobody's whom the owner knows; an image is one even where links are free."""
    taken: list[range] = []
    for image in _IMAGE.finditer(text):
        taken.append(range(image.start(), image.end()))
        if not _is_known(image.group(1) or image.group(2), outgoing):
            yield GuardSpan(start=image.start(), end=image.end(), type=LINK)
    if outgoing.known_links is None:
        return
    for span in found:
        if span.type != DOMAIN or any(span.start in one for one in taken):
            continue
        url = text[span.start : span.end].rstrip(_TRAILING)
        if not _is_known(url, outgoing):
            yield GuardSpan(start=span.start, end=span.start + len(url), type=LINK)


def _is_known(url: str, outgoing: Outgoing) -> bool:
    known = outgoing.known_links or frozenset()
    plain = url.rstrip("/")
    host = re.match(r"(?:https?://)?[^/?#]+", plain)
    return plain in known or (host is not None and host.group() in known) or url in outgoing.owners_words
