"""Corrects slips in the words by which a request begins: `tel bob …`, `look in my mial`.

Only the first words are looked at, where a request says what to do; the text of a message is never changed.
"""

import re
from functools import cache

WRITES = ("tell", "send", "text", "message", "reply")
"""Words behind which the text of a message may begin."""
KNOWN = (
    *WRITES,
    *[
        "remind",
        "cancel",
        "archive",
        "delete",
        "forward",
        "search",
        "mail",
        "email",
        "mails",
        "inbox",
        "calendar",
        "reminder",
        "reminders",
    ],
    *["meeting", "schedule", "please"],
)
REAL = frozenset(["tell", "set", "sent", "male", "mali", "end", "sen", "rely", "snd", "archiv"])
"""Forms that are words of their own, here or in another language."""
BEGINNING = frozenset({"tel"})
"""Forms that are slips only as the first word: `tel` is a telephone number elsewhere."""
FIRST = 4
"""The number of words that are looked at."""
LONG = 6
"""The fewest letters of a word of which one may be left out."""
WORD = re.compile(r"[^\W\d_]+")
LITERAL = re.compile(r"[:\"“„«]")


def without_slips(words: str) -> str:
    """Return the words with slips in the first of them corrected, up to a colon, a quotation mark, or `tell`."""
    literal = LITERAL.search(words)
    end = literal.start() if literal is not None else len(words)
    found: list[tuple[re.Match[str], str]] = []
    for match in list(WORD.finditer(words, 0, end))[:FIRST]:
        said = match[0].casefold()
        right = _slips().get(said) if not match.start() or said not in BEGINNING else None
        if right is not None:
            found.append((match, right))
        if (right or said) in WRITES:
            break
    for match, right in reversed(found):
        words = f"{words[: match.start()]}{right}{words[match.end() :]}"
    return words


@cache
def _slips() -> dict[str, str]:
    """Return the known words by their slips: two letters changed, one of a pair left out, or one of a long word."""
    found: dict[str, str] = {}
    for word in KNOWN:
        for at in range(len(word) - 1):
            found[f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"] = word
            if word[at] == word[at + 1] or (at and len(word) >= LONG):
                found[word[:at] + word[at + 1 :]] = word
    return {form: word for form, word in found.items() if form not in REAL and form not in KNOWN}
