"""What was there before a message, as far as it decides what the message means: `due friday` may be about a card.

The reader's network is given one number for each of these flags.
"""

from collections.abc import Iterable
from typing import Final

KINDS: Final = ("mail", "message", "reminder", "event", "card", "note", "file", "page", "source", "automation")
"""What was shown or spoken of last."""
APPROVAL: Final = "approval"
"""A card that waits for the owner's yes."""
ASKED: Final = "asked"
"""The butler asked something last."""
FLAGS: Final = (*KINDS, APPROVAL, ASKED)
OF_INTENTS: Final = {
    "mail": "mail", "message": "message", "chat.read": "message", "chat.list": "message", "reminder": "reminder",
    "calendar": "event", "card": "card", "note": "note", "file": "file", "web": "page", "memory": "source",
    "automation": "automation", "approve": APPROVAL, "answer": ASKED,
}  # fmt: skip
"""What an intent, or all whose names begin so, is about."""


def flags_of(intent: str) -> tuple[str, ...]:
    """What the message behind a request of this intent has before it."""
    flag = OF_INTENTS.get(intent) or OF_INTENTS.get(intent.split(".", maxsplit=1)[0])
    return (flag,) if flag else ()


def numbers(context: Iterable[str]) -> list[float]:
    """A one for each flag that is set, in the order of `FLAGS`."""
    present = set(context)
    return [1.0 if flag in present else 0.0 for flag in FLAGS]
