"""Corrects slips in the words by which a request begins: `tel bob …`, `look in my mial`.

Only the first words are looked at, where a request says what to do; the text of a message is never changed.
"""

import re
from functools import cache

from butler.orchestrator.understanding.requests.request_words import group, plain

WRITES = plain("writes")
"""Words behind which the text of a message may begin."""
KNOWN = (*WRITES, *plain("known"))
REAL = frozenset(plain("real"))
"""Forms that are words of their own, here or in another language."""
BEGINNING = frozenset(plain("slip_only_first"))
"""Forms that are slips only as the first word: `tel` is a telephone number elsewhere."""
NUMBER = re.compile(rf"\.|\s+(?:[+\d]|{group('behind_tel')}\b)", re.IGNORECASE)
"""What follows `tel` where it means a telephone number, or is French."""
FIRST = 4
"""The number of words that are looked at."""
WORD = re.compile(r"[^\W\d_]+")
LITERAL = re.compile(r"[:\"“„«]")


def without_slips(words: str) -> str:
    """Return the words with slips in the first of them corrected, up to a colon, a quotation mark, or `tell`."""
    literal = LITERAL.search(words)
    end = literal.start() if literal is not None else len(words)
    found: list[tuple[re.Match[str], str]] = []
    for match in list(WORD.finditer(words, 0, end))[:FIRST]:
        said = match[0].casefold()
        right = _slips().get(said) if _may_be_slip(match, words) else None
        if right is not None:
            found.append((match, right))
        if (right or said) in WRITES:
            break
    for match, right in reversed(found):
        words = f"{words[: match.start()]}{right}{words[match.end() :]}"
    return words


def _may_be_slip(match: re.Match[str], words: str) -> bool:
    """Return whether a word may be a slip: one with a capital within a sentence is a name."""
    if match[0].casefold() in BEGINNING:
        return not match.start() and NUMBER.match(words, match.end()) is None
    return not words[: match.start()].strip() or not match[0][0].isupper()


@cache
def _slips() -> dict[str, str]:
    """Return the known words by their slips: two letters changed, or one of a pair left out."""
    found: dict[str, str] = {}
    for word in KNOWN:
        for at in range(len(word) - 1):
            found[f"{word[:at]}{word[at + 1]}{word[at]}{word[at + 2 :]}"] = word
            if word[at] == word[at + 1]:
                found[word[:at] + word[at + 1 :]] = word
    return {form: word for form, word in found.items() if form not in REAL and form not in KNOWN}
