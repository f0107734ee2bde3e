"""Publishes modules' events and stores what they polled, through narrow ports to the store."""

from collections.abc import Callable, Sequence

import sqlalchemy as sa

from butler.contract.events import Event
from butler.contract.polled import AllOf, Polled, PolledChange, PolledKind, PolledQuery, Teller
from butler.contract.ports import Clock
from butler.store.queries import cursors, event_starts, events, polled
from butler.store.store import Store


class StoreEvents:
    """Implements `EventStore`."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def tell(self, event: Event, key: str) -> bool:
        now = self._clock.now()
        new = await self._store.write(lambda c: events.emit(c, event, key, now), "event")
        self._wake()
        return new


class StorePolled:
    """Implements `PolledRepository`. Every change of a calendar wakes the service for starting events."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def keep(
        self, records: Sequence[Polled], *, cursor: tuple[str, str] | None = None, tell: Teller | None = None
    ) -> Sequence[PolledChange]:
        return await self._write(lambda _: records, cursor, tell)

    async def replace(
        self, all_of: AllOf, records: Sequence[Polled], *, cursor: tuple[str, str], tell: Teller | None = None
    ) -> Sequence[PolledChange]:
        refs = {record.ref for record in records}

        def with_deleted(connection: sa.Connection) -> Sequence[Polled]:
            gone = polled.others(connection, all_of, refs)
            return [*records, *(record.model_copy(update={"removed": True}) for record in gone)]

        return await self._write(with_deleted, cursor, tell)

    async def find(self, query: PolledQuery) -> Sequence[Polled]:
        return await self._store.read(lambda c: polled.find(c, query))

    async def _write(
        self,
        records: Callable[[sa.Connection], Sequence[Polled]],
        cursor: tuple[str, str] | None,
        tell: Teller | None,
    ) -> Sequence[PolledChange]:
        now = self._clock.now()

        def work(connection: sa.Connection) -> list[PolledChange]:
            changes = polled.keep(connection, records(connection), now)
            for event, key in tell(changes) if tell is not None else ():
                events.emit(connection, event, key, now)
            if any(change.after.kind is PolledKind.EVENT for change in changes):
                event_starts.look(connection, now)
            if cursor is not None:
                cursors.put(connection, *cursor, now)
            return changes

        changes = await self._store.write(work, "polled")
        if changes:
            self._wake()
        return changes
