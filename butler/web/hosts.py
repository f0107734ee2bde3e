"""The host names that requests for the machine-readable pages may use.

A web page can let its own host name resolve to this machine (DNS rebinding), so that a browser here reads these pages
for it. It cannot do that with an IP address, or with a name that is not its own.
"""

import ipaddress
from urllib.parse import urlsplit

from config.settings import WebSettings


def known_hosts(settings: WebSettings) -> frozenset[str]:
    """Return the names of this server."""
    public = urlsplit(settings.public_url).hostname or ""
    return frozenset(name.lower().rstrip(".") for name in ("localhost", settings.host, public, *settings.hosts) if name)


def is_known(host: str | None, known: frozenset[str]) -> bool:
    """Return whether a `Host` header names this server; True without one, which no browser omits."""
    if host is None:
        return True
    try:
        name = urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return False
    return name.rstrip(".") in known or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name.partition("%")[0])
    except ValueError:
        return False
    return True
