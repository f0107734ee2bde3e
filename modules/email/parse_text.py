"""Text out of a mail's bytes, in whatever charset they are: every byte becomes something, and nothing that harms."""

import re
from email.header import decode_header

_ENCODED_WORDS = re.compile(r"(?:=\?[^?\s]+\?[bq]\?[^?]*\?=\s*)+", re.IGNORECASE)
_NOT_TO_BE_KEPT = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")


def decoded(value: str) -> str:
    """A header's text on one line: raw bytes read as UTF-8 or else as Latin script, encoded words read."""
    text, _ = decode_bytes(value.encode("utf-8", "surrogateescape"), "utf-8")
    return clean(" ".join(_ENCODED_WORDS.sub(_read_words, text).split()))


def _read_words(words: re.Match[str]) -> str:
    try:
        pieces = decode_header(words[0].strip())
    except ValueError:
        return words[0]
    text = "".join(
        piece if isinstance(piece, str) else decode_bytes(piece, charset or "utf-8")[0] for piece, charset in pieces
    )
    return text + (" " if words[0][-1].isspace() else "")


def decode_bytes(data: bytes, charset: str) -> tuple[str, bool]:
    """The text, and whether the charset that was named held true."""
    for attempt, name in enumerate((charset, "utf-8", "cp1252")):
        try:
            return data.decode(name), attempt == 0
        except (LookupError, ValueError):
            continue
    return data.decode("latin-1"), False


def clean(text: str, keep: str = "") -> str:
    """Without control characters and lone surrogates, which no store or screen takes."""
    if (text.replace("\n", "") if "\n" in keep else text).isprintable():
        return text
    return _NOT_TO_BE_KEPT.sub(lambda match: match[0] if match[0] in keep else "", text)
