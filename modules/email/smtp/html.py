"""The HTML form of a mail's plain text: the same words, with quotes set off and clickable links.

It is made from the plain text alone, which is what was shown and approved. It loads nothing from anywhere.
"""

import re
from collections.abc import Iterator
from html import escape
from itertools import groupby

_DEEPEST = 12
"""Deeper quotes keep their marks as text."""
_QUOTED = re.compile(r"> ?")
_LINK = re.compile(r"https?://[A-Za-z0-9][!#-;=?-~]{0,2000}")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_AFTER_A_LINK = ".,;:!?'*_)]}"
_CLOSES = {")": "(", "]": "[", "}": "{"}
_SPACES = re.compile(r"^ | (?= )")
_QUOTE = '<blockquote type="cite" style="margin:0 0 0 0.8ex;border-left:1px solid #ccc;padding-left:1ex">'


def html_of(text: str) -> str:
    """Return the text as an HTML document: paragraphs, line breaks, `> ` as block quotes, links that show their URL."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").strip("\n").split("\n")
    body = "\n".join(_blocks([_depth(line) for line in lines], 0))
    return f'<!DOCTYPE html>\n<html>\n<head><meta charset="utf-8"></head>\n<body>\n{body}\n</body>\n</html>\n'


def _depth(line: str) -> tuple[int, str]:
    """Return how deep a line is quoted, and the line without its quote marks."""
    depth = 0
    while depth < _DEEPEST and (mark := _QUOTED.match(line)):
        depth, line = depth + 1, line[mark.end() :]
    return depth, line


def _blocks(lines: list[tuple[int, str]], level: int) -> Iterator[str]:
    for deeper, group in groupby(lines, key=lambda line: line[0] > level):
        if deeper:
            yield _QUOTE
            yield from _blocks(list(group), level + 1)
            yield "</blockquote>"
        else:
            yield from _paragraphs([line for _, line in group])


def _paragraphs(lines: list[str]) -> Iterator[str]:
    for filled, group in groupby(lines, key=lambda line: bool(line.strip())):
        if filled:
            inner = "<br>\n".join(map(_line, group))
            yield f'<p dir="auto">{inner}</p>'


def _line(line: str) -> str:
    parts: list[str] = []
    end = 0
    for found in _LINK.finditer(line):
        target = _trimmed(found[0])
        address = escape(target)
        parts += [_words(line[end : found.start()]), f'<a href="{address}">{address}</a>']
        end = found.start() + len(target)
    return "".join([*parts, _words(line[end:])])


def _words(text: str) -> str:
    """Return text without a link as HTML, which would otherwise collapse spaces and drop leading ones."""
    return _SPACES.sub("&nbsp;", escape(_CONTROL.sub("\ufffd", text.expandtabs(4))))


def _trimmed(link: str) -> str:
    """Return the link without the punctuation of the sentence around it."""
    while link and link[-1] in _AFTER_A_LINK:
        opens = _CLOSES.get(link[-1])
        if opens is not None and link.count(opens) >= link.count(link[-1]):
            break
        link = link[:-1]
    return link
