"""What a tool tells of a message, whether Telegram was asked or what was kept of it is read."""

from collections.abc import Iterable

from butler.contract.integration import Json
from butler.contract.mirror import SeenMessage
from modules.telegram.text import Part, shorten

QUOTE = 200
"""UTF-16 units of a message that stand for it on a card."""


def item_of(message: SeenMessage) -> Json:
    """A message as a record; who wrote it, what they call themselves and what they wrote is data."""
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
    """The beginning of a message in one line, or its files by name."""
    line = " ".join(text.split()) or ", ".join(files)
    return shorten(Part(line), QUOTE).text
