"""Reads the people in a decoded header's value: an address, a name or both, in any brackets."""

from typing import Final

from modules.email.parsing.lines import BLANKS, plain
from modules.email.parsing.parsed import Address
from modules.email.parsing.quotes import ADDRESS

_LONGEST_LINE = 2000
_LONGEST_VALUE = 20_000
_MOST_ADDRESSES = 100
_QUOTES: Final = "\"'“”„‘’«»"


def person(value: str) -> Address | None:
    """Return the person in a header's value, by address, name or both; None if there is nobody."""
    text = plain(value[:_LONGEST_LINE]).replace("&lt;", "<").replace("&gt;", ">")
    address = ADDRESS.search(text)
    before = text if address is None else text[: address.start()]
    if address is not None and before.rstrip().endswith(("mailto:", "MAILTO:")):
        before = before.rstrip()[:-7]
    before = before.rstrip(f"{BLANKS}<[({_QUOTES}*").strip(f"{BLANKS}*<>,;[]{_QUOTES}")
    if address is None:
        return Address("", before) if before else None
    found = address[0].strip(".'`").lower()
    named = ADDRESS.fullmatch(before) is None
    return Address(found, before if named else "")


def people(value: str) -> tuple[Address, ...]:
    """Return the people in a header's value, in order."""
    found: list[Address] = []
    for piece in _split_people(value):
        one = person(piece)
        if one is not None:
            found.append(one)
        if len(found) == _MOST_ADDRESSES:
            break
    return tuple(found)


def _split_people(value: str) -> list[str]:
    """Split a list of people at commas and semicolons, but not within quotes or in "Doe, John <a@b.example>"."""
    pieces: list[str] = []
    piece, quoted = "", False
    for character in value[:_LONGEST_VALUE]:
        quoted = quoted != (character == '"')
        if character == ";" or (character == "," and not quoted and ("@" in piece or "<" in piece)):
            pieces.append(piece)
            piece = ""
        else:
            piece += character
    if "@" not in piece and ">" not in piece:
        return [*pieces, *piece.split(",")]
    return [*pieces, piece]
