"""Decodes a mail's bytes into text, whatever their charset: no byte makes it fail, and `clean` drops harmful ones."""

import binascii
import re
from collections.abc import Sequence

from butler.mime.charsets import decode, encoding_of

_ENCODED_WORD = re.compile(r"=\?([^?\s*]+)(?:\*[^?\s]*)?\?([bq])\?([^?]*)\?=", re.IGNORECASE)
_ENCODED_WORDS = re.compile(r"(?:=\?[^?\s]+\?[bq]\?[^?]*\?=\s*)+", re.IGNORECASE)
_NOT_TO_BE_KEPT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_PADDING = re.compile(rb"(?<![ \t])[ \t]++(?=\r?\n)")
_NOT_BASE64 = re.compile(rb"[^A-Za-z0-9+/]")
_JAPANESE = b"\x1b$"
"""The escape by which a text in ISO-2022-JP leaves ASCII, whether the charset is named or not."""


def decoded(value: str, charset: str = "") -> str:
    """Return a header's text on one line: encoded words decoded, raw bytes as UTF-8 or else in the mail's charset."""
    if not value.isascii():
        data = value.encode("utf-8", "surrogateescape")
        value = decode_bytes(data, "utf-8")[0] if not charset or _is_utf_8(data) else decode_bytes(data, charset)[0]
    elif _JAPANESE.decode() in value:
        value = decode_bytes(value.encode(), "iso-2022-jp")[0]
    if "=?" in value:
        value = _ENCODED_WORDS.sub(_read_words, value)
    return clean(" ".join(value.split()))


def _read_words(words: re.Match[str]) -> str:
    # A character may begin in one word and end in the next, so adjacent words of one charset are joined first.
    pieces: list[tuple[str, bytes]] = []
    for charset, encoding, text in _ENCODED_WORD.findall(words[0]):
        name, data = charset.lower(), _word_bytes(text, encoding)
        if pieces and pieces[-1][0] == name:
            pieces[-1] = (name, pieces[-1][1] + data)
        else:
            pieces.append((name, data))
    return "".join(decode_bytes(data, name)[0] for name, data in pieces) + (" " if words[0][-1].isspace() else "")


def _word_bytes(text: str, encoding: str) -> bytes:
    data = text.encode("utf-8", "surrogateescape")
    return lenient_base64(data) if encoding in "bB" else binascii.a2b_qp(data, header=True)


def lenient_base64(data: bytes) -> bytes:
    """Decode as much as possible of base64 in which anything may be wrong."""
    digits = _NOT_BASE64.sub(b"", data)
    if len(digits) % 4 == 1:
        digits = digits[:-1]
    return binascii.a2b_base64(digits + b"=" * (-len(digits) % 4))


def quoted_printable(data: bytes) -> bytes:
    """Decode quoted-printable, however broken it is.

    Blanks at a line's end are not part of the text (RFC 2045): any relay may add them, even under a signature. Kept,
    they would split a continued line in two, the second without the `>` that marks it as quoted.
    """
    # Splitting into lines is faster than searching with `_PADDING`.
    lines = data.splitlines()
    padded = lines != list(map(bytes.rstrip, lines))
    return binascii.a2b_qp(_PADDING.sub(b"", data) if padded else data)


def decode_bytes(data: bytes, charset: str) -> tuple[str, bool]:
    """Return the text, and whether the named charset was right; guess the charset if none is named."""
    if data.isascii() and b"\x1b" not in data and charset in {"", "utf-8", "us-ascii", "iso-8859-1"}:
        return data.decode(), True
    named = meant(charset)
    unnamed = ("iso-2022-jp",) if b"\x1b" in data and _JAPANESE in data else ()
    for name in (*named, *unnamed, "utf-8", "cp1252"):
        try:
            text = decode(data, name)
        except ValueError:
            continue
        return text, not charset or (name in named and (name != "utf-8" or len(named) == 1 or data.isascii()))
    if named:
        # A text with a few marks for invalid bytes is better than one in a wrong script.
        text = decode(data, named[-1], "replace")
        if text.count("\ufffd") * 20 <= len(text):
            return text, False
    return data.decode("latin-1"), False


def meant(charset: str) -> Sequence[str]:
    """Return the encodings that a label may mean, the likeliest first; none if the label names no encoding."""
    found = encoding_of(charset)
    # Many programs that write UTF-8 still name the encoding that they used before.
    return ("utf-8", found) if found == "windows-1252" else (found,) if found else ()


def _is_utf_8(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def clean(text: str, keep: str = "") -> str:
    """Remove control characters, except those in `keep`, and lone surrogates, which no store or screen takes."""
    if (text.replace("\n", "") if "\n" in keep else text).isprintable():
        return text
    return _NOT_TO_BE_KEPT.sub(lambda match: match[0] if match[0] in keep else "", text)
