"""Mails of the butler's mailbox to fetch again, because they were not fetched as a whole the first time."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self


@dataclass(frozen=True, slots=True)
class RefetchList:
    """The mails' places, as UIDVALIDITY and UID; stored as a cursor."""

    places: tuple[tuple[int, int], ...] = ()

    @staticmethod
    def cursor(account: str) -> str:
        """Return the cursor's name for a mailbox."""
        return f"mail.bot.{account}.again"

    @classmethod
    def of(cls, value: str | None) -> Self:
        """Parse the output of `str()`."""
        return cls(tuple((validity, uid) for validity, uid in json.loads(value))) if value else cls()

    def __str__(self) -> str:
        return json.dumps(self.places) if self.places else ""

    def with_mail(self, uidvalidity: int, uid: int) -> Self:
        """Return the places with this one added."""
        return type(self)(tuple(sorted({*self.places, (uidvalidity, uid)})))

    def without(self, done: "RefetchList") -> Self:
        """Return the places that were added since."""
        return type(self)(tuple(place for place in self.places if place not in done.places))

    def uids(self, uidvalidity: int) -> Sequence[int]:
        """Return the UIDs that are still valid."""
        return [uid for validity, uid in self.places if validity == uidvalidity]
