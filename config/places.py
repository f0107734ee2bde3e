"""Whether a server is in the owner's own network."""

from ipaddress import ip_address

_HOME_DOMAINS = (".local", ".localhost", ".lan", ".home", ".internal", ".home.arpa")


def is_at_home(host: str) -> bool:
    """Return whether a host is this machine or one with a private address or name."""
    try:
        address = ip_address(host)
    except ValueError:
        name = host.rstrip(".").lower()
        # A name without a dot is one of this machine's, of its network or of its containers.
        return bool(name) and ("." not in name or name.endswith(_HOME_DOMAINS))
    return address.is_private or address.is_loopback or address.is_link_local
