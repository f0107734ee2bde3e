"""What the things that a step found are called in a conversation: their kind, and the key that a tool takes."""

from collections.abc import Mapping
from typing import Any, cast

from butler.contract.conversation import ReferentKind
from butler.contract.found_items import Item
from butler.contract.tools import ToolSpec

READ_FILE = "bot_documents_read"
"""What reads a file that was sent in the chat or came with a mail, by its digest."""


def kind_and_key(spec: ToolSpec, item: Item) -> tuple[ReferentKind, str]:
    """A kind, and the item's id where it lives: the digest of a stored file, a path, an address, an id."""
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
    """The stored files that came with a mail or a message, which can be read by their digest."""
    files = cast("list[Mapping[str, Any]]", item.data.get("attachments") or [])
    return [str(file["sha256"]) for file in files if file.get("sha256")]
