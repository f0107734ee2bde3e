"""Detects the character set of a text's bytes."""

import codecs
import re

from butler.agents.parser.blocks import Document, unsupported
from butler.agents.parser.content import why_not
from butler.contract.speech import say
from butler.mime.charsets import decode, encoding_of

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_DECLARED = re.compile(rb"""charset\s*=\s*["']?([A-Za-z0-9_.:-]{2,40})|encoding\s*=\s*["']([A-Za-z0-9_.:-]{2,40})""")
_SAMPLE = 64 * 1024
_NOT_TEXT = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_WITHIN_ASCII = frozenset({"iso-2022-jp", "iso2022_kr", "iso2022_jp_1", "iso2022_jp_2", "iso2022_jp_3", "hz", "utf-7"})
"""Character sets that use ASCII bytes only, and so would pass for UTF-8."""
_MOST_STRANGE = 0.02
"""The highest share of control characters in a text."""


def decoded(data: bytes, document: Document, *, declared: str = "") -> str:
    """Return the text; a problem says if its character set was guessed. Raise `UnreadableError` if it is no text."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _with_lines(data[len(mark) :].decode(name, "replace"))
    if wide := _wide(data):
        return _with_lines(data.decode(wide, "replace"))
    found = _DECLARED.search(data[:2048])
    name = declared or ((found[1] or found[2]).decode("ascii") if found else "")
    encoding = encoding_of(name)
    sample = data[:_SAMPLE]
    if encoding not in _WITHIN_ASCII and len(_NOT_TEXT.findall(sample)) > _MOST_STRANGE * len(sample):
        raise unsupported(why_not(data) or say("It is of a kind that is not read: it holds no text."))
    if not (encoding in _WITHIN_ASCII and data.isascii()):
        try:
            return _with_lines(data.decode("utf-8"))
        except UnicodeDecodeError:
            pass
    if encoding:
        return _with_lines(decode(data, encoding, "replace"))
    if name:
        document.problem(say("It names letters that are not known, so some may be wrong."))
    return _with_lines(_guessed(data, document))


def _wide(data: bytes) -> str:
    """Detect UTF-16 without a byte order mark: every other byte of common text is zero."""
    sample = data[:_SAMPLE]
    even, odd = sample[0::2].count(0), sample[1::2].count(0)
    half = len(sample) // 2
    if half and odd > half * 0.4 and even < half * 0.05:
        return "utf-16-le"
    return "utf-16-be" if half and even > half * 0.4 and odd < half * 0.05 else ""


def _guessed(data: bytes, document: Document) -> str:
    from charset_normalizer import from_bytes  # noqa: PLC0415 - only for what is not UTF-8

    document.problem(say("It does not say which letters its bytes stand for; they were guessed."))
    best = from_bytes(data[:_SAMPLE]).best()
    name = best.encoding if best is not None else "cp1252"
    return data.decode(name, "replace")


def _with_lines(text: str) -> str:
    return text.replace("\r\n", "\n").replace("\r", "\n")
