"""liteparse as used here: on bytes, without its own OCR, and without network access."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from liteparse.parser import LiteParse


POINTS = 72
"""Points per inch."""


def dpi_for(width: float, height: float, longest_side: float, most: float) -> float:
    """Return the resolution at which a page becomes a picture of limited side length: a page may be of any size."""
    return min(POINTS * longest_side / max(width, height, 1), most)


def engine(password: str | None, **options: Any) -> "LiteParse":
    """Make a parser with further options."""
    from liteparse.parser import LiteParse  # noqa: PLC0415 - native code, only for who reads a PDF

    return LiteParse(
        ocr_enabled=False,
        tessdata_path="/nonexistent",
        quiet=True,
        num_workers=1,
        continue_on_page_error=True,
        keep_headers_footers=True,
        password=password or None,
        **options,
    )
