"""Names what a step found in a conversation: its kind, and the key that a tool takes."""

from collections.abc import Mapping
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


def digests(item: Item) -> list[str]:
    """Return the digests of the stored files that came with a mail or a message."""
    files = cast("list[Mapping[str, Any]]", item.data.get("attachments") or [])
    return [str(file["sha256"]) for file in files if file.get("sha256")]
