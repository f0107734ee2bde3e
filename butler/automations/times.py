"""The times of automations that go by the clock: each is an event, made once, and what was missed is one late time."""

from collections.abc import Callable

import sqlalchemy as sa

from butler.contract.automations import Standing
from butler.contract.events import Event, EventName
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Origin
from butler.store.queries import automations, events, firings, work
from butler.store.queries.firings import FiringKind
from butler.store.store import Store


class Times:
    """The work handler of `automation_due` rows."""

    def __init__(self, store: Store, clock: Clock, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._wake = store, clock, wake

    async def due(self, automation_id: str) -> None:
        """Tell of the time that has come, and wait for the next one after now."""
        now = self._clock.now()

        def tell(connection: sa.Connection) -> None:
            kept = automations.get(connection, automation_id)
            if kept is None or kept.standing is not Standing.ACTIVE or kept.due_at is None:
                return
            due_at, rule = kept.due_at, kept.automation.clock
            assert rule is not None
            if now < due_at:
                # The clock went back, or an earlier run of this very row moved on.
                work.cancel(connection, automations.DUE, automation_id)
                work.add(connection, automations.DUE, automation_id, now=now, run_at=due_at)
                return
            if firings.fire(connection, FiringKind.AUTOMATION, automation_id, due_at, now):
                key = f"clock:{automation_id}:{due_at.isoformat()}"
                event = Event(
                    event_id=events.id_of(key),
                    name=EventName.CLOCK,
                    channel="automations",
                    identity=Identity.BOT,
                    account="",
                    at=due_at,
                    facts={"automation": automation_id},
                    origin=Origin.owner(f"automation:{kept.number}"),
                    subject=automation_id,
                )
                events.emit(connection, event, key, now)
            already = firings.count(connection, FiringKind.AUTOMATION, automation_id)
            automations.move(connection, automation_id, rule.next_fire(max(now, due_at), already), now)

        await self._store.write(tell, "automation.due")
        self._wake()
