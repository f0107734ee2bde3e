"""Finds the sender of a request if a proxy of the owner's stands before the web port.

A proxy's header is trusted only if the connection comes from a known proxy, and only back to the first address that is
not one: the sender may have written everything before that.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

UNKNOWN = "unknown"
_PAIR = re.compile(r'\s*([A-Za-z-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^\s;,"]+)\s*')
_MOST_HOPS = 20
Address = IPv4Address | IPv6Address


@dataclass(frozen=True, slots=True)
class Sender:
    """The sender of a request: the address, and the scheme and host that they called."""

    address: str
    scheme: str
    host: str


class Proxies:
    """The addresses of the owner's proxies, and the kind of header in which they name the sender."""

    def __init__(self, networks: Sequence[str], *, forwarded: bool = False) -> None:
        """With `forwarded`, read `Forwarded` (RFC 7239); otherwise `X-Forwarded-For`, `-Proto` and `-Host`.

        Never both: a header that the proxy does not write is the sender's.
        """
        self._networks = tuple(ip_network(one, strict=False) for one in networks)
        self._forwarded = forwarded

    def sender(self, peer: str, headers: Mapping[str, str], scheme: str) -> Sender:
        """Return the sender of a request over a connection from `peer`; `headers` are by name in lower case."""
        host = headers.get("host", "")
        address = _address(peer)
        if address is None or not self._own(address):
            return Sender(UNKNOWN if address is None else str(address), scheme, host)
        hops = _by_forwarded(headers.get("forwarded", "")) if self._forwarded else _by_x(headers)
        sender = Sender(str(address), scheme, host)
        for hop in reversed(hops[-_MOST_HOPS:]):
            sender = Sender(sender.address, hop.scheme or sender.scheme, hop.host or sender.host)
            if hop.address is None:
                return sender  # the last known proxy named something that is no address
            sender = Sender(str(hop.address), sender.scheme, sender.host)
            if not self._own(hop.address):
                return sender
        return sender

    def _own(self, address: Address) -> bool:
        return any(address in network for network in self._networks)


@dataclass(frozen=True, slots=True)
class _Hop:
    address: Address | None
    scheme: str = ""
    host: str = ""


def _by_x(headers: Mapping[str, str]) -> list[_Hop]:
    text = headers.get("x-forwarded-for", "")
    hops = [_Hop(_address(one)) for one in text.split(",")] if text.strip() else []
    if not hops:
        return []
    scheme, host = (headers.get(name, "").split(",")[-1].strip() for name in ("x-forwarded-proto", "x-forwarded-host"))
    # Each of these has one value, that of the proxy next to us.
    return [*hops[:-1], _Hop(hops[-1].address, _scheme(scheme), host)]


def _by_forwarded(said: str) -> list[_Hop]:
    hops: list[_Hop] = []
    for element in _elements(said):
        pairs = {name.lower(): value.strip('"').replace("\\", "") for name, value in _PAIR.findall(element)}
        hops.append(_Hop(_address(pairs.get("for", "")), _scheme(pairs.get("proto", "")), pairs.get("host", "")))
    return hops


def _elements(said: str) -> list[str]:
    """Split a header at the commas outside of quotes."""
    if not said.strip():
        return []
    parts, quoted = [""], False
    for letter in said:
        if letter == '"':
            quoted = not quoted
        if letter == "," and not quoted:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


def _scheme(said: str) -> str:
    return said.lower() if said.lower() in {"http", "https"} else ""


def _address(said: str) -> Address | None:
    """Parse an address, with or without a port; return None if it is none."""
    text = said.strip()
    if text.startswith("["):
        text = text[1:].partition("]")[0]
    elif text.count(":") == 1:
        text = text.partition(":")[0]
    try:
        address = ip_address(text)
    except ValueError:
        return None
    return address.ipv4_mapped or address if isinstance(address, IPv6Address) else address
