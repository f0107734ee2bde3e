"""Decides whether the text below a request only closes a mail: a word of thanks or a regard, and a name."""

import re
from typing import Final

from modules.email.parsing.lines import folded, is_blank, plain
from modules.email.parsing.phrases import phrases

_CLOSINGS: Final = frozenset(map(folded, phrases("closings")))
_ENDS: Final = " ,.!;:，。！"
_NAME: Final = re.compile(r"[^\W\d_][\w'’.-]*")
_MOST_NAMES = 3
_MOST_LINES = 2


def is_closing(text: str, names: str) -> bool:
    """Return whether a text closes a mail and asks for nothing. `names`: the sender's name and address."""
    lines = [plain(line) for line in text.split("\n") if not is_blank(line)]
    if not 0 < len(lines) <= _MOST_LINES:
        return False
    known = {folded(name) for name in _NAME.findall(names)}
    head, comma, rest = lines[0].partition(",")
    if folded(head.strip(_ENDS)) not in _CLOSINGS:
        return False
    return all(_is_signed(one, known) for one in ([rest] if comma and rest.strip() else []) + lines[1:])


def _is_signed(line: str, known: set[str]) -> bool:
    """Return whether a line is a name; each of several words must be the sender's: "Call Anna" is not Alex's name."""
    words = _NAME.findall(line)
    if "".join(words) != re.sub(r"[\s,!]", "", line) or not 0 < len(words) <= _MOST_NAMES:
        return False
    return all(folded(word) in known for word in words) or (len(words) == 1 and words[0][0].isupper())
