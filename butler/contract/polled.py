"""Records polled from the owner's accounts, other than messages: events, files, cards, by the provider's own ids."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from pydantic import AwareDatetime

from butler.contract.events import Event
from butler.contract.records import ClosedRecord


class PolledKind(StrEnum):
    """The kind of a polled record."""

    EVENT = "event"
    FILE = "file"
    CARD = "card"


class Polled(ClosedRecord):
    """One record. Its key is (channel, account, kind, ref)."""

    channel: str
    account: str
    kind: PolledKind
    ref: str
    version: str = ""
    """The provider's etag, or the time of its change: the same version again changes nothing."""
    at: AwareDatetime | None = None
    """The time at which it begins, is due, or was changed."""
    ends_at: AwareDatetime | None = None
    item: dict[str, Any]
    """The record as its module's normaliser made it: others' words, so data."""
    removed: bool = False


@dataclass(frozen=True, slots=True)
class PolledChange:
    """A change by an upsert: the former record, if there was one, and the new one."""

    before: Polled | None
    after: Polled


Told = tuple[Event, str]
"""An event, and its de-duplication key."""
Teller = Callable[[Sequence[PolledChange]], Iterable[Told]]
"""Returns the events of changes. Called within the transaction that stores them, so it must do nothing else."""


@dataclass(frozen=True, slots=True)
class PolledQuery:
    """A search, in the order of `at`."""

    kind: PolledKind
    channel: str = ""
    account: str = ""
    since: datetime | None = None
    """Finds records that end (or, without an end, begin) after this time."""
    until: datetime | None = None
    """Finds records that begin before this time."""
    limit: int = 200


@dataclass(frozen=True, slots=True)
class AllOf:
    """A part of the polled records: an account's records of a kind for which `part` returns True."""

    channel: str
    account: str
    kind: PolledKind
    part: Callable[[Polled], bool] = lambda _: True


class PolledRepository(Protocol):
    """Polled records as rows."""

    async def keep(
        self, records: Sequence[Polled], *, cursor: tuple[str, str] | None = None, tell: Teller | None = None
    ) -> Sequence[PolledChange]:
        """Upsert records, publish their changes and move a cursor in one transaction; return the changes."""
        ...

    async def replace(
        self, all_of: AllOf, records: Sequence[Polled], *, cursor: tuple[str, str], tell: Teller | None = None
    ) -> Sequence[PolledChange]:
        """Do the same with the complete set of records: other records of that part are removed."""
        ...

    async def find(self, query: PolledQuery) -> Sequence[Polled]:
        """Return records that are not removed."""
        ...


class EventStore(Protocol):
    """Publishes the modules' events."""

    async def tell(self, event: Event, key: str) -> bool:
        """Publish an event; return False if the key is known. Returns once it is durable."""
        ...
