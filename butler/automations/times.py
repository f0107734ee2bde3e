"""The times of scheduled automations: each is an event, published once; missed times become one late time."""

from collections.abc import Callable
from datetime import datetime

import sqlalchemy as sa

from butler.contract.automations import SavedAutomation
from butler.contract.events import Event, EventName
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Origin
from butler.store.queries import automation_times, events
from butler.store.store import Store


class DueAutomations:
    """The work handler of `automation_due` rows."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def due(self, automation_id: str) -> None:
        """Publish the due time, and wait for the next one after now."""
        now = self._clock.now()

        def tell(connection: sa.Connection) -> None:
            fired = automation_times.fire(connection, automation_id, now)
            if fired is not None:
                kept, due_at = fired
                key = f"clock:{automation_id}:{due_at.isoformat()}"
                events.emit(connection, _event(kept, due_at, key), key, now)

        await self._store.write(tell, "automation.due")
        self._wake()

    async def clock_went_back(self) -> None:
        """Reschedule what a fast clock had put far ahead."""
        now = self._clock.now()
        await self._store.write(lambda c: automation_times.heal(c, now), "automation.heal")
        self._wake()


def _event(kept: SavedAutomation, due_at: datetime, key: str) -> Event:
    return Event(
        event_id=events.id_of(key),
        name=EventName.CLOCK,
        channel="automations",
        identity=Identity.BOT,
        account="",
        at=due_at,
        facts={"automation": kept.automation_id},
        origin=Origin.owner(f"automation:{kept.number}"),
        subject=kept.automation_id,
    )
