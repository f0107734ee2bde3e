"""Restores intended line breaks in a PDF, as in an address, a list without marks, or amounts with dates.

The engine joins the lines of a paragraph, since the page's width breaks most of them. This module keeps the break after
a line that ended although the next word had room, or with a sentence.
"""

from collections import defaultdict
from itertools import pairwise

_ENDS = (".", "!", "?", ":", ";")
_LONGEST = 60
"""Lines of one paragraph that are considered."""
_TRIED = 20
"""Start lines that are tried for a paragraph: on a page of identical lines, more are useless."""
_NARROW = 30
"""Characters: no column of prose is so narrow, so such lines are a list."""


class Lines:
    """The lines of one page, in order."""

    def __init__(self, page: str) -> None:
        self._lines = [line.strip() for line in page.splitlines() if line.strip()]
        self._beginning: defaultdict[str, list[int]] = defaultdict(list)
        for at, line in enumerate(self._lines):
            self._beginning[_first_word(line)].append(at)

    def kept(self, paragraph: str) -> str:
        """Return a paragraph with its intended line breaks; unchanged if the page has no such lines."""
        lines = self._lines_of(" ".join(paragraph.split()))
        if len(lines) < 2:  # noqa: PLR2004 - a line alone has no end within
            return paragraph
        widest = max(map(len, lines))
        parts = [lines[0]]
        for before, line in pairwise(lines):
            parts += ["\n" if _was_ended(before, line, widest) else " ", line]
        return "".join(parts)

    def _lines_of(self, paragraph: str) -> list[str]:
        """Return the lines of a paragraph; none if a hyphen or another column interrupts them."""
        for first in self._beginning.get(_first_word(paragraph), [])[:_TRIED]:
            lines: list[str] = []
            length = 0
            for line in self._lines[first : first + _LONGEST]:
                if length >= len(paragraph) or not paragraph.startswith(f" {line}" if lines else line, length):
                    break
                length += len(line) + bool(lines)
                lines.append(line)
            if length == len(paragraph):
                return lines
        return []


def _first_word(text: str) -> str:
    return next(iter(text.split(maxsplit=1)), "")


def _was_ended(line: str, following: str, widest: int) -> bool:
    first = _first_word(following)
    has_room = widest < _NARROW or len(line) + 1 + len(first) <= widest
    begins_anew = not first[0].islower()
    return begins_anew and (has_room or line.endswith(_ENDS))
