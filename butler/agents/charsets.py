"""Decodes text in the character set that its source names, if that name is known."""

from butler.mime.charsets import decode, encoding_of

BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes, charset: str) -> str | None:
    """Return the text, with marks for undecodable bytes.

    Return None if the name is no character set, or if it wrongly says UTF-8: many servers claim UTF-8 for everything.
    """
    encoding = encoding_of(charset)
    if not encoding:
        return None
    try:
        return decode(data, encoding, "strict" if encoding == "utf-8" else "replace")
    except UnicodeDecodeError:
        return None
