"""Strips trailing semicolons and comments from a statement: many write them by habit, but they are no part of it."""

import re

# Tokens in which a semicolon ends no statement; an unclosed token extends to the end, and the server reports it.
_WHOLE = re.compile(
    r"""
    [eE]'(?:[^'\\]|\\.|'')*(?:'|\Z)            # a text with backslashes
    | '(?:[^']|'')*(?:'|\Z)                      # a text
    | "(?:[^"]|"")*(?:"|\Z)                      # a name
    | \$(?P<tag>[^\W\d]\w*|)\$.*?(?:\$(?P=tag)\$|\Z)  # a text between dollars
    | [^\W\d][\w$]*                             # a word, whose dollars begin nothing
    """,
    re.VERBOSE | re.DOTALL,
)
_LINE = re.compile(r"--[^\r\n]*")
_MARK = re.compile(r"/\*|\*/")


def without_ending(text: str) -> str:
    """Return the statement without trailing semicolons, blanks and comments; unchanged if something else follows."""
    at, end = 0, 0
    while at < len(text):
        if (after := _past_nothing(text, at)) > at:
            at = after
            continue
        at = found.end() if (found := _WHOLE.match(text, at)) else at + 1
        end = at
    return text[:end]


def _past_nothing(text: str, at: int) -> int:
    """Return the position after a blank, a semicolon or a comment; otherwise the same position."""
    if text[at].isspace() or text[at] == ";":
        return at + 1
    if line := _LINE.match(text, at):
        return line.end()
    return _past_comment(text, at) if text.startswith("/*", at) else at


def _past_comment(text: str, at: int) -> int:
    """Return the position after a comment, which may be nested."""
    depth = 0
    for mark in _MARK.finditer(text, at):
        depth += 1 if mark.group() == "/*" else -1
        if depth == 0:
            return mark.end()
    return len(text)
