"""Adds the rotated text of a PDF page: sideways along an edge, askew, or upside down.

The engine finds rotated text but leaves it out of a page's blocks. So this module reads the missing text line by line,
in the direction of its letters. The engine joins upside down text as if it were upright.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import cos, radians, sin
from typing import TYPE_CHECKING, NamedTuple

from butler.agents.parser.blocks import Block, Kind
from butler.agents.parser.pdf_hidden import Hidden

if TYPE_CHECKING:
    from liteparse.types import ParsedPage, TextItem

_UPRIGHT = 0.5
"""Degrees within which text counts as upright."""
_ALIKE = 1.0
"""Degrees within which lines are turned alike."""
_UPSIDE_DOWN = range(170, 191)
"""Degrees."""
_MOST = 3_000
"""The most pieces of a page that are considered: the labels of a map are no text to read."""


class _Piece(NamedTuple):
    """A piece of text, with its place on the page turned so that the text is upright."""

    angle: float
    down: float
    along: float
    height: float
    text: str


def turned_text(page: "ParsedPage", hidden: Hidden, blocks: Sequence[Block]) -> list[Block]:
    """Return the visible rotated text that is missing in the blocks, one text for each direction."""
    unseen = set(map(id, hidden.items))
    items = (item for item in page.text_items if item.text.strip() and id(item) not in unseen)
    pieces = sorted(_pieces(item for item in items if _angle(item) is not None))[:_MOST]
    if not pieces:
        return []
    known = _words(" ".join([block.text, *(cell for row in block.rows for cell in row)]) for block in blocks)
    texts: list[list[str]] = []
    last: float | None = None
    for line in _lines(pieces):
        text = " ".join(" ".join(piece.text for piece in line).split())
        if text in known or all(" ".join(piece.text.split()) in known for piece in line):
            continue
        if last is None or abs(line[0].angle - last) > _ALIKE:
            texts.append([])
        texts[-1].append(text)
        last = line[0].angle
    return [Block(Kind.TEXT, "\n".join(lines), page.page_num) for lines in texts]


def is_upside_down(page: "ParsedPage", hidden: Hidden) -> bool:
    """Return whether the page has visible upside down text of more than one word."""
    unseen = set(map(id, hidden.items))
    return any(
        round(_angle(item) or 0) in _UPSIDE_DOWN and len(item.text.split()) > 1 and id(item) not in unseen
        for item in page.text_items
    )


def _angle(item: "TextItem") -> float | None:
    """Return an item's rotation in degrees, clockwise; None for upright text."""
    angle = (item.rotation or 0.0) % 360
    return None if min(angle, 360 - angle) <= _UPRIGHT else angle


def _pieces(items: Iterator["TextItem"]) -> Iterator[_Piece]:
    for item in items:
        angle = _angle(item)
        assert angle is not None, "upright text was left out"
        turn = radians(angle)
        x, y = item.x + item.width / 2, item.y + item.height / 2
        along, down = x * cos(turn) + y * sin(turn), y * cos(turn) - x * sin(turn)
        size = item.font_height or item.font_size or min(item.width, item.height)
        yield _Piece(round(angle), down, along, size or 1.0, item.text)


def _lines(pieces: Sequence[_Piece]) -> Iterator[list[_Piece]]:
    """Yield the pieces line by line, each line from its beginning."""
    line = [pieces[0]]
    for before, piece in pairwise(pieces):
        if abs(piece.angle - before.angle) > _ALIKE or piece.down - before.down > before.height / 2:
            yield sorted(line, key=_along)
            line = []
        line.append(piece)
    yield sorted(line, key=_along)


def _along(piece: _Piece) -> float:
    return piece.along


def _words(texts: Iterator[str]) -> str:
    return " ".join(" ".join(texts).split())
