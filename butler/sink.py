"""Stores what sources receive, and what modules may read of it, through narrow ports to the store."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from butler import message_grouping
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.mirror import MirrorUpdate, Ranking, SeenChat, SeenMessage, SeenQuery
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.engine import Engine
from butler.store.queries import cursors, event_publisher, inbox, mirror, people, work
from butler.store.queries.people import Sighting
from butler.store.store import Store

INBOUND = "inbound"
MAILED = "email:butler"
"""The place name of people who write to the butler."""

InboundRedactor = Callable[[Inbound], Awaitable[Inbound]]
"""Returns an item in the form to store, without what must never be stored."""


async def unredacted(item: Inbound) -> Inbound:
    """Return the item unchanged."""
    return item


class StoreSink:
    """Implements `InboundSink`: the item, its work row and the source's cursor are one transaction."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        engine: Engine,
        came_in: Callable[[Inbound], None] = lambda _: None,
        redact: InboundRedactor = unredacted,
    ) -> None:
        self._store, self._clock, self._engine, self._came_in = store, clock, engine, came_in
        self._redact = redact

    async def put(self, inbound: Inbound, *, cursor: tuple[str, str] | None = None) -> bool:
        return bool(await self.put_many([inbound], cursor=cursor))

    async def put_many(self, items: Sequence[Inbound], *, cursor: tuple[str, str] | None = None) -> int:
        now = self._clock.now()
        kept = [await self._redact(item) for item in items]

        def store(connection: sa.Connection) -> list[Inbound]:
            new = come_in(connection, kept, now)
            if cursor is not None:
                cursors.put(connection, *cursor, now)
            return new

        new = await self._store.write(store, "inbox")
        for item in new:
            self._came_in(item)
        if new:
            self._engine.wake()
        return len(new)

    async def hold(self, items: Sequence[Inbound]) -> None:
        waits = await self._store.look(lambda c: any(message_grouping.is_waiting(c, item) for item in items))
        if waits:
            now = self._clock.now()
            await self._store.write(lambda c: message_grouping.hold(c, items, look_at, now), "hold")


def look_at(connection: sa.Connection, item: Inbound, now: datetime, wait: timedelta | None) -> None:
    """Schedule handling of an item, replacing an earlier schedule: now, or after a duration."""
    work.cancel(connection, INBOUND, item.inbound_id)
    work.add(connection, INBOUND, item.inbound_id, now=now, lane=lane_of(item), wait=wait)


def come_in(connection: sa.Connection, items: Sequence[Inbound], now: datetime) -> list[Inbound]:
    """Store items and schedule their handling; return the new ones. Redacts nothing."""
    new = [item for item in items if inbox.add(connection, item)]
    people.note(connection, MAILED, [Sighting(m.sender, m.sender_name, m.received_at) for m in new if _is_mail(m)])
    for item in new:
        if not message_grouping.takes(connection, item, look_at, now):
            work.add(connection, INBOUND, item.inbound_id, now=now, lane=lane_of(item))
    event_publisher.come_in(connection, new, now)
    return new


def _is_mail(item: Inbound) -> bool:
    return item.kind is InboundKind.MAIL and item.identity is Identity.BOT and not item.payload.get("own")


def lane_of(item: Inbound) -> str:
    """Return an item's lane: messages of a chat are handled in order; a tap never waits behind a running turn."""
    return f"button:{item.inbound_id}" if item.kind is InboundKind.BUTTON else f"chat:{item.chat}"


class StoreCursors:
    """Implements `Cursors`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def get(self, name: str) -> str | None:
        return await self._store.read(lambda c: cursors.get(c, name))

    async def set(self, name: str, value: str) -> None:
        now = self._clock.now()
        await self._store.write(lambda c: cursors.put(c, name, value, now), "cursor")


class StoreRecords:
    """Implements `Records`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def inbound(
        self, *, channel: str, identity: str, chat: str | None = None, limit: int = 50
    ) -> Sequence[Inbound]:
        return await self._store.read(
            lambda c: inbox.recent(c, channel=channel, identity=identity, chat=chat, limit=limit)
        )

    async def inbound_by_id(self, inbound_id: str) -> Inbound | None:
        found = await self._store.read(lambda c: inbox.get(c, inbound_id))
        return found[0] if found else None

    async def raws(self, *, channel: str, identity: str, account: str) -> frozenset[str]:
        return await self._store.read(lambda c: inbox.raws(c, channel=channel, identity=identity, account=account))

    async def handled(self, *, channel: str, identity: str, account: str, limit: int) -> Sequence[Inbound]:
        return await self._store.read(
            lambda c: inbox.handled(c, channel=channel, identity=identity, account=account, limit=limit)
        )

    async def note_filed(self, inbound_ids: Sequence[str]) -> None:
        now = self._clock.now()
        await self._store.write(lambda c: inbox.note_filed(c, inbound_ids, now), "filed")


class StoreMirror:
    """Implements `Mirror`."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None] = lambda: None) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def keep(self, batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> int:
        now = self._clock.now()

        def work(connection: sa.Connection) -> int:
            new = mirror.keep(connection, batch, now)
            if cursor is not None:
                cursors.put(connection, *cursor, now)
            return new

        new = await self._store.write(work, "mirror")
        if new:
            self._wake()
        return new

    async def chats(self, channel: str, account: str = "") -> Sequence[SeenChat]:
        return await self._store.read(lambda c: mirror.chats(c, channel, account))

    async def chat(self, channel: str, account: str, chat: str) -> SeenChat | None:
        return await self._store.read(lambda c: mirror.chat(c, channel, account, chat))

    async def messages(self, query: SeenQuery) -> Sequence[SeenMessage]:
        return await self._store.read(lambda c: mirror.messages(c, query))

    async def count(self, query: SeenQuery) -> int:
        return await self._store.read(lambda c: mirror.count(c, query))

    async def senders(self, channel: str, account: str, refs: Sequence[str]) -> Sequence[tuple[str, int]]:
        return await self._store.read(lambda c: mirror.senders(c, channel, account, refs))

    async def ranking(self, channel: str, account: str, label: str, most: int) -> Ranking:
        return await self._store.read(lambda c: mirror.ranking(c, channel, account, label, most))

    async def raw(self, channel: str, account: str, chat: str, ref: str) -> bytes | None:
        return await self._store.read(lambda c: mirror.raw(c, channel, account, chat, ref))

    async def forget(self, channel: str, account: str, chat: str) -> int:
        return await self._store.write(lambda c: mirror.forget(c, channel, account, chat), "mirror.forget")

    async def prune(self, channel: str, account: str, before: datetime) -> int:
        pruned, portion = 0, mirror.MOST_PRUNED
        # In portions, so that nothing else waits long.
        while portion == mirror.MOST_PRUNED:
            portion = await self._store.write(lambda c: mirror.prune(c, channel, account, before), "mirror.prune")
            pruned += portion
        return pruned
