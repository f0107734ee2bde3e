"""Decides whether the text below a request only closes a mail: a word of thanks or a regard, and a name."""

import re
from typing import Final

from modules.email.parsing.languages import variants
from modules.email.parsing.lines import folded, is_blank, plain

_CLOSINGS: Final = frozenset(
    folded(one)
    for one in variants(
        "thanks|thank you|many thanks|thanks a lot|thanks in advance"
        "|thank you very much|thank you so much|cheers|thx|best|all the best"
        "|best wishes|best regards|kind regards|warm regards|regards|yours|yours sincerely|sincerely"
        "|danke|vielen dank|danke dir|danke schön|dankeschön|danke im voraus|besten dank|lg|vg|mfg|gruß|grüße"
        "|gruss|grüsse"
        "|viele grüße|liebe grüße|beste grüße|schöne grüße|herzliche grüße|mit freundlichen grüßen|freundliche grüße"
        "|merci|merci beaucoup|merci d'avance|cordialement|bien cordialement|amitiés|bien à toi|bonne journée|bises"
        "|gracias|muchas gracias|gracias de antemano|saludos|un saludo|cordialmente|saludos cordiales|un abrazo"
        "|grazie|obrigado|obrigada|bedankt|dank je|groet|groeten|met vriendelijke groet|tack|takk|tak|kiitos"
    )
)
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
