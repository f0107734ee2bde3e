"""Where modules tell what has happened, and keep what they polled: the store, seen through narrow ports."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from butler.contract.events import Event
from butler.contract.polled import Polled, PolledChange, PolledKind, PolledQuery
from butler.contract.ports import Clock
from butler.store.queries import cursors, events, polled
from butler.store.store import Store


class StoreHappenings:
    """Meets `Happenings`."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def tell(self, event: Event, key: str) -> bool:
        now = self._clock.now()
        new = await self._store.write(lambda c: events.emit(c, event, key, now), "event")
        self._wake()
        return new


class StorePolled:
    """Meets `PolledBook`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def keep(self, records: Sequence[Polled], *, cursor: tuple[str, str] | None = None) -> Sequence[PolledChange]:
        now = self._clock.now()

        def work(connection: sa.Connection) -> list[PolledChange]:
            changes = polled.keep(connection, records, now)
            if cursor is not None:
                cursors.put(connection, *cursor, now)
            return changes

        return await self._store.write(work, "polled")

    async def replace(
        self, channel: str, account: str, kind: PolledKind, records: Sequence[Polled], *, cursor: tuple[str, str]
    ) -> Sequence[PolledChange]:
        now, refs = self._clock.now(), {record.ref for record in records}

        def work(connection: sa.Connection) -> list[PolledChange]:
            gone = polled.others(connection, channel, account, kind, refs)
            removed = [record.model_copy(update={"removed": True}) for record in gone]
            changes = polled.keep(connection, [*records, *removed], now)
            cursors.put(connection, *cursor, now)
            return changes

        return await self._store.write(work, "polled")

    async def find(self, query: PolledQuery) -> Sequence[Polled]:
        return await self._store.read(lambda c: polled.find(c, query))
