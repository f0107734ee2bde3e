"""Takes incoming texts over into memory: the butler's mails, the mails and chats of the owner's accounts, and notes.

Each feed is read from a cursor, which moves once memory holds what lies before it: after a kill some of it comes again,
at no cost. What is deleted at its origin leaves memory too; what the owner had forgotten does not come back. Nothing of
it ever becomes a preference, a contact or a rule.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Final, TypeVar
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog

from butler.agents.memory.agent import LibraryMemory
from butler.contract.agent_ports import MemoryDocument
from butler.contract.errors import Retryable
from butler.contract.mirror import SeenMessage
from butler.contract.ports import Clock
from butler.ingestion_documents import chat_day, day_of, mail_document, mail_id, note_document, own_mail_document
from butler.store.queries import contacts, cursors, memory_feeds
from butler.store.store import Store
from config.agents import Kept, MemorySettings

log = structlog.get_logger(__name__)
T = TypeVar("T")

BATCH: Final = 50
"""Messages that are handled between two moves of a cursor."""
SETTLED_AFTER: Final = timedelta(minutes=3)
"""A conversation is taken over once it pauses, so that its day is not read again for every line."""
ARRIVED_AFTER: Final = timedelta(seconds=5)
"""Mails are taken over after this delay; every earlier write has ended by then, so the cursor misses none."""
WRITTEN_WITHIN: Final = timedelta(seconds=5)
"""A note gets its time before it is written, so one with an earlier time may be written after one with a later."""
EVERY_S: Final = 20.0
FIRST_PAUSE_S, LONGEST_PAUSE_S = 2.0, 300.0
TRIES: Final = 3
"""An item that itself fails this often is skipped, so that later ones are not lost."""


class Ingestion:
    """Takes new texts over, in the background. `keep` runs until cancelled."""

    def __init__(
        self, store: Store, clock: Clock, memory: LibraryMemory, settings: MemorySettings, zone: ZoneInfo
    ) -> None:
        self._store, self._clock, self._memory, self._settings, self._zone = store, clock, memory, settings, zone
        self._failed: dict[str, int] = {}

    async def keep(self) -> None:
        """Run until cancelled; end immediately if nothing is to be remembered."""
        pause = FIRST_PAUSE_S
        while self._settings.enabled and set(self._settings.keep) & set(self._feeds()):
            try:
                more = await self.once()
            except Exception as error:  # noqa: BLE001 - the boundary: recorded, and tried again
                why = str(error) if isinstance(error, Retryable) else type(error).__name__
                log.warning("ingestion_again", why=why, pause_s=pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE_S)
                continue
            pause = FIRST_PAUSE_S
            await asyncio.sleep(0 if more else EVERY_S)

    async def once(self) -> bool:
        """Take over one batch of each feed; return whether there may be more."""
        if not self._settings.enabled:
            return False
        feeds = self._feeds()
        return any([await step() for kept in self._settings.keep for step in feeds.get(kept, ())])

    def _feeds(self) -> dict[Kept, Sequence[Callable[[], Awaitable[bool]]]]:
        return {
            Kept.NOTES: (self._notes,),
            Kept.MAILS: (self._own_mails, self._mails),
            Kept.CHATS: (self._chats,),
        }

    async def _notes(self) -> bool:
        name, until = memory_feeds.NOTES, self._clock.now() - WRITTEN_WITHIN
        found = await self._after(name, partial(memory_feeds.owners_notes, until=until, limit=BATCH))
        await self._remember([note_document(note) for note, _ in found])
        return await self._move(name, [cursor for _, cursor in found])

    async def _own_mails(self) -> bool:
        name = memory_feeds.FEEDS + "mails:bot"
        found = await self._after(name, partial(memory_feeds.mails, limit=BATCH))
        await self._remember([own_mail_document(item) for item, _ in found if item is not None])
        return await self._move(name, [cursor for _, cursor in found])

    async def _mails(self) -> bool:
        name = memory_feeds.FEEDS + "mails:user"
        found = await self._seen(name, mails=True)
        await self._memory.drop([mail_id(one.message) for one in found if one.removed])
        await self._remember([mail_document(one.message) for one in found if not one.removed])
        return await self._move(name, [one.cursor for one in found])

    async def _chats(self) -> bool:
        name = memory_feeds.FEEDS + "chats"
        found = await self._seen(name, mails=False)
        days: dict[str, SeenMessage] = {day_of(one.message, self._zone): one.message for one in found}
        for day, message in days.items():
            begins = datetime.combine(message.at.astimezone(self._zone), datetime.min.time(), self._zone)
            ends = datetime.combine(begins + timedelta(days=1), datetime.min.time(), self._zone)
            chat, messages = await self._store.read(
                partial(memory_feeds.day_of_chat, of=message, begins=begins, ends=ends)
            )
            if not any(one.text for one in messages):
                await self._memory.drop([day])
                continue
            known = await self._store.read(partial(_confirmed, senders={one.sender for one in messages}))
            await self._remember([chat_day(day, chat, messages, known, self._zone)])
        return await self._move(name, [one.cursor for one in found])

    async def _seen(self, name: str, *, mails: bool) -> list[memory_feeds.Seen]:
        until = self._clock.now() - (ARRIVED_AFTER if mails else SETTLED_AFTER)
        return await self._after(name, partial(memory_feeds.seen, mails=mails, until=until, limit=BATCH))

    async def _after(self, name: str, read: Callable[..., list[T]]) -> list[T]:
        cursor = await self._store.read(partial(cursors.get, name=name)) or ""
        if memory_feeds.is_ahead(cursor, self._clock.now()):
            # The clock was set back: new items would come before the cursor until it catches up.
            cursor = ""
        return await self._store.read(partial(read, cursor=cursor))

    async def _move(self, name: str, passed: Sequence[str]) -> bool:
        """Move the cursor behind the last item; return whether that was a full batch."""
        if passed:
            await self._store.write(partial(cursors.put, name=name, value=passed[-1], now=self._clock.now()))
        return len(passed) == BATCH

    async def _remember(self, documents: Sequence[MemoryDocument]) -> None:
        for one in documents:
            try:
                await self._memory.add(one, by_itself=True)
            except Retryable:
                raise
            except Exception as error:  # one odd item must not block all later ones
                self._failed[one.source_id] = tries = self._failed.pop(one.source_id, 0) + 1
                if tries < TRIES:
                    raise
                del self._failed[one.source_id]
                log.warning("not_taken_over", source=one.source_id, kind=type(error).__name__)


def _confirmed(connection: sa.Connection, *, senders: set[str]) -> frozenset[str]:
    """Return the senders that are confirmed contacts."""
    return frozenset(one for one in senders if one and contacts.confirmed(connection, one) is not None)
