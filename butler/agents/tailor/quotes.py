"""Whether words stand in a text word for word, and where: so that what is cited is the source's own text.

Compared are letters, not their encoding: composed and decomposed characters, straight and curly quotation marks,
kinds of dashes and of white space count as the same; invisible characters as none.
"""

import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache

LEAST_WORDS = 3
LEAST_LETTERS = 12
"""A quote that is shorter than both, and holds no number, could stand anywhere and shows nothing."""

_SAME = str.maketrans({
    **dict.fromkeys("‘’‚‛′`´", "'"),
    **dict.fromkeys("“”„‟″«»", '"'),
    **dict.fromkeys("‐‑‒–—―−", "-"),
})  # fmt: skip
_INVISIBLE = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufeff")


def find_quote(quote: str, text: str) -> str | None:
    """The part of `text` that `quote` stands for, as it is written there; None where it does not stand there."""
    wanted = fold(quote).strip().strip("\"'").strip()
    folded, places = _folded(text)
    start = -1
    while wanted and (start := folded.find(wanted, start + 1)) >= 0:
        end = start + len(wanted)
        if _apart(folded, start) and _apart(folded, end):
            return text[places[start][0] : places[end - 1][1]]
    return None


def says_something(quote: str) -> bool:
    """Whether a quote is long enough to bear a claim out."""
    return len(quote.split()) >= LEAST_WORDS or len(quote) >= LEAST_LETTERS or any(char.isdigit() for char in quote)


def fold(text: str) -> str:
    """A text as it is compared."""
    return _folded(text)[0]


def _apart(text: str, at: int) -> bool:
    """Whether no word goes on over this place."""
    return not (0 < at < len(text) and text[at - 1].isalnum() and text[at].isalnum())


@lru_cache(maxsize=64)  # every claim of an answer looks into the same few chunks
def _folded(text: str) -> tuple[str, Sequence[tuple[int, int]]]:
    """The text as it is compared, and for each of its characters from where to where it stands in the original."""
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
    """Each character with the marks that are combined with it."""
    start = 0
    for at in range(1, len(text) + 1):
        if at == len(text) or not unicodedata.combining(text[at]):
            yield start, at
            start = at
