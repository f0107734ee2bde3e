"""Text of a PDF page that nobody can see: tiny, see-through, or in the colour of what is behind it.

liteparse itself drops what is drawn invisibly or beside the page. Light text may stand on a dark ground, so a page that
has any is drawn, and the text is looked for in the picture.
"""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, ParsedPage, TextItem

_TINY = 3.0
"""Points; the smallest print has four."""
_FAINT = 0x18
"""Of 255, how much of a colour covers what is behind it."""
_LIGHT = 190
_MOST_DRAWN = 100
"""Pages; on more, light text counts as hidden."""
_CONTRAST = 20
"""Of 255: what differs less from its ground is not seen."""
_MARGIN = 2.0


@dataclass(frozen=True, slots=True)
class Hidden:
    """The hidden items of a page, and the others."""

    items: tuple["TextItem", ...] = ()
    visible: tuple["TextItem", ...] = ()

    def seen(self, text: str, place: "AnnotationRect | None") -> str:
        """What can be seen of a block's text."""
        if not self.items or place is None or not any(_is_in(item, place) for item in self.items):
            return text
        rest = sorted((item for item in self.visible if _is_in(item, place)), key=lambda item: (round(item.y), item.x))
        return " ".join(item.text for item in rest)


def hidden_items(data: bytes, password: str | None, pages: Sequence["ParsedPage"]) -> dict[int, Hidden]:
    """By page number, for the pages that have any."""
    found: dict[int, Hidden] = {}
    drawn = 0
    for page in pages:
        hidden = {at for at, item in enumerate(page.text_items) if _is_tiny(item) or _alpha(item) < _FAINT}
        light = [at for at, item in enumerate(page.text_items) if at not in hidden and _is_light(item)]
        if light and drawn < _MOST_DRAWN:
            drawn += 1
            hidden |= _unseen(data, password, page, light)
        else:
            hidden.update(light)
        if hidden:
            items = tuple(page.text_items[at] for at in sorted(hidden))
            rest = tuple(item for at, item in enumerate(page.text_items) if at not in hidden)
            found[page.page_num] = Hidden(items, rest)
    return found


def _is_tiny(item: "TextItem") -> bool:
    size = item.font_height if item.font_height is not None else item.height
    return 0 < size < _TINY and bool(item.text.strip())


def _alpha(item: "TextItem") -> int:
    return int(item.fill_color[:2], 16) if item.fill_color else 255


def _is_light(item: "TextItem") -> bool:
    colour = item.fill_color
    return colour is not None and all(int(colour[at : at + 2], 16) > _LIGHT for at in (2, 4, 6))


def _unseen(data: bytes, password: str | None, page: "ParsedPage", light: Sequence[int]) -> set[int]:
    from PIL import Image  # noqa: PLC0415 - only for pages with light text

    from butler.agents.parser.pdf_engine import engine  # noqa: PLC0415

    shots = engine(password, dpi=72, extract_screenshots=True, target_pages=str(page.page_num)).parse(data).screenshots
    if not shots:
        return set(light)
    with Image.open(io.BytesIO(shots[0].image_bytes)) as picture:
        grey = picture.convert("L")
    scale = grey.width / page.width
    unseen: set[int] = set()
    for at in light:
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
