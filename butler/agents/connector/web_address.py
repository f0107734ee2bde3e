"""Decides which web addresses may be requested, and which machines behind them.

An address may come from a stranger: it may name our router or a cloud's metadata service, in any spelling, by a name
that resolves to it, or by a redirect. So a host must be a full name or a plain IP address, every address behind it must
be public, and ports are 80 and 443. `private_hosts` opens further hosts: exactly those names, each with the given port.
A port in an address itself opens nothing, since its author is unknown.
"""

import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from ipaddress import AddressValueError, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import Self
from urllib.parse import SplitResult, urlsplit, urlunsplit

import idna
from yarl import URL

from butler.agents.connector.failures import NotFetchedError, missing, refused
from butler.contract.addresses import Address, Resolve, is_plain_name, is_public
from butler.contract.errors import ConfigError, Retryable
from butler.contract.speech import say

_OWN = (
    *map(IPv4Network, ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")),
    *map(IPv6Network, ("::1/128", "fc00::/7")),
)
"""The networks of a person's own machines; a cloud's metadata and the like are not included."""

PORTS = {"http": 80, "https": 443}
SETTING = "private_hosts in [connector]"
_LONGEST = 4_000
_BARE = re.compile(r"[\w-]+(\.[\w-]+)+\.?(:\d+)?([/?#]|$)")
"""`shop.example/prices`: an address without a scheme."""
_HOST = re.compile(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*|[0-9a-f:.]+", re.ASCII)
_NOT_IN_URLS = frozenset(' \\<>"')
_NOBODY = frozenset({socket.EAI_NONAME, getattr(socket, "EAI_NODATA", socket.EAI_NONAME), socket.EAI_FAIL})


@dataclass(frozen=True, slots=True)
class Target:
    """An address that may be requested, once the machines behind it were checked."""

    url: URL
    host: str
    """In lower case and ASCII, without brackets."""
    port: int
    is_private: bool
    """Listed in the settings as a host of the owner's own network."""

    @property
    def origin(self) -> str:
        """Scheme, host and port, such as `https://shop.example:443`."""
        return f"{self.url.scheme}://{_bracketed(self.host)}:{self.port}"

    @property
    def shown(self) -> str:
        """The host for display, with its port unless that is the usual one."""
        host = _bracketed(self.host)
        return host if self.port == PORTS[self.url.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Reach:
    """The hosts and ports that may be reached."""

    private: frozenset[str] = frozenset()
    """`host` on the usual ports, or `host:port`."""
    ports: frozenset[int] = frozenset(PORTS.values())
    """Ports of public hosts. Tests add the port of their own server; the product never does."""
    allowed: frozenset[str] = frozenset()
    """Addresses that count as public; for tests as well."""

    @classmethod
    def of(cls, private_hosts: Iterable[str]) -> Self:
        """Build the limits from the settings; raise `ConfigError` for an invalid host."""
        return cls(frozenset(map(_private_host, private_hosts)))

    def is_private(self, host: str, port: int) -> bool:
        return f"{_bracketed(host)}:{port}" in self.private or (
            _bracketed(host) in self.private and port in PORTS.values()
        )


def _private_host(text: str) -> str:
    try:
        parts = urlsplit(f"//{text.strip()}")
        port = parts.port
        host = _host(parts)
    except (ValueError, NotFetchedError):
        host, port, parts = "", None, urlsplit("")
    if not _HOST.fullmatch(host) or parts.path or parts.query or parts.fragment or "@" in parts.netloc:
        raise ConfigError(
            f"{SETTING}: {text!r} is no host; write it as wiki.home.example, or with a port behind a colon"
        )
    return _bracketed(host) if port is None else f"{_bracketed(host)}:{port}"


def target_of(text: str, reach: Reach, *, linked_by: Target | None = None) -> Target:
    """Return the target of an address. Raise `NotFetchedError` with one sentence for the owner.

    `linked_by` is the linking page: only the owner and their own machines may lead into their network.
    """
    parts = _parts(text.strip())
    host, port = _host(parts), _port(parts)
    netloc = _bracketed(host) if port == PORTS[parts.scheme] else f"{_bracketed(host)}:{port}"
    private = reach.is_private(host, port)
    if private and linked_by is not None and not linked_by.is_private:
        raise refused(
            say(
                "{host} leads into your own network, to {other}, so it was not followed",
                host=linked_by.shown,
                other=netloc,
            ),
            "private",
        )
    if not private and not _is_address(host) and not is_plain_name(host):
        raise refused(
            say(
                '{host} is no server of the Internet; to read from a machine of your own network, add "{other}" '
                "to {setting}",
                host=host,
                other=netloc,
                setting=SETTING,
            ),
            "private",
        )
    if not private and port not in reach.ports:
        raise refused(
            say(
                'pages are read from the usual ports only; to read from port {port} of {host}, add "{other}" to '
                "{setting}",
                port=port,
                host=host,
                other=netloc,
                setting=SETTING,
            ),
            "port",
        )
    try:
        url = URL(urlunsplit((parts.scheme, netloc, parts.path or "/", parts.query, "")))
    except ValueError:
        raise _odd() from None
    if (url.raw_host or "").removesuffix(".") != host or url.port != port or url.scheme != parts.scheme:
        # Two programs that parse an address differently would let it lead elsewhere than was checked.
        raise _odd()
    return Target(url, host, port, private)


def _parts(text: str) -> SplitResult:
    if len(text) > _LONGEST or not text.isprintable() or _NOT_IN_URLS.intersection(text):
        raise _odd()
    if "://" not in text and _BARE.match(text):
        text = f"https://{text}"
    try:
        parts = urlsplit(text)
    except ValueError:
        raise _odd() from None
    if parts.scheme not in PORTS:
        raise refused(say("only pages of the web are read; write an address that begins with https://"), "scheme")
    if "@" in parts.netloc:
        raise refused(say("the address holds a name or a password; leave out what stands before the @"), "userinfo")
    return parts


def _port(parts: SplitResult) -> int:
    try:
        port = parts.port
    except ValueError:
        raise _odd() from None
    return PORTS[parts.scheme] if port is None else port


def _host(parts: SplitResult) -> str:
    """Return the host in lower case and ASCII; an IP address in an unusual spelling is no valid host."""
    host = (parts.hostname or "").removesuffix(".")
    if not host or "%" in parts.netloc:
        raise _odd()
    if "[" in parts.netloc:
        try:
            return str(IPv6Address(host))
        except AddressValueError:
            raise _odd() from None
    if not host.isascii():
        try:
            host = idna.encode(host, uts46=True).decode()
        except idna.IDNAError:
            raise _odd() from None
    return host


def _odd() -> NotFetchedError:
    return refused(say("this is no plain address of a page; check how it is written"), "odd")


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


async def addresses_of(target: Target, reach: Reach, resolve: Resolve) -> tuple[Address, ...]:
    """Resolve a target once and check all its addresses. Raise `NotFetchedError`, or `Retryable`."""
    try:
        texts = [target.host] if _is_address(target.host) else await resolve(target.host)
        found = tuple(ip_address(text) for text in texts)
    except OSError as error:
        if isinstance(error, socket.gaierror) and error.errno in _NOBODY:
            raise missing(
                say("there is no server {host}; check how the address is written", host=target.host)
            ) from None
        raise Retryable(say("the name {host} cannot be looked up now", host=target.host)) from None
    if not found:
        raise missing(say("there is no server {host}; check how the address is written", host=target.host))
    for address in found:
        if not (str(address) in reach.allowed or is_public(address) or (target.is_private and is_own_network(address))):
            raise _neighbour(target, address)
    return found


def _neighbour(target: Target, address: Address) -> NotFetchedError:
    if is_own_network(address):
        return refused(
            say(
                '{host} lies in a private network, so Butler does not read from it; if it is yours, add "{host}" '
                "to {setting}",
                host=target.shown,
                setting=SETTING,
            ),
            "private",
        )
    return refused(say("{host} leads to an address that no page is read from", host=target.shown), "private")


def is_own_network(address: Address) -> bool:
    """Return whether an address may be a machine of the owner's own: private, shared by a VPN, or this machine."""
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        return is_own_network(address.ipv4_mapped)
    return getattr(address, "scope_id", None) is None and any(address in own for own in _OWN)
