"""Mails of the butler's mailbox that the owner wants fetched anew, because not all of them was had the first time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class Again:
    """Their places, as UIDVALIDITY and UID; kept as a cursor."""

    places: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def cursor(account: str) -> str:
        """The cursor's name for a mailbox."""
        return f"mail.bot.{account}.again"

    @classmethod
    def of(cls, value: str | None) -> Self:
        """What `str()` gave."""
        return cls(tuple((validity, uid) for validity, uid in json.loads(value))) if value else cls()

    def __str__(self) -> str:
        return json.dumps(self.places) if self.places else ""

    def with_mail(self, uidvalidity: int, uid: int) -> Self:
        """And this one."""
        return type(self)(tuple(sorted({*self.places, (uidvalidity, uid)})))

    def without(self, done: "Again") -> Self:
        """Those that were wanted since."""
        return type(self)(tuple(place for place in self.places if place not in done.places))

    def uids(self, uidvalidity: int) -> Sequence[int]:
        """Those that can still be had."""
        return [uid for validity, uid in self.places if validity == uidvalidity]
