"""Names what a step found in a conversation: its kind, and the key that a tool takes."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any, cast

from butler.contract.found_items import Item
from butler.contract.referents import ReferentKind
from butler.contract.tools import ToolSpec

READ_FILE = "bot_documents_read"
"""The tool that reads a file from the chat or a mail, by its digest."""


def kind_and_key(spec: ToolSpec, item: Item) -> tuple[ReferentKind, str]:
    """Return an item's kind and key: the digest of a stored file, a path, an address, or an id."""
    kind = spec.about.referent or ReferentKind.REMINDER
    if kind is ReferentKind.CARD and not item.data.get("card_id"):
        return ReferentKind.BOARD, item.key
    source_id = str(item.data.get("source_id") or "")
    if kind is ReferentKind.PAGE:
        return kind, str(item.data.get("url") or item.key)
    if kind is ReferentKind.FILE and source_id:
        return kind, source_id.split(":", 1)[-1]
    return kind, item.key


def begins_of(item: Item) -> datetime | date | None:
    """Return when an event starts or a reminder or a card is due; a wall time without a zone is the owner's."""
    for name in ("due_at", "start", "due"):
        if (when := _when(item.data.get(name))) is not None:
            return when
    return None


def _when(value: Any) -> datetime | date | None:
    for parsed in (date.fromisoformat, datetime.fromisoformat):
        try:
            return parsed(str(value))
        except ValueError:
            continue
    return None


def writer_of(item: Item) -> str:
    """Return the address of whoever wrote a passage that memory found; empty if it is nobody's or unknown."""
    known = item.data.get("metadata")
    return str(cast("Mapping[str, Any]", known).get("person") or "") if isinstance(known, Mapping) else ""


def digests(item: Item) -> list[str]:
    """Return the digests of the stored files that came with a mail or a message."""
    files = cast("list[Mapping[str, Any]]", item.data.get("attachments") or [])
    return [str(file["sha256"]) for file in files if file.get("sha256")]
