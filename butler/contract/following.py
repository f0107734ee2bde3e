"""Digests and awaited answers, as the tools that set them see them."""

from collections.abc import Sequence
from datetime import date, datetime, time
from enum import StrEnum
from typing import Protocol

from pydantic import AwareDatetime

from butler.contract.provenance import Origin
from butler.contract.records import Record


class DigestKind(StrEnum):
    """Which of a day's two digests."""

    MORNING = "morning"
    EVENING = "evening"


class DigestTimes(Record):
    """When a digest comes."""

    kind: DigestKind
    at: time | None
    """By the person's clock; None where there is none."""
    zone: str
    next_at: AwareDatetime | None = None
    """The next one; later than `at` says where that falls into quiet hours."""


class DigestRepository(Protocol):
    """The times of the digests."""

    async def set_time(self, kind: DigestKind, at: time | None) -> DigestTimes:
        """Send it at this time from now on, or stop sending it; the same again changes nothing."""
        ...

    async def skip(self, day: date) -> None:
        """Skip the digest of this day; raises `Refuse` for a day that is over."""
        ...


class WaitKind(StrEnum):
    """What an answer would come as."""

    MAIL = "mail"
    CHAT = "chat"


class WaitState(StrEnum):
    """What became of it."""

    WAITING = "waiting"
    OVERDUE = "overdue"
    """It was told that no answer has come."""
    ANSWERED = "answered"
    DONE = "done"
    """Nobody waits for it any more."""


class Wait(Record):
    """An answer that the person waits for."""

    wait_id: str
    kind: WaitKind
    account: str
    """Where it would come in; empty for any."""
    chat: str
    """The thread or chat that it would come in; empty for any of that person's."""
    address: str
    """Whose answer."""
    contact_id: str = ""
    about: str = ""
    """The subject, or how the question began."""
    state: WaitState = WaitState.WAITING
    since: AwareDatetime
    until: AwareDatetime
    """When it is overdue."""
    tells: bool = False
    """Whether the owner is told as soon as it has come."""
    origins: tuple[Origin, ...] = ()
    """Who stands behind `about`."""


class WaitRepository(Protocol):
    """Awaited answers, as rows. Writing with a known `call_id` changes nothing."""

    async def watch(self, call_id: str, address: str, until: datetime | None, *, tells: bool = False) -> Wait:
        """Report if this person has not answered by then, a wall time; after the usual time for None.

        With `tells`, report the answer as well, as soon as it has come. Raises `Refuse` for a time that is over.
        """
        ...

    async def waiting(self, limit: int) -> Sequence[Wait]:
        """Return what is open, the first to be overdue first."""
        ...
