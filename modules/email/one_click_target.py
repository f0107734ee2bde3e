"""Decides which addresses and hosts a one-click request may reach: none that only our own network can reach.

The address comes from a mail, so from a stranger. Only host names are accepted; each of a host's IP addresses has to be
public, and a host is resolved only once.
"""

import re
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import SplitResult, urlsplit

from butler.contract.addresses import Address, Resolve, is_plain_name, is_public
from butler.contract.errors import Refuse
from butler.contract.speech import say

_PRINTABLE = re.compile(r"[!-~]{1,4000}")


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be reached. Only tests name servers of their own here."""

    port: int = 443
    allowed: frozenset[str] = frozenset()
    """Addresses that are not public but may be reached."""


def host_of(url: str, reach: Reach) -> str:
    """Return the host of an allowed address, in lower case. Raise `Refuse` with one sentence for the owner."""
    parts = _split(url)
    if parts is None or parts.scheme != "https" or _is_odd(url, parts):
        raise Refuse(
            say("the unsubscribe link is not one that Butler uses; open the mail and use its link, if you trust it")
        )
    host = (parts.hostname or "").removesuffix(".")
    if not is_plain_name(host):
        raise Refuse(say("the unsubscribe link does not name a server of the Internet; leave it alone"))
    if _port(parts) not in {443, reach.port}:
        raise Refuse(
            say("the unsubscribe link leads to an unusual port; open the mail and use its link, if you trust it")
        )
    return host


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url) if _PRINTABLE.fullmatch(url) else None
    except ValueError:
        return None


def _is_odd(url: str, parts: SplitResult) -> bool:
    """Return whether programs might parse the address differently, or it contains credentials."""
    return "@" in parts.netloc or "\\" in url or "%" in parts.netloc or "[" in parts.netloc


def _port(parts: SplitResult) -> int:
    try:
        return 443 if parts.port is None else parts.port
    except ValueError:
        return 0


async def public_addresses(host: str, reach: Reach, resolve: Resolve) -> tuple[Address, ...]:
    """Return all addresses of a host. Raise `Refuse` if one is not public, and `OSError` if there are none."""
    found = tuple(ip_address(address) for address in await resolve(host))
    if not found:
        raise OSError
    if not all(str(address) in reach.allowed or is_public(address) for address in found):
        raise Refuse(
            say("{host} leads into a private network, so Butler does not ask it; leave the link alone", host=host)
        )
    return found
