"""Shows addresses as they are, with remarks on anything deceptive about them."""

from collections.abc import Iterator

import idna

from approvals.scripts import mixed, named
from approvals.visible import scripts, visible_address
from butler.contract.speech import phrase, say

_INVALID = phrase("the domain is not a valid one")


def shown_address(address: str) -> tuple[str, str]:
    """Return the address as people write it, with hidden characters made visible, and remarks on it (may be empty)."""
    return plain_address(address), "; ".join(_remarks(address))


def plain_address(address: str) -> str:
    """Return an address as people write it, with hidden characters made visible: `anna@friends.example`, `@anna`.

    A number is no address by itself, so it keeps its channel: `Telegram 1002`.
    """
    scheme, _, rest = address.partition(":")
    if scheme == "mail" or (scheme == "telegram" and rest.startswith("@")):
        return visible_address(rest)
    return f"Telegram {visible_address(rest)}" if scheme == "telegram" else visible_address(address)


def _remarks(address: str) -> Iterator[str]:
    domain = address.rpartition("@")[2] if address.startswith("mail:") else ""
    if not domain.isascii():
        ascii_domain = _encoded(domain)
        yield say("the domain is {domain}", domain=ascii_domain) if ascii_domain else say(_INVALID)
    elif "xn--" in domain.lower():
        decoded = _decoded(domain)
        yield say("the domain reads as {domain}", domain=visible_address(decoded)) if decoded else say(_INVALID)
        address = address.removesuffix(domain) + decoded
    found = scripts(address.partition(":")[2])
    if len(found) > 1:
        yield mixed(found)
    elif found not in ([], ["Latin"]):
        yield say("{script} letters", script=named(found[0]))


def _encoded(domain: str) -> str:
    try:
        return idna.encode(domain, uts46=True).decode()
    except idna.IDNAError:
        return ""


def _decoded(domain: str) -> str:
    try:
        return idna.decode(domain)
    except idna.IDNAError:
        return ""
