"""The host that a link really leads to: in ASCII, as a browser would request it, with remarks on what could deceive."""

import ipaddress
import unicodedata
from collections.abc import Iterator, Sequence
from urllib.parse import unquote

import idna

from approvals.scripts import mixed
from approvals.visible import scripts, visible_address
from butler.contract.speech import say

DOTS = str.maketrans(dict.fromkeys("\u3002\uff0e\uff61", "."))
"""Characters that browsers treat as a dot."""
_BASES = (("0x", 16), ("0", 8))


def real_host(written: str) -> str:
    """Return the host in lower-case ASCII; a number that encodes an IP address becomes that address."""
    host = unquote(written).translate(DOTS).strip(".")
    return _address(host) or _ascii(host) or ".".join(map(_forced, host.split(".")))


def remarks_on(written: str) -> Sequence[str]:
    """Return what a reader should know of a host besides its ASCII form; empty if there is nothing."""
    return tuple(_remarks(written, real_host(written)))


def _remarks(written: str, host: str) -> Iterator[str]:
    reads = _decoded(host)
    if reads != host:
        yield say("reads as {host}", host=visible_address(reads))
    if written.strip(".").lower() not in {host, reads}:
        yield say("written as {host}", host=visible_address(written))
    found = scripts(reads)
    if len(found) > 1:
        yield mixed(found)


def _ascii(host: str) -> str:
    if host.isascii() and not host.startswith("xn--") and ".xn--" not in host:
        return host.lower() if visible_address(host) == host else ""
    try:
        return idna.encode(host, uts46=True).decode()
    except idna.IDNAError:
        return ""


def _forced(label: str) -> str:
    """Encode a label that no registry would accept; browsers accept some of them, such as pictures."""
    folded = unicodedata.normalize("NFKC", label).casefold()
    if folded.isascii():
        return visible_address(folded)
    return f"xn--{visible_address(folded.encode('punycode').decode())}"


def _decoded(host: str) -> str:
    return ".".join(map(_label, host.split(".")))


def _label(label: str) -> str:
    if not label.startswith("xn--"):
        return label
    try:
        return label.removeprefix("xn--").encode().decode("punycode")
    except UnicodeError:
        return label


def _address(host: str) -> str:
    """Return a host of one to four numbers in the dotted form of browsers (decimal, 0x…, 0…); empty for a name."""
    if host.startswith("[") and host.isascii():
        return host.lower()
    parts = [_number(part) for part in host.split(".")]
    numbers = [number for number in parts if number is not None]
    if len(numbers) < len(parts) or len(parts) > 4:  # noqa: PLR2004 - bytes of an address
        return ""
    return _dotted(numbers)


def _number(part: str) -> int | None:
    base, digits = next(
        ((b, part[len(p) :]) for p, b in _BASES if part.lower().startswith(p) and part != p), (10, part)
    )
    try:
        return int(digits, base) if digits.isascii() and digits.isalnum() else None
    except ValueError:
        return None


def _dotted(numbers: Sequence[int]) -> str:
    *first, last = numbers
    room = 256 ** (4 - len(first))
    if any(number > 255 for number in first) or last >= room:  # noqa: PLR2004 - the largest byte
        return ""
    value = last + sum(number * 256 ** (3 - place) for place, number in enumerate(first))
    return str(ipaddress.IPv4Address(value))
