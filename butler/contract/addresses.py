"""Decides which Internet hosts may be contacted when a stranger named them: only those that everybody can reach.

An address in a mail or on a page may name our own router or a cloud's metadata, in any spelling or by a name that
resolves to it. The tables are here rather than in Python's `ipaddress`, whose `is_global` differs between releases,
lets tunnels and multicast through, and ignores the IPv4 address that an IPv6 address carries inside.
"""

import asyncio
import re
import socket
from collections.abc import Awaitable, Callable, Sequence
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address
Resolve = Callable[[str], Awaitable[Sequence[str]]]
"""Returns the addresses of a name; raises `OSError` if there are none."""

_NAME = re.compile(r"(?=.{1,253}$)([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])?")
"""A name with a dot, whose last label begins with a letter, which rules out every spelling of a number."""
_CLOSED_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8",  # this machine
            "10.0.0.0/8",
            "100.64.0.0/10",  # shared by a provider's customers: neither private nor global
            "127.0.0.0/8",
            "169.254.0.0/16",  # link-local, where clouds keep their metadata
            "172.16.0.0/12",
            "192.0.0.0/24",  # protocol assignments
            "192.0.2.0/24",  # documentation
            "192.88.99.0/24",  # relays of 6to4
            "192.168.0.0/16",
            "198.18.0.0/15",  # benchmarks
            "198.51.100.0/24",
            "203.0.113.0/24",
            "224.0.0.0/3",  # multicast, reserved, broadcast
        ),
    )
)
_GLOBAL_V6 = IPv6Network("2000::/3")
_CLOSED_V6 = tuple(
    map(
        IPv6Network,
        (
            "2001::/23",  # Teredo, ORCHID and other assignments to protocols
            "2001:db8::/32",  # documentation
            "2002::/16",  # 6to4, which carries an IPv4 address and is no longer in use
            "3fff::/20",  # documentation
        ),
    )
)
_NAT64 = IPv6Network("64:ff9b::/96")
"""The NAT64 prefix, by which a network without IPv4 reaches the rest; the address inside decides."""


def is_public(address: Address) -> bool:
    """Return whether the whole Internet reaches the same machine under this address."""
    if isinstance(address, IPv4Address):
        return not any(address in closed for closed in _CLOSED_V4)
    if address.scope_id:
        return False
    inner = address.ipv4_mapped or (IPv4Address(int(address) & 0xFFFFFFFF) if address in _NAT64 else None)
    if inner is not None:
        return is_public(inner)
    return address in _GLOBAL_V6 and not any(address in closed for closed in _CLOSED_V6)


def is_plain_name(host: str) -> bool:
    """Return whether a host in lower case is a server's full name, and not a number or a machine nearby."""
    return _NAME.fullmatch(host) is not None


async def resolve_by_system(host: str) -> Sequence[str]:
    """Return the addresses of a name as this machine resolves it."""
    infos = await asyncio.get_running_loop().getaddrinfo(host, 443, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(info[4][0]) for info in infos))
