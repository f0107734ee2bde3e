"""The butler's mailbox for commands: turns mails into items without a daemon or a server."""

import hashlib
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from io import BytesIO
from typing import TYPE_CHECKING, BinaryIO

from butler.contract.ports import BlobStore
from butler.offline import offline_context

if TYPE_CHECKING:
    from modules.email.authentication.authority import TxtLookup
    from modules.email.config import BotMailboxSettings
    from modules.email.items import MailItems


@dataclass(frozen=True, slots=True)
class KnownOwner:
    """Implements `OwnerFacts` from the settings."""

    emails: frozenset[str]
    telegram_user_id: int | None = None


@dataclass(slots=True)
class MemoryBlobs:
    """Implements `BlobStore` in memory."""

    held: dict[str, bytes] = field(default_factory=dict[str, bytes])

    async def put(self, data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        self.held[digest] = data
        return digest

    async def get(self, sha256: str) -> bytes:
        return self.held[sha256]

    async def put_pieces(self, pieces: Iterable[bytes]) -> str:
        return await self.put(b"".join(pieces))

    def open(self, sha256: str) -> BinaryIO:
        return BytesIO(self.held[sha256])


@dataclass(frozen=True, slots=True)
class FixedClock:
    """Implements `Clock` with a fixed time."""

    at: datetime

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return 0.0

    async def sleep(self, seconds: float) -> None:
        raise AssertionError(f"nothing here waits for {seconds} s")

    async def sleep_until(self, when: datetime) -> None:
        raise AssertionError(f"nothing here waits for {when}")


@asynccontextmanager
async def mail_items(
    settings: "BotMailboxSettings",
    emails: frozenset[str],
    now: datetime,
    blobs: BlobStore,
    lookup: "TxtLookup | None" = None,
) -> AsyncGenerator["MailItems"]:
    """Open the daemon's maker of items; `lookup` replaces DNS."""
    from modules.email.authentication.dns_txt import lookup_txt  # noqa: PLC0415 - the mail libraries are heavy
    from modules.email.items import MailItems  # noqa: PLC0415
    from modules.email.parsing.reader import MailReader  # noqa: PLC0415

    context = offline_context()
    storage = replace(context.storage, blobs=blobs)
    context = replace(context, owner=KnownOwner(emails), storage=storage, clock=FixedClock(now))
    reader = MailReader()
    try:
        yield MailItems(reader, context, settings, lookup or lookup_txt)
    finally:
        await reader.stop()
