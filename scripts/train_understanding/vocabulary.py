"""Chooses the pieces that the reader keeps of E5's vocabulary, which holds a hundred languages."""

import unicodedata
from collections.abc import Iterable

from butler.understanding.e5_file import E5File
from butler.understanding.words import SPACE, Vocabulary, words_of

KEPT = 26_000
SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


def chosen(file: E5File, texts: Iterable[str]) -> tuple[Vocabulary, list[int]]:
    """Pieces that the texts are made of, and the commonest others of Latin letters; and their rows in E5's table."""
    pieces, scores = file.vocabulary
    latin = {
        piece: (at, float(scores[at]))
        for at, piece in enumerate(pieces)
        if at >= len(SPECIAL) and all(_latin(letter) for letter in piece)
    }
    whole = Vocabulary(latin)
    used = {at for text in texts for word in words_of(text) for at in whole.ids(word)}
    common = sorted((at for at, _ in latin.values()), key=lambda at: -scores[at])
    kept = [*range(len(SPECIAL)), *sorted(used - set(range(len(SPECIAL))))]
    seen = set(kept)
    kept += [at for at in common if at not in seen][: max(0, KEPT - len(kept))]
    vocabulary = Vocabulary({pieces[at]: (row, float(scores[at])) for row, at in enumerate(kept)})
    return vocabulary, kept


def _latin(letter: str) -> bool:
    return (
        letter == SPACE
        or letter.isascii()
        or unicodedata.name(letter, "").startswith("LATIN")
        or letter in "¿¡«»„“”‚’–—…€£°§"
    )
