"""Finds hidden text of a PDF page: tiny, transparent, invisible, or in the colour of its surroundings.

Light text may be on a dark ground; text in the colour of a box may be before or behind it (as under a black bar);
invisible text may belong to a scan that shows the same words. So a page with any of these is rendered, and the picture
is searched for the text. liteparse itself drops text outside of the page.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from butler.agents.parser.pdf_engine import POINTS, dpi_for, engine
from butler.agents.parser.pdf_invisible import may_be_invisible

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, ParsedPage, TextItem, VectorShape

_TINY = 3.0
"""Points; the smallest print has four."""
_FAINT = 0x18
"""Of 255: text of a lower opacity counts as transparent."""
_LIGHT = 190
_NEAR = 60
"""Text is checked if its colour and that of its box differ less than this, of 255."""
_MOST_BOXES = 300
_MOST_DRAWN = 300
"""Pages."""
_LONGEST_SIDE = 3_000
"""Pixels of the longer side of a rendered page."""
_CONTRAST = 20
"""Of 255: a smaller contrast is invisible."""
_MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class Hidden:
    """The hidden items of a page, and the visible ones."""

    items: tuple["TextItem", ...] = ()
    visible: tuple["TextItem", ...] = ()

    def seen(self, text: str, place: "AnnotationRect | None") -> str:
        """Return the visible part of a block's text."""
        if not self.items or place is None or not any(_is_in(item, place) for item in self.items):
            return text
        rest = sorted((item for item in self.visible if _is_in(item, place)), key=lambda item: (round(item.y), item.x))
        return " ".join(item.text for item in rest)


class HiddenText:
    """Checks the pages of one file."""

    def __init__(self, data: bytes, password: str | None) -> None:
        self._data, self._password = data, password
        self._may_be_invisible = may_be_invisible(data)
        self._drawn = 0
        self.unchecked = False
        """Whether there were more doubtful pages than are rendered."""

    def of(self, page: "ParsedPage") -> Hidden:
        """Return the hidden and the visible items of a page."""
        items = page.text_items
        hidden = {at for at, item in enumerate(items) if _is_tiny(item) or _alpha(item) < _FAINT}
        boxes = _boxes(page)
        doubtful = [
            at
            for at, item in enumerate(items)
            if at not in hidden and item.text.strip() and (self._may_be_invisible or _is_doubtful(item, boxes))
        ]
        if doubtful and self._drawn < _MOST_DRAWN:
            self._drawn += 1
            hidden |= _unseen(self._data, self._password, page, doubtful)
        elif doubtful:
            self.unchecked = True
        if not hidden:
            return Hidden()
        return Hidden(
            tuple(items[at] for at in sorted(hidden)), tuple(item for at, item in enumerate(items) if at not in hidden)
        )


def _is_tiny(item: "TextItem") -> bool:
    size = item.font_height if item.font_height is not None else item.height
    return 0 < size < _TINY and bool(item.text.strip())


def _alpha(item: "TextItem") -> int:
    return int(item.fill_color[:2], 16) if item.fill_color else 255


@lru_cache(512)
def _colour(argb: str) -> tuple[int, int, int]:
    return int(argb[2:4], 16), int(argb[4:6], 16), int(argb[6:8], 16)


def _boxes(page: "ParsedPage") -> list["VectorShape"]:
    """Return the largest filled shapes of a page."""
    shapes = page.vector_graphics.shapes if page.vector_graphics is not None else []
    filled = [one for one in shapes if one.fill and one.fill_color and one.bbox[2] > _MARGIN and one.bbox[3] > _MARGIN]
    return sorted(filled, key=lambda one: one.bbox[2] * one.bbox[3], reverse=True)[:_MOST_BOXES]


def _is_doubtful(item: "TextItem", boxes: Sequence["VectorShape"]) -> bool:
    """Return whether an item is light, or touches a box of about its colour."""
    if item.fill_color is None:
        return False
    colour = _colour(item.fill_color)
    if min(colour) > _LIGHT:
        return True
    if not boxes:
        return False
    x, y = item.x + item.width / 2, item.y + item.height / 2
    for box in boxes:
        left, top, width, height = box.bbox
        if left <= x <= left + width and top <= y <= top + height and box.fill_color:
            near = max(abs(a - b) for a, b in zip(colour, _colour(box.fill_color), strict=True))
            if near < _NEAR:
                return True
    return False


def _unseen(data: bytes, password: str | None, page: "ParsedPage", doubtful: Sequence[int]) -> set[int]:
    from PIL import Image  # noqa: PLC0415 - only for pages that are drawn

    dpi = dpi_for(page.width, page.height, _LONGEST_SIDE, POINTS)
    drawing = engine(password, dpi=dpi, extract_screenshots=True, target_pages=str(page.page_num))
    shots = drawing.parse(data).screenshots
    if not shots:
        return set(doubtful)
    with Image.open(io.BytesIO(shots[0].image_bytes)) as picture:
        grey = picture.convert("L")
    scale = grey.width / page.width
    unseen: set[int] = set()
    for at in doubtful:
        item = page.text_items[at]
        edges = (item.x, item.y, item.x + max(item.width, 1), item.y + max(item.height, 1))
        left, top, right, bottom = (round(edge * scale) for edge in edges)
        inside = max(left, 0), max(top, 0), min(right, grey.width), min(bottom, grey.height)
        if inside[0] >= inside[2] or inside[1] >= inside[3]:
            unseen.add(at)
            continue
        darkest, lightest = grey.crop(inside).getextrema()
        if lightest - darkest < _CONTRAST:  # type: ignore[operator] - of a grey picture they are numbers
            unseen.add(at)
    return unseen


def _is_in(item: "TextItem", place: "AnnotationRect") -> bool:
    x, y = item.x + item.width / 2, item.y + item.height / 2
    return (
        place.x - _MARGIN <= x <= place.x + place.width + _MARGIN
        and place.y - _MARGIN <= y <= place.y + place.height + _MARGIN
    )
