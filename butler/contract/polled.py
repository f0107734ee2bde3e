"""What was polled of the person's accounts besides messages: events, files, cards, by the provider's own ids."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol

from pydantic import AwareDatetime, BaseModel, ConfigDict

from butler.contract.events import Event


class PolledKind(StrEnum):
    """What it is."""

    EVENT = "event"
    FILE = "file"
    CARD = "card"


class Polled(BaseModel):
    """One record. Its key is (channel, account, kind, ref)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    channel: str
    account: str
    kind: PolledKind
    ref: str
    version: str = ""
    """The provider's etag, or when it was changed: the same again changes nothing."""
    at: AwareDatetime | None = None
    """When it begins, is due, or was changed."""
    ends_at: AwareDatetime | None = None
    item: dict[str, Any]
    """As its module's normaliser made it: others' words, so data."""
    removed: bool = False


@dataclass(frozen=True, slots=True)
class PolledChange:
    """What an upsert changed: the record as it was, if it was there, and as it is."""

    before: Polled | None
    after: Polled


@dataclass(frozen=True, slots=True)
class PolledQuery:
    """What is looked for; in the order of `at`."""

    kind: PolledKind
    channel: str = ""
    account: str = ""
    since: datetime | None = None
    """Records that end, or where they have no end begin, after it."""
    until: datetime | None = None
    """Records that begin before it."""
    limit: int = 200


class PolledBook(Protocol):
    """Records as rows."""

    async def keep(self, records: Sequence[Polled], *, cursor: tuple[str, str] | None = None) -> Sequence[PolledChange]:
        """Upsert records and move a cursor in one transaction; those that are other than they were."""
        ...

    async def replace(
        self, channel: str, account: str, kind: PolledKind, records: Sequence[Polled], *, cursor: tuple[str, str]
    ) -> Sequence[PolledChange]:
        """The same where these are all there are: the others of that account and kind are removed."""
        ...

    async def find(self, query: PolledQuery) -> Sequence[Polled]:
        """Records that are not removed."""
        ...


class Happenings(Protocol):
    """Where modules tell what has happened."""

    async def tell(self, event: Event, key: str) -> bool:
        """Note an event; False where this key is known. Returns once it is durable."""
        ...
