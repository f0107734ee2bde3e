"""Finds PDF pages that are pictures, and reads them by OCR."""

import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from butler.agents.parser.blocks import Block, Document, Kind
from butler.agents.parser.ocr import LONGEST_SIDE, Ocr
from butler.agents.parser.pdf_engine import POINTS, dpi_for, engine
from butler.contract.speech import say, say_list

_COVERED = 0.05
"""The share of a page covered by pictures, or by outlines that may be letters, that makes OCR worthwhile."""
_MOST_DPI = 300.0


@dataclass(slots=True)
class Page:
    """A page with its text before OCR."""

    number: int
    longest_side: float
    """In points."""
    blocks: list[Block]
    is_sparse: bool
    """Whether its text may be in a picture."""


def read_scans(
    data: bytes, document: Document, ocr: Ocr, pages: Iterable[Page], *, password: str | None, force: bool
) -> set[int]:
    """Add the text of pictures to the pages that need it; with `force`, replace the text of every page.

    Returns the pages that could not be read.
    """
    sparse = [page for page in pages if force or page.is_sparse]
    pictures = _with_pictures(data, [page.number for page in sparse], password) if not force else set[int]()
    read: list[int] = []
    unread: list[int] = []
    for page in sparse:
        if not force and page.number not in pictures:
            continue
        lines = _lines(data, page, ocr, password, force=force)
        if lines is None:
            unread.append(page.number)
        elif lines:
            page.blocks[:] = lines if force else [*page.blocks, *lines]
            read.append(page.number)
    if read:
        document.metadata["ocr_pages"] = read
        document.problem(say("Read from a picture, so letters may be wrong: {pages}.", pages=page_list(read)))
    if unread:
        document.problem(say("Not read: {pages}; {why}.", pages=page_list(unread), why=ocr.why_not))
    return set(unread)


def _with_pictures(data: bytes, numbers: Sequence[int], password: str | None) -> set[int]:
    if not numbers:
        return set()
    looked = engine(password, target_pages=",".join(map(str, numbers))).is_complex(data)
    return {
        page.page_number
        for page in looked
        if page.full_page_image
        or page.is_garbled
        or page.image_coverage > _COVERED
        or (page.uncovered_vector_area or 0) > _COVERED * page.page_area
    }


def _lines(data: bytes, page: Page, ocr: Ocr, password: str | None, *, force: bool) -> list[Block] | None:
    if not ocr.has_time:
        return None
    from PIL import Image  # noqa: PLC0415 - only for who reads pictures

    dpi = dpi_for(page.longest_side, page.longest_side, LONGEST_SIDE, _MOST_DPI)
    shots = engine(password, dpi=dpi, extract_screenshots=True, target_pages=str(page.number)).parse(data).screenshots
    if not shots or shots[0].is_solid_fill:
        return []
    known = [] if force else [block.box for block in page.blocks if block.box is not None]
    with Image.open(io.BytesIO(shots[0].image_bytes)) as picture:
        found = ocr.read(picture.convert("RGB"), POINTS / dpi, known)
    return None if found is None else [Block(Kind.TEXT, line.text, page.number, 0, line.box) for line in found]


def page_list(numbers: Sequence[int]) -> str:
    """Return `page 3`, `pages 1, 2 and 5`, `pages 1 to 30`."""
    if len(numbers) == 1:
        return say("page {number}", number=numbers[0])
    if len(numbers) > 2 and numbers[-1] - numbers[0] == len(numbers) - 1:  # noqa: PLR2004 - more than two in a row
        return say("pages {first} to {last}", first=numbers[0], last=numbers[-1])
    return say("pages {these}", these=say_list([str(number) for number in numbers]))
