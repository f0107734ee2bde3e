"""A PDF's metadata: its title and author, and the names of embedded files."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false
# pypdf leaves some of its objects untyped.

import io
import logging

from butler.agents.parser.blocks import Document

_LONGEST = 500
_LARGEST = 100 * 1024 * 1024
"""Bytes; for a larger file the list of its objects alone takes long."""


def describe(data: bytes, document: Document, password: str | None) -> None:
    """Add title, author and the names of embedded files; skip a file that pypdf cannot open."""
    if len(data) > _LARGEST:
        return
    from pypdf import PdfReader  # noqa: PLC0415 - only for who reads a PDF

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    try:
        reader = PdfReader(io.BytesIO(data))
        if reader.is_encrypted:
            reader.decrypt(password or "")
        about = reader.metadata
        for name, value in (("title", about.title), ("author", about.author)) if about else ():
            if value and value.strip():
                document.metadata[name] = value.strip()[:_LONGEST]
        files = [file.name for file in reader.attachment_list]
    except Exception as error:  # noqa: BLE001 - the boundary to a hostile format; liteparse has read the text already
        document.metadata["pdf_details"] = f"unreadable ({type(error).__name__})"
        return
    document.files(*files)
