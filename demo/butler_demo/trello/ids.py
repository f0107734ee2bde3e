"""Object ids as Trello's: 24 hex digits that ascend with time, the first eight are seconds since 1970."""

import hashlib
import itertools
import re
from datetime import UTC, datetime

_MACHINE = "5ca1ab1e00"
_ID = re.compile(r"[0-9a-f]{24}")
_LINK_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class ObjectIds:
    """Hands out ids; within one second they ascend in the order in which they are handed out."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def new(self, at: datetime) -> str:
        """Return the id of something made at an aware moment."""
        return f"{int(at.timestamp()):08x}{_MACHINE}{next(self._count):06x}"


def made_at(object_id: str) -> datetime:
    """Return the second in which the object was made, aware, in UTC."""
    return datetime.fromtimestamp(int(object_id[:8], 16), UTC)


def is_id(text: str) -> bool:
    """Return whether a text is an object id."""
    return bool(_ID.fullmatch(text))


def short_link(object_id: str) -> str:
    """Return the eight letters of the object's address."""
    number = int.from_bytes(hashlib.blake2b(object_id.encode(), digest_size=8).digest())
    letters: list[str] = []
    for _ in range(8):
        number, digit = divmod(number, len(_LINK_DIGITS))
        letters.append(_LINK_DIGITS[digit])
    return "".join(letters)
