"""Addresses as they are, with what could deceive about them said beside them."""

from collections.abc import Iterator

import idna

from approvals.visible import scripts, visible_address


def shown_address(address: str) -> tuple[str, str]:
    """The address with hidden characters made visible, and remarks on it (empty for a plain one)."""
    return visible_address(address), "; ".join(_remarks(address))


def _remarks(address: str) -> Iterator[str]:
    domain = address.rpartition("@")[2] if address.startswith("mail:") else ""
    if not domain.isascii():
        ascii_domain = _encoded(domain)
        yield f"the domain is {ascii_domain}" if ascii_domain else "the domain is not a valid one"
    elif "xn--" in domain.lower():
        decoded = _decoded(domain)
        yield f"the domain reads as {visible_address(decoded)}" if decoded else "the domain is not a valid one"
        address = address.removesuffix(domain) + decoded
    found = scripts(address.partition(":")[2])
    if len(found) > 1:
        yield f"mixes {' and '.join(found)} letters"
    elif found not in ([], ["Latin"]):
        yield f"{found[0]} letters"


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
