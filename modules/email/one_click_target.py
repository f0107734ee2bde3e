"""Which address a one-click request may go to, and which machines: none that only a neighbour of ours could reach.

The address stands in a mail, so it may name our own router or a cloud's metadata, in whatever spelling or by a name
that resolves to it. Only names are taken, each address behind one has to be public, and it is resolved just once.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from urllib.parse import SplitResult, urlsplit

from butler.contract.errors import Refuse

Address = IPv4Address | IPv6Address
Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""The addresses of a name; raises `OSError` where there are none."""

_PRINTABLE = re.compile(r"[!-~]{1,4000}")
_NAME = re.compile(r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
"""A name with a dot in it whose last label begins with a letter: no spelling of a number does."""
_GLOBAL_UNICAST = IPv6Network("2000::/3")
_NAT64 = IPv6Network("64:ff9b::/96")


@dataclass(frozen=True, slots=True)
class Reach:
    """What may be reached. Tests name a server of their own here; the house never does."""

    port: int = 443
    allowed: frozenset[str] = frozenset()
    """Addresses that are not public and may be reached all the same."""


def host_of(url: str, reach: Reach) -> str:
    """The host of an address that may be asked, in lower case. Raises `Refuse` with one sentence for the owner."""
    parts = _split(url)
    if parts is None or parts.scheme != "https" or _is_odd(url, parts):
        raise Refuse(
            "the unsubscribe link is not one that Butler uses; open the mail and use its link, if you trust it"
        )
    host = (parts.hostname or "").removesuffix(".")
    if not _NAME.fullmatch(host):
        raise Refuse("the unsubscribe link does not name a server of the Internet; leave it alone")
    if _port(parts) not in {443, reach.port}:
        raise Refuse("the unsubscribe link leads to an unusual port; open the mail and use its link, if you trust it")
    return host


def _split(url: str) -> SplitResult | None:
    try:
        return urlsplit(url) if _PRINTABLE.fullmatch(url) else None
    except ValueError:
        return None


def _is_odd(url: str, parts: SplitResult) -> bool:
    """Whether programs might read the address differently, or it says who is asking."""
    return "@" in parts.netloc or "\\" in url or "%" in parts.netloc or "[" in parts.netloc


def _port(parts: SplitResult) -> int:
    try:
        return 443 if parts.port is None else parts.port
    except ValueError:
        return 0


async def public_addresses(host: str, reach: Reach, resolve: Resolve) -> tuple[Address, ...]:
    """All addresses of a host. Raises `Refuse` where one of them is not public, and `OSError` where there are none."""
    found = tuple(ip_address(address) for address in await resolve(host))
    if not found:
        raise OSError
    if not all(str(address) in reach.allowed or is_public(address) for address in found):
        raise Refuse(f"{host} leads into a private network, so Butler does not ask it; leave the link alone")
    return found


def is_public(address: Address) -> bool:
    """Whether anybody on the Internet reaches the same machine under this address."""
    if isinstance(address, IPv4Address):
        return address.is_global and not address.is_multicast and not address.is_reserved
    inner = address.ipv4_mapped or address.sixtofour or (_embedded(address) if address in _NAT64 else None)
    if inner is not None:
        return is_public(inner)
    return address in _GLOBAL_UNICAST and address.is_global and address.teredo is None


def _embedded(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)


async def resolve_by_system(host: str) -> Sequence[str]:
    """The addresses of a name as this machine knows them."""
    infos = await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))
