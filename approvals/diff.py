"""Shows what an edit changed, word by word: removed text is struck, added text is underlined."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import groupby

from approvals.visible import visible
from butler.contract.card import Rich, Span, Style

WORDS = re.compile(r"\s+|[^\s.,:;!?]+|[.,:;!?]+")
MOST_WORDS = 1_200
"""Most words in the differing part; a longer part is shown as replaced whole, since comparing is quadratic."""
AROUND = 30
"""Characters of unchanged text to keep on each side of a change."""
LONGEST = 700
"""Most characters of one removed or added piece; the card shows the new text whole beside it."""
BLANKS = str.maketrans({" ": "␣", "\n": "⏎", "\r": "⏎", "\t": "⇥"})


class Kind(StrEnum):
    """The change to a piece of text."""

    KEPT = "kept"
    REMOVED = "removed"
    ADDED = "added"


STYLES = {Kind.KEPT: Style.PLAIN, Kind.REMOVED: Style.STRIKE, Kind.ADDED: Style.UNDERLINE}


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of text of one kind. Kept and removed pieces make up the old text, kept and added ones the new text."""

    kind: Kind
    text: str


def difference(old: str, new: str) -> tuple[Piece, ...]:
    """Return the pieces that lead from one text to another, in reading order."""
    before, after = WORDS.findall(old), WORDS.findall(new)
    start = _common(before, after)
    end = _common(before[start:][::-1], after[start:][::-1])
    middle = _compared(before[start : len(before) - end], after[start : len(after) - end])
    raw = [Piece(Kind.KEPT, "".join(after[:start])), *middle, Piece(Kind.KEPT, "".join(after[len(after) - end :]))]
    return tuple(_gathered([piece for piece in raw if piece.text]))


def shown(pieces: Sequence[Piece]) -> Rich:
    """Return the pieces as a card shows them: long runs are shortened, and nothing in them is hidden."""
    last = len(pieces) - 1
    return tuple(
        Span(text=_text(piece, first=number == 0, last=number == last), style=STYLES[piece.kind])
        for number, piece in enumerate(pieces)
    )


def _common(one: Sequence[str], other: Sequence[str]) -> int:
    """Return the number of words that both texts begin with."""
    return next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _compared(before: Sequence[str], after: Sequence[str]) -> Iterator[Piece]:
    if max(len(before), len(after)) > MOST_WORDS:
        yield Piece(Kind.REMOVED, "".join(before))
        yield Piece(Kind.ADDED, "".join(after))
        return
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after).get_opcodes():
        if tag == "equal":
            yield Piece(Kind.KEPT, "".join(after[j1:j2]))
        else:
            yield Piece(Kind.REMOVED, "".join(before[i1:i2]))
            yield Piece(Kind.ADDED, "".join(after[j1:j2]))


def _gathered(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Merge changes that only a blank separates."""
    joined = [
        piece.kind is not Kind.KEPT or (piece.text.isspace() and 0 < number < len(pieces) - 1)
        for number, piece in enumerate(pieces)
    ]
    for changed, run in groupby(zip(joined, pieces, strict=True), key=lambda pair: pair[0]):
        parts = [piece for _, piece in run]
        if not changed:
            yield from parts
            continue
        for kind in (Kind.REMOVED, Kind.ADDED):
            text = "".join(piece.text for piece in parts if piece.kind in {kind, Kind.KEPT})
            if text:
                yield Piece(kind, text)


def _text(piece: Piece, *, first: bool, last: bool) -> str:
    if piece.kind is not Kind.KEPT:
        text = piece.text if len(piece.text) <= LONGEST else f"{piece.text[:LONGEST]}…"
        # A removed or added blank would be invisible.
        return visible(text.translate(BLANKS) if text.isspace() else text)
    head = "" if first else piece.text[:AROUND]
    tail = "" if last else piece.text[-AROUND:]
    short = len(piece.text) > len(head) + len(tail) + 1
    return visible(f"{head}…{tail}" if short else piece.text)
