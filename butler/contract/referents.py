"""The kinds of things that can be referred to in a conversation."""

from enum import StrEnum


class ReferentKind(StrEnum):
    """The kind of item that a handle stands for."""

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
    """A card on a board; the message that asks for the owner's approval is an approval."""
    AUTOMATION = "automation"
    RULE = "rule"
    """A standing rule."""
    RUN = "run"
    """A bulk run."""
    WAIT = "wait"
    """An answer that the owner waits for."""
