"""Quotes others' words in the butler's messages: cut, on one line, and without anything that can be tapped.

A chat client makes links of everything that looks like one, and a command of `/pause`, which would count as the owner's
once tapped. So a text with anything of the kind is set as code, in which nothing can be tapped.
"""

import re

from butler.contract.card import Rich, Span, Style
from butler.contract.visible import visible_line

LONGEST = 80
LONGEST_LINE = 300
_COULD_BE_TAPPED = re.compile(r"[@/#$]\w|\w\.\w|://|\d[\d\s().-]{4,}\d", re.ASCII)


def others(text: str, most: int = LONGEST, style: Style = Style.PLAIN) -> Span:
    """Return somebody's words, cut to that length, in a style unless something in them could be tapped."""
    line = " ".join(text.split())
    cut = visible_line(line if len(line) <= most else f"{line[: most - 1]}…")
    return Span(text=cut, style=Style.CODE if _COULD_BE_TAPPED.search(cut) else style)


def others_lines(text: str) -> Rich:
    """Return several lines that mix others' words with the butler's own, each set as a whole."""
    lines = [others(one, LONGEST_LINE) for one in text.splitlines()]
    return tuple(span for line in lines for span in (line, Span(text="\n")))[:-1]
