"""Digests and awaited answers, as the tools that manage them see them."""

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
    """When a digest is sent."""

    kind: DigestKind
    at: time | None
    """The wall time in the owner's zone; None if the digest is off."""
    zone: str
    next_at: AwareDatetime | None = None
    """The time of the next digest; later than `at` if that falls into quiet hours."""


class DigestRepository(Protocol):
    """The times of the digests."""

    async def set_time(self, kind: DigestKind, at: time | None) -> DigestTimes:
        """Send the digest at this time from now on, or stop sending it; repeating the call changes nothing."""
        ...

    async def skip(self, day: date) -> None:
        """Skip the digest of this day; raises `Refuse` for a past day."""
        ...


class WaitKind(StrEnum):
    """What an answer would come as."""

    MAIL = "mail"
    CHAT = "chat"


class WaitState(StrEnum):
    """What became of it."""

    WAITING = "waiting"
    OVERDUE = "overdue"
    """The owner was told that no answer has come."""
    ANSWERED = "answered"
    DONE = "done"
    """The owner no longer waits for it."""


class Wait(Record):
    """An answer that the owner waits for."""

    wait_id: str
    kind: WaitKind
    account: str
    """The account in which the answer is expected; empty for any."""
    chat: str
    """The thread or chat in which the answer is expected; empty for any with that person."""
    address: str
    """The address from which the answer is expected."""
    contact_id: str = ""
    about: str = ""
    """The subject, or the beginning of the question."""
    state: WaitState = WaitState.WAITING
    since: AwareDatetime
    until: AwareDatetime
    """The time from which the answer is overdue."""
    tells: bool = False
    """Whether the owner is told as soon as the answer comes."""
    origins: tuple[Origin, ...] = ()
    """The origins of `about`."""


class WaitRepository(Protocol):
    """Awaited answers, as rows. Writing with a known `call_id` changes nothing."""

    async def watch(self, call_id: str, address: str, until: datetime | None, *, tells: bool = False) -> Wait:
        """Report if this person has not answered by `until`, a wall time; after the usual time for None.

        With `tells`, also report the answer as soon as it comes. Takes the place of what was asked for before about the
        same person. Raises `Refuse` for a past time.
        """
        ...

    async def end(self, *, address: str = "", wait_id: str = "", every: bool = False) -> Sequence[str]:
        """Wait no longer for this person's answers, for one answer, or for any; without these, for the only one.

        Returns whose answers are no longer awaited, by the owner's name for them or else by the bare address; nobody if
        there was nothing to end. Raises `Refuse` if several could be meant.
        """
        ...

    async def waiting(self, limit: int) -> Sequence[Wait]:
        """Return the open waits, by deadline."""
        ...
