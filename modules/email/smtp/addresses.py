"""Mail addresses as they travel: the domain in ASCII, and before the @ only what no program reads as anything else."""

import re
import unicodedata

import idna

from butler.contract.speech import say

PREFIX = "mail:"
_LONGEST_LOCAL = 64  # octets
_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]")
_LETTERS = frozenset("LMN")
"""Letters, marks and numbers: of all that RFC 6531 lets stand in an address, what is no sign and shows itself."""


def travelling(address: str) -> str:
    """A plain address with its domain in ASCII from `mail:anna@friends.example`, with or without its prefix.

    Raises `ValueError` for what is none that can be written to.
    """
    plain = address.removeprefix(PREFIX).strip()
    local, at, domain = plain.rpartition("@")
    local = unicodedata.normalize("NFC", local)
    if not at or len(local.encode("utf-8", "replace")) > _LONGEST_LOCAL or not all(map(_is_word, local.split("."))):
        raise ValueError(say("{address!r} is not a mail address that can be written to", address=plain))
    try:
        ascii_domain = idna.encode(domain, uts46=True).decode()
    except (idna.IDNAError, UnicodeError) as error:
        raise ValueError(say("{address!r} is not a mail address that can be written to", address=plain)) from error
    return f"{local}@{ascii_domain}"


def _is_word(word: str) -> bool:
    return bool(word) and all(map(_may_stand, word))


def _may_stand(char: str) -> bool:
    return bool(_ATOM.fullmatch(char)) if char.isascii() else unicodedata.category(char)[0] in _LETTERS
