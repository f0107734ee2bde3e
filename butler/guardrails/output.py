"""Finds what must not leave in a text: unknown links, secrets, and data of people other than the recipients."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from butler.guardrails.guard import GuardSpan
from butler.guardrails.kinds import API_KEY, DOMAIN, LINK, SECRETS

_IMAGE = re.compile(
    r"!\[[^\]\n]{0,200}\]\(\s*(https?://[^)\s]+)[^)]*\)|<img\b[^>]{0,400}\bsrc=[\"']?(https?://[^\"'>\s]+)[^>]*>"
)
_TRAILING = ".,;:!?)]}'\"*"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """The recipients of a text, and what it may contain.

    `recipients` is None if unknown, and empty if the text is for the owner alone, which is the default. `known_links`
    is None if links do not matter; a link without a path allows its whole host.
    """

    recipients: tuple[str, ...] | None = ()
    known_links: frozenset[str] | None = None
    owners_words: str = ""

    @classmethod
    def of(cls, metadata: Mapping[str, Any] | None, known: Sequence[str] = ()) -> "Outgoing":
        """Build the limits from a check's metadata: `recipients` (None for anybody), `known_links`, `owners_words`.

        If links matter, those `known` from the settings are allowed too.
        """
        held = metadata or {}
        recipients, links = held.get("recipients", ()), held.get("known_links")
        return cls(
            None if recipients is None else tuple(str(one) for one in recipients),
            None if links is None else frozenset(str(one).rstrip("/") for one in (*links, *known)),
            str(held.get("owners_words") or ""),
        )


def unwanted(text: str, found: Sequence[GuardSpan], outgoing: Outgoing) -> list[GuardSpan]:
    """Return the findings and links that should not be in the text."""
    links = list(_links(text, found, outgoing))
    inside = [range(span.start, span.end) for span in links]
    others = [span for span in found if span.type != DOMAIN and not any(span.start in one for one in inside)]
    return sorted(
        (*links, *(span for span in others if _is_unwanted(text, span, outgoing))), key=lambda span: span.start
    )


def _is_unwanted(text: str, span: GuardSpan, outgoing: Outgoing) -> bool:
    value = text[span.start : span.end]
    if span.type in SECRETS:
        # The owner may be told their own passwords and codes; Butler's own credentials are shown to nobody.
        return span.type == API_KEY or outgoing.recipients != ()
    if outgoing.recipients == ():
        return False
    return not _is_theirs(value, outgoing.recipients or ()) and value not in outgoing.owners_words


def _is_theirs(value: str, recipients: Iterable[str]) -> bool:
    plain = _key(value)
    return any(_key(one) == plain for one in recipients)


def _key(address: str) -> str:
    """Return an address or number for comparison: without its channel, in lower case, digits without spacing."""
    bare = re.sub(r"^(?:mail|telegram|tel|mailto|sms):", "", address.strip().lower())
    return bare if "@" in bare else re.sub(r"[^\w]", "", bare)


def _links(text: str, found: Sequence[GuardSpan], outgoing: Outgoing) -> Iterable[GuardSpan]:
    """Yield images and links that the owner does not know; images even if links do not matter."""
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
