"""Finds words in a text word for word, so that a citation is the source's own text.

Letters are compared, not their encoding: composed and decomposed characters, straight and curly quotation marks, kinds
of dashes and of white space count as equal; invisible characters are skipped.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

LEAST_WORDS = 3
LEAST_LETTERS = 12
"""A quote below both limits, and without a number, could occur anywhere and proves nothing."""

_SAME = str.maketrans({
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
})  # fmt: skip
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def find_quote(quote: str, text: str) -> str | None:
    """Return the part of `text` that matches `quote`, as written there; None if it does not occur."""
    wanted = fold(quote).strip().strip("\"'").strip()
    folded, places = _folded(text)
    start = -1
    while wanted and (start := folded.find(wanted, start + 1)) >= 0:
        end = start + len(wanted)
        if _apart(folded, start) and _apart(folded, end):
            return text[places[start][0] : places[end - 1][1]]
    return None


def says_something(quote: str) -> bool:
    """Return whether a quote is long enough to support a claim."""
    return len(quote.split()) >= LEAST_WORDS or len(quote) >= LEAST_LETTERS or any(char.isdigit() for char in quote)


def fold(text: str) -> str:
    """Return a text in its form for comparison."""
    return _folded(text)[0]


def _apart(text: str, at: int) -> bool:
    """Return whether no word continues across this position."""
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum())


@lru_cache(maxsize=64)  # every claim of an answer looks into the same few chunks
def _folded(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """Return the text for comparison, with the start and end of each of its characters in the original."""
    folded: list[str] = []
    places: list[tuple[int, int]] = []
    for start, end in _clusters(text):
        piece = unicodedata.normalize("NFKC", text[start:end]).translate(_SAME)
        for char in piece:
            if char in _INVISIBLE:
                continue
            if char.isspace():
                if folded and folded[-1] != " ":
                    folded.append(" ")
                    places.append((start, end))
                continue
            folded.append(char)
            places.append((start, end))
    return "".join(folded), places


def _clusters(text: str) -> Iterator[tuple[int, int]]:
    """Yield each character with its combining marks."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at
