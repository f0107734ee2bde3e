"""liteparse as it is used here: on bytes, without its own OCR, and without a reason to ask the network."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from liteparse.parser import LiteParse


def engine(password: str | None, **options: Any) -> "LiteParse":
    """A parser with further options of its own."""
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
