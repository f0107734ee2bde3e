"""Finds texts that messengers turn into a link or an address, in any script, up to the next blank.

A link can leak data in everything behind its host, so a link of a source may not be extended: it is compared as a
whole, and `host?d=secret` differs from `host`.
"""

import re
import unicodedata
from collections.abc import Iterator

LINK = re.compile(r"(?:\b[a-z][a-z0-9+.-]{1,15}://|\bwww\.)[^\s<>\"'|\])}]+", re.IGNORECASE)
MAIL = re.compile(r"[\w.+-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_LABEL = r"\w[\w-]{0,62}+\."
_PATH = r"(?:/[^\s<>\"'|\])}]*)?"
DOMAIN = re.compile(
    # A letter before the last dot distinguishes a host in other scripts from `3.März`.
    rf"(?<!\w)(?:{_LABEL}){{0,8}}(?:{_LABEL}[a-z]{{2,24}}\b|(?=[\w-]{{0,62}}?[^\W\d_]){_LABEL}[^\W\d_]{{2,24}}\b){_PATH}",
    re.IGNORECASE,
)
_NUMBERED = re.compile(rf"(?<![\w.])\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?![\w.]*\d){_PATH}")
_PATTERNS = (LINK, MAIL, DOMAIN, _NUMBERED)
_OPENING, _CLOSING = "([{<\"'“”„«»‘‚", ")]}>\"'“”«»’…?!.,;:/"
_POSSESSIVE = re.compile(r"['’]s$")


def addresses(text: str) -> frozenset[str]:
    """Return each link and address as a whole, in lower case."""
    return frozenset(_whole(unicodedata.normalize("NFKC", text)))


def places(text: str) -> frozenset[str]:
    """Return the addresses that a source supports: its whole ones, and each without adjacent text."""
    text = unicodedata.normalize("NFKC", text)
    close = (_bare(found) for pattern in _PATTERNS for found in pattern.findall(text))
    return frozenset((*_whole(text), *close))


def is_address(text: str) -> bool:
    """Return whether a text contains anything that would be a link or an address."""
    return _holds_one(unicodedata.normalize("NFKC", text))


def _holds_one(text: str) -> bool:
    return ("." in text or "://" in text) and any(pattern.search(text) for pattern in _PATTERNS)


def _whole(text: str) -> Iterator[str]:
    return (_bare(piece) for piece in text.split() if _holds_one(piece))


def _bare(piece: str) -> str:
    return _POSSESSIVE.sub("", piece.lstrip(_OPENING).rstrip(_CLOSING)).casefold()
