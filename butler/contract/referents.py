"""What can be spoken of in a conversation."""

from enum import StrEnum


class ReferentKind(StrEnum):
    """What a handle stands for."""

    MAIL = "mail"
    MESSAGE = "message"
    CONTACT = "contact"
    NOTE = "note"
    REMINDER = "reminder"
    APPROVAL = "approval"
    FILE = "file"
    PAGE = "page"
    SOURCE = "source"
    """Something in memory."""
    EVENT = "event"
    """Something in a calendar."""
    BOARD = "board"
    """A board with lists of cards."""
    CARD = "card"
    """A card on a board; one that asks for the owner's yes is an approval."""
    AUTOMATION = "automation"
    RULE = "rule"
    """A standing rule."""
    RUN = "run"
    """Something done to many things at once."""
