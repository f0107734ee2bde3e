"""Decodes text by the encoding name that its sender gives: one table for mails, pages and files.

A name is looked up as in browsers, in the table of the Encoding Standard; a name that the table lacks may be a
character set that Python knows. Python's other codecs, which only escape text, are not accepted. This module imports
little of Butler, because child processes that load little use it.
"""

import codecs
import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Final

from butler.contract.tables import table
from butler.mime.charset_east_asian import decode_big5, decode_euc_jp, decode_gb, decode_iso_2022_jp

_LONGEST_NAME = 40
_CHARACTER_SETS = re.compile(
    r"(ascii|big5|cp|euc|gb|hz|iso2022|iso8859|johab|koi8|latin|mac|shift_?jis|tis|utf)[\w.-]*", re.ASCII
)
"""The names that Python gives to codecs of text."""
_TABLE: Final = table("butler.mime", "charsets")
_NAMES: Final[Mapping[str, str]] = {label: name for name, labels in _TABLE["labels"].items() for label in labels}
_PYTHON: Final[Mapping[str, str]] = _TABLE["python"]
_GIVEN_UP: Final[Mapping[str, str]] = _TABLE["given_up"]
_AS_WRITTEN: Final[Mapping[str, str]] = _TABLE["as_written"]


@lru_cache(maxsize=256)
def encoding_of(label: str) -> str:
    """Return the encoding that a label means, as `decode` takes it; empty if the label names no character set."""
    name = label.strip(" \t\r\n\f\"'").lower()
    if not name or len(name) > _LONGEST_NAME or not name.isascii():
        return ""
    if found := _GIVEN_UP.get(name) or _NAMES.get(name) or _AS_WRITTEN.get(name):
        return "" if found == "replacement" else found
    # Some write `x-` before any name, and `cp-` for `cp`.
    bare = name.removeprefix("x-").replace("cp-", "cp", 1) if name.startswith(("x-", "cp-")) else name
    if found := _NAMES.get(bare):
        return "" if found == "replacement" else found
    try:
        python = codecs.lookup(bare).name
    except (LookupError, UnicodeError, ValueError):
        return ""
    return python if _CHARACTER_SETS.fullmatch(python) else ""


def decode(data: bytes, encoding: str, errors: str = "strict") -> str:
    """Decode bytes in an encoding that `encoding_of` returned; `errors` is `strict` or `replace`.

    Raise `ValueError` for invalid bytes if `errors` is `strict`.
    """
    if own := _OWN.get(encoding):
        return own(data, errors)
    if encoding in _WIDE and (marked := next((mark for mark in _WIDE.values() if data.startswith(mark)), None)):
        encoding = next(name for name, mark in _WIDE.items() if mark == marked)
        data = data.removeprefix(marked)
    return data.decode(_PYTHON.get(encoding, encoding), errors)


_WIDE: Final = {"utf-16be": codecs.BOM_UTF16_BE, "utf-16le": codecs.BOM_UTF16_LE}


def _by_table(codec: str, changed: Mapping[int, int]) -> Callable[[bytes, str], str]:
    """Return a decoder of single bytes like a codec, except for the `changed` bytes."""
    chars = bytes(range(256)).decode(codec, "replace")
    table = {byte: ord(char) for byte, char in enumerate(chars) if char != "\ufffd"} | dict(changed)
    return lambda data, errors: codecs.charmap_decode(data, errors, table)[0]


_OWN: Final[Mapping[str, Callable[[bytes, str], str]]] = {
    "koi8-u": _by_table("koi8-u", {0xAE: 0x45E, 0xBE: 0x40E}),
    "windows-1255": _by_table("cp1255", {0xCA: 0x5BA}),
    "x-user-defined": _by_table("ascii", {byte: 0xF700 + byte for byte in range(0x80, 0x100)}),
    "big5": decode_big5,
    "euc-jp": decode_euc_jp,
    "gbk": decode_gb,
    "gb18030": decode_gb,
    "iso-2022-jp": decode_iso_2022_jp,
}
"""Decoders of encodings of which Python reads some characters as others, or not at all."""
