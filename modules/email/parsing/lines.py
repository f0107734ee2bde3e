"""Prepares lines of a mail's text for comparison: without quote marks, blanks and programs' asterisks."""

import unicodedata
from typing import Final

from modules.email.parsing.languages import LANGUAGES, Header

BLANKS: Final = " \t\r\x0b\x0c\xa0\u202f\u2007\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\u3000\xad"
DASHES: Final = "-‐‑‒–—―_=*~·•#━─"
COLONS: Final = ":：﹕"
_DEEPEST: Final = 40
_AS_BLANK: Final = {ord(blank): " " for blank in "\t\x0b\x0c\xa0\u202f\u2007\u3000"}
_AS_SEEN: Final = _AS_BLANK | dict.fromkeys(
    map(ord, "\u200b\u200c\u200d\u2060\ufeff\u200e\u200f\u202a\u202b\u202c\xad\r")
)
"""Characters that Python does not count as printable."""


def folded(text: str) -> str:
    """Return text for comparison: case-folded, without the dot that lowering a Turkish İ leaves."""
    return text.casefold().replace("\u0307", "")


def _all(kind: str) -> list[str]:
    return [folded(word) for language in LANGUAGES for word in language.get(kind, ())]


HEADERS: Final = {word: kind for kind in reversed(Header) for word in _all(kind)}
"""Meanings of the words before a colon, in any language."""
LONGEST_HEADER: Final = max(map(len, HEADERS))
PHRASES: Final = frozenset(_all("forwarded"))
"""Whole lines that stand above an inner mail."""
VERBS: Final = frozenset(_all("wrote"))
STARTERS: Final = tuple(sorted({word + " " for word in _all("on")}, key=len, reverse=True))
FOOTERS: Final = tuple(sorted(set(_all("footer"))))


def plain(text: str) -> str:
    """Return a line without invisible characters, every blank as a space, and stripped."""
    if not text.isascii():
        text = unicodedata.normalize("NFC", text if text.isprintable() else text.translate(_AS_SEEN))
    elif not text.isprintable():
        text = text.translate(_AS_BLANK)
    return text.strip(BLANKS)


def is_blank(line: str) -> bool:
    """Return whether a line shows nothing."""
    return not line.strip(BLANKS)


def depth_of(line: str) -> int:
    """Return a line's quote depth."""
    start = line.lstrip(BLANKS)[: 2 * _DEEPEST] if line[:1] != ">" else line[: 2 * _DEEPEST]
    if start[:1] != ">" or start.rstrip(BLANKS) == ">:":  # a wrapped line of "On ... <a@b.example\n>:"
        return 0
    depth = 0
    for character in start:
        if character == ">":
            depth += 1
        elif character not in " \xa0":
            break
    return depth


def unquoted(line: str, depth: int) -> str:
    """Return a line without up to this many quote marks, and without the blank after the last one."""
    rest = line
    for _ in range(min(depth, _DEEPEST)):
        stripped = rest.lstrip(BLANKS)
        if stripped[:1] != ">":
            break
        rest = stripped[1:]
        if rest[:1] in {" ", "\xa0"}:
            rest = rest[1:]
    return rest


def header_of(text: str) -> tuple[Header, str] | None:
    """Return a plain line's meaning as a header line, and its value; None if it is none."""
    bare = text.lstrip("*_| ") if text[:1] in "*_|" else text
    for at, character in enumerate(bare[: LONGEST_HEADER + 4]):
        if character in COLONS:
            kind = HEADERS.get(folded(bare[:at].strip("*_| ")))
            if kind is None:
                return None
            value = bare[at + 1 :]
            starred = bare is not text or value[:1] in {"*", "_"}
            return kind, value.lstrip("*_| ") if starred else value.strip()
    return None
