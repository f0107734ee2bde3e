"""Text in the character set that its source names, for the names that mean one."""

from butler.contract.charsets import decode, encoding_of

BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes, charset: str) -> str | None:
    """The text, with marks for what cannot be read.

    None where the name is none of a character set, or is UTF-8 and wrong: many a server says so of everything.
    """
    encoding = encoding_of(charset)
    if not encoding:
        return None
    try:
        return decode(data, encoding, "strict" if encoding == "utf-8" else "replace")
    except UnicodeDecodeError:
        return None
