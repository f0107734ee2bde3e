"""Reads PDF files: text, headings, tables with their places, comments, form fields; scanned pages by OCR."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from butler.agents.parser.blocks import Block, Box, Document, EncryptedError, Kind, damaged
from butler.agents.parser.bounds import TimeUpError
from butler.agents.parser.ocr import Ocr
from butler.agents.parser.pdf_engine import engine
from butler.agents.parser.pdf_extras import describe
from butler.agents.parser.pdf_hidden import Hidden, HiddenText
from butler.agents.parser.pdf_lines import Lines
from butler.agents.parser.pdf_scans import Page, page_list, read_scans
from butler.agents.parser.pdf_turned import is_upside_down, turned_text
from butler.contract.speech import phrase, say, say_number

if TYPE_CHECKING:
    from liteparse.types import AnnotationRect, LayoutBlock, ParsedPage

_MOST_PAGES = 2_000
_BEGINS_WITHIN = 1_024
"""Bytes within which a PDF must begin, as in all PDF readers."""
_BATCH = 50
"""Pages held in memory together."""
_FEW = 100
"""Characters: a page with fewer is checked for text in a picture."""
_MOST_LINKS = 200
_KINDS = {"heading": Kind.HEADING, "list_item": Kind.LIST, "code": Kind.CODE, "grid_fallback": Kind.CODE}
_SAID_IN = frozenset({"text", "freetext", "highlight", "underline", "squiggly", "strikeout", "stamp", "caret"})
"""Annotations whose contents a person writes."""
_CONCEALED = phrase("Text that nobody can see was left out, on {pages}.")
_TURNED = phrase("Text that stands sideways or askew was read after the rest of its page: {pages}.")
_UPSIDE_DOWN = phrase("Some text is upside down, so its words may stand in a wrong order: {pages}.")


def read_pdf(data: bytes, document: Document, ocr: Ocr, *, password: str | None, force_ocr: bool) -> None:
    """Add the content of the file to the document. Raises `UnreadableError`."""
    from liteparse.types import ParseError  # noqa: PLC0415 - native code, only for who reads a PDF

    # Skip data that a mail program or server left before the PDF's beginning, from which offsets count.
    data = data[max(0, data.find(b"%PDF-", 0, _BEGINS_WITHIN)) :]
    pages: list[Page] = []
    try:
        _read_pages(data, document, password, pages)
        unread = read_scans(data, document, ocr, pages, password=password, force=force_ocr)
    except ParseError as error:
        if "password" in str(error).lower():
            raise EncryptedError(tried=password is not None) from None
        raise damaged(phrase("it is no PDF that can be opened")) from error
    except (MemoryError, TimeUpError):
        if len(pages) < document.pages:
            unread = page_list(range(len(pages) + 1, document.pages + 1))
            document.problem(say("Not read: {pages}.", pages=unread))
        raise
    finally:
        # On any error, what was read before is kept.
        for page in pages:
            document.blocks += page.blocks
    if document.pages > _MOST_PAGES:
        document.problem(
            say(
                "It has {pages} pages: only the first {most} were read.",
                pages=say_number(document.pages),
                most=say_number(_MOST_PAGES),
            )
        )
    if empty := [page.number for page in pages if not page.blocks and page.number not in unread]:
        document.problem(say("Without any text: {pages}.", pages=page_list(empty)))
    describe(data, document, password)


def _read_pages(data: bytes, document: Document, password: str | None, pages: list[Page]) -> None:
    """Add the pages, each once it is complete."""
    parser = engine(
        password,
        extract_blocks=True,
        extract_text_metadata=True,
        extract_annotations=True,
        extract_form_fields=True,
        extract_vector_graphics=True,
        max_pages=_MOST_PAGES,
    )
    watch = HiddenText(data, password)
    concealing: list[int] = []
    turned: list[int] = []
    upside_down: list[int] = []
    links: dict[str, None] = {}
    for batch in parser.parse_batches(data, _BATCH):
        document.pages = batch.total_pages
        for page in batch.result.pages:
            hidden = watch.of(page)
            concealing += [page.page_num] if hidden.items else []
            blocks = _blocks_of(page, hidden)
            added = turned_text(page, hidden, blocks)
            blocks += added
            turned += [page.page_num] if added else []
            upside_down += [page.page_num] if is_upside_down(page, hidden) else []
            is_sparse = _is_garbled(page) or sum(map(_length, blocks)) < _FEW
            links.update((note.uri, None) for note in page.annotations or () if note.uri)
            pinned = [note.contents for note in page.annotations or () if note.subtype == "fileattachment"]
            document.files(*(name for name in pinned if name))
            blocks += _annotations(page)
            pages.append(Page(page.page_num, max(page.width, page.height), blocks, is_sparse))
        for error in batch.result.page_errors:
            document.problem(say("Page {number} could not be read.", number=error.page_num))
    if watch.unchecked:
        document.problem(say("Some of its later pages were not searched for text that nobody can see."))
    for sentence, numbers in ((_CONCEALED, concealing), (_TURNED, turned), (_UPSIDE_DOWN, upside_down)):
        if numbers:
            document.problem(say(sentence, pages=page_list(numbers)))
    if links:
        document.metadata["links"] = list(links)[:_MOST_LINKS]


def _length(block: Block) -> int:
    return len(block.text) + sum(len(cell) for row in block.rows for cell in row)


def _is_garbled(page: "ParsedPage") -> bool:
    """Return whether most letters of a page use a font without a character mapping."""
    bad = sum(len(item.text) for item in page.text_items if item.font_is_buggy)
    return bad * 2 > sum(len(item.text) for item in page.text_items)


def _blocks_of(page: "ParsedPage", hidden: Hidden) -> list[Block]:
    found: list[Block] = []
    lines = Lines(page.text)
    for block in page.blocks or ():
        if block.kind == "table":
            rows = [*([block.header] if block.header else []), *(block.rows or [])]
            texts = (tuple(hidden.seen(cell.text, cell.bbox) for cell in row) for row in rows)
            if filled := tuple(row for row in texts if any(row)):
                found.append(Block(Kind.TABLE, "", page.page_num, 0, _box(block.bbox), filled))
            continue
        sentence = lines.kept(_text_of(block)) if block.kind == "paragraph" else _text_of(block)
        text = hidden.seen(sentence, block.bbox)
        if text.strip():
            kind = _KINDS.get(block.kind, Kind.TEXT)
            found.append(Block(kind, text.rstrip(), page.page_num, block.level or 0, _box(block.bbox)))
    return found


def _text_of(block: "LayoutBlock") -> str:
    if block.lines:
        return "\n".join(block.lines)
    if block.kind == "list_item":
        return f"{'  ' * (block.level or 0)}{block.marker or '-'} {block.text or ''}"
    return block.text or ""


def _box(place: "AnnotationRect | None") -> Box | None:
    return (place.x, place.y, place.x + place.width, place.y + place.height) if place else None


def _annotations(page: "ParsedPage") -> Sequence[Block]:
    """Return comments, and form values that are not drawn on the page."""
    found: list[Block] = []
    for note in page.annotations or ():
        if note.subtype in _SAID_IN and note.contents and note.contents.strip():
            who = f" by {note.title}" if note.title else ""
            found.append(Block(Kind.TEXT, f"Comment{who}: {note.contents.strip()}", page.page_num, 0, _box(note.rect)))
    for entry in page.form_fields or ():
        name = entry.alternate_name or entry.name
        value = entry.value or ("yes" if entry.checked else "")
        if name and value and value not in page.text:
            found.append(Block(Kind.TEXT, f"{name}: {value}", page.page_num))
    return found
