"""Text in the character set that its source names, for the few names that mean one."""

import codecs
import re

_MEANT = re.compile(
    r"(ascii|big5|cp|euc|gb|hz|iso2022|iso8859|johab|koi8|latin|mac|shift_?jis|tis|utf)[\w.-]*", re.ASCII
)
"""Python knows further ones, which are ways to escape text."""
_AS_BROWSERS = {"iso8859-1": "cp1252", "ascii": "cp1252", "gb2312": "gb18030"}
BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


def decoded(data: bytes, charset: str) -> str | None:
    """The text, with marks for what cannot be read.

    None where the name is none of a character set, or is UTF-8 and wrong: many a server says so of everything.
    """
    try:
        name = codecs.lookup(charset).name
    except (LookupError, UnicodeError, ValueError):
        return None
    if not _MEANT.fullmatch(name):
        return None
    if name == "utf-8":
        try:
            return data.decode()
        except UnicodeDecodeError:
            return None
    return data.decode(_AS_BROWSERS.get(name, name), "replace")
