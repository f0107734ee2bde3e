"""Object ids as Trello's: 24 hex digits that ascend with time, the first eight are seconds since 1970."""

import hashlib
import itertools
import math
from datetime import datetime

_MACHINE = "5ca1ab1e00"
_LINK_DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class ObjectIds:
    """Hands out ids; within one second they ascend in the order in which they are handed out."""

    def __init__(self) -> None:
        self._count = itertools.count(1)

    def new(self, at: datetime) -> str:
        """Return the id of something made at an aware moment."""
        return f"{int(at.timestamp()):08x}{_MACHINE}{next(self._count):06x}"


def first_of(moment: datetime) -> str:
    """Return the beginning of the ids of what is made at an aware moment or later: all earlier ids are smaller."""
    return f"{math.ceil(moment.timestamp()):08x}"


def short_link(object_id: str) -> str:
    """Return the eight letters of the object's address."""
    digest = hashlib.blake2b(object_id.encode(), digest_size=8).digest()
    return "".join(_LINK_DIGITS[byte % len(_LINK_DIGITS)] for byte in digest)
