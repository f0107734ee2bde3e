"""Flags for what preceded a message and may decide its meaning: `due friday` may be about a card.

The reader's network takes one number for each flag.
"""

from collections.abc import Iterable
from typing import Final

KINDS: Final = ("mail", "message", "reminder", "event", "card", "note", "file", "page", "source", "automation")
"""Kinds of things that were shown or mentioned last."""
APPROVAL: Final = "approval"
"""A card that waits for the owner's yes."""
ASKED: Final = "asked"
"""The butler's last message was a question."""
FLAGS: Final = (*KINDS, APPROVAL, ASKED)
OF_INTENTS: Final = {
    "mail": "mail", "message": "message", "chat.read": "message", "chat.list": "message", "reminder": "reminder",
    "calendar": "event", "card": "card", "note": "note", "file": "file", "web": "page", "memory": "source",
    "automation": "automation", "approve": APPROVAL, "answer": ASKED,
}  # fmt: skip
"""The flag of the thing that an intent is about, by the intent's name or the first part of it."""


def flags_of(intent: str) -> tuple[str, ...]:
    """Return the context flags of a message that follows a request of this intent."""
    flag = OF_INTENTS.get(intent) or OF_INTENTS.get(intent.split(".", maxsplit=1)[0])
    return (flag,) if flag else ()


def numbers(context: Iterable[str]) -> list[float]:
    """Return 1 for each flag that is set, else 0, in the order of `FLAGS`."""
    present = set(context)
    return [1.0 if flag in present else 0.0 for flag in FLAGS]
