"""Reads pictures by OCR, page by page."""

import io
import warnings

from butler.agents.parser.blocks import Block, Document, Kind, UnreadableError, damaged
from butler.agents.parser.ocr import LONGEST_SIDE, Ocr
from butler.agents.parser.pdf_scans import page_list
from butler.contract.speech import phrase, say

_MOST_PIXELS = 50_000_000
"""Unpacked pixels, of up to four bytes each: a photograph may have more, as it is scaled while it is decoded."""
_MOST_PAGES = 60


def read_image(data: bytes, document: Document, ocr: Ocr) -> None:
    """Add the text of a picture to the document. Raises `UnreadableError`."""
    from PIL import Image, ImageOps, UnidentifiedImageError  # noqa: PLC0415 - only for who reads pictures

    warnings.simplefilter("ignore")
    try:
        with Image.open(io.BytesIO(data)) as picture:
            document.metadata["size"] = [picture.width, picture.height]
            frames = getattr(picture, "n_frames", 1) if picture.format == "TIFF" else 1
            document.pages = frames
            unread: list[int] = []
            for number in range(1, min(frames, _MOST_PAGES) + 1):
                picture.seek(number - 1)
                if not ocr.has_time:
                    unread.append(number)
                    continue
                # Decoding takes memory; so far only the header was read, which has the size.
                picture.draft("RGB", (LONGEST_SIDE, LONGEST_SIDE))
                if picture.width * picture.height > _MOST_PIXELS:
                    raise _too_large()
                whole = document.metadata["size"][0] if number == 1 else picture.width
                picture.thumbnail((LONGEST_SIDE, LONGEST_SIDE))
                scale = whole / picture.width
                lines = ocr.read(ImageOps.exif_transpose(picture).convert("RGB"), scale)
                if lines is None:
                    unread.append(number)
                for line in lines or ():
                    document.blocks.append(Block(Kind.IMAGE, line.text, number, 0, line.box))
    except Image.DecompressionBombError:
        raise _too_large() from None
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError) as error:
        raise damaged(phrase("it is no picture that can be opened")) from error
    _tell(document, ocr, unread, frames)


def _too_large() -> UnreadableError:
    return UnreadableError(say("The picture is not read: it is far too large."), "too_large")


def _tell(document: Document, ocr: Ocr, unread: list[int], frames: int) -> None:
    if unread:
        document.problem(
            say("Not read: {pages}; {why}.", pages=page_list(unread), why=ocr.why_not)
            if frames > 1
            else say("Not read: the picture; {why}.", why=ocr.why_not)
        )
    elif not document.blocks:
        document.problem(say("There is no text in the picture."))
    else:
        document.problem(say("Read from a picture, so letters may be wrong."))
    if frames > _MOST_PAGES:
        document.problem(say("Only its first {number} pages were read.", number=_MOST_PAGES))
