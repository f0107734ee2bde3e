"""Mail addresses in the form used in headers: an ASCII domain, and a local part that no program misreads."""

import re
import unicodedata

import idna

from butler.contract.speech import say

PREFIX = "mail:"
_LONGEST_LOCAL = 64  # octets
_ATOM = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]")
_LETTERS = frozenset("LMN")
"""Unicode categories allowed beyond ASCII: letters, marks and numbers; RFC 6531 would allow symbols, too."""


def travelling(address: str) -> str:
    """Return a plain address with an ASCII domain from `mail:anna@friends.example`, with or without its prefix.

    Raise `ValueError` if mail cannot be addressed to it.
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
