"""Builds a tool's record of a message, whether live or from the mirror."""

from collections.abc import Iterable

from butler.contract.integration import Json
from butler.contract.mirror import SeenMessage
from modules.telegram.text import Part, shorten

QUOTE = 200
"""UTF-16 units of a message that are quoted on a card."""


def item_of(message: SeenMessage) -> Json:
    """Return a message as a record; the sender, their name and the text are untrusted data."""
    return {
        "message_id": message.order,
        "sender": message.sender,
        "outgoing": message.outgoing,
        "at": message.at.isoformat(),
        "text": message.text,
        "chat": message.chat,
        "sender_name": message.sender_name,
        "reply_to": message.reply_to,
        "topic": message.topic,
        "album": message.album,
        "forwarded_from": message.forwarded_from,
        "edited_at": message.edited_at.isoformat() if message.edited_at else None,
        "attachments": [file.model_dump(exclude={"sha256"}) for file in message.files],
        "labels": message.labels,
        "problems": message.problems,
    }


def quote_of(text: str, files: Iterable[str] = ()) -> str:
    """Return the beginning of a message in one line, or the names of its files."""
    line = " ".join(text.split()) or ", ".join(files)
    return shorten(Part(line), QUOTE).text
