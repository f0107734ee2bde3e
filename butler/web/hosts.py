"""By which names the pages for programs may be asked for.

A web page can have a name of its own resolve to this machine, and a browser on it then reads what is meant for programs
here. It cannot do that with an address, or with a name that is not its own.
"""

import ipaddress
from urllib.parse import urlsplit

from config.settings import WebSettings


def known_hosts(settings: WebSettings) -> frozenset[str]:
    """The names of this server."""
    public = urlsplit(settings.public_url).hostname or ""
    return frozenset(name.lower().rstrip(".") for name in ("localhost", settings.host, public, *settings.hosts) if name)


def is_known(host: str | None, known: frozenset[str]) -> bool:
    """Whether a `Host` header names this server; True where there is none, which no browser leaves out."""
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
