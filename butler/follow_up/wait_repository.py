"""The waits for answers, for the tools that request them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.errors import Refuse
from butler.contract.following import Wait, WaitKind
from butler.contract.ports import Clock
from butler.contract.speech import say, say_short_moment
from butler.contract.wall_time import moment
from butler.store.queries import contacts, waits
from butler.store.store import Store

USUALLY = timedelta(days=3)
"""How long to wait if neither the owner nor the settings say."""


class StoreWaits:
    """Implements `WaitRepository`."""

    def __init__(self, store: Store, clock: Clock, zone: ZoneInfo, after: timedelta, wake: Callable[[], None]) -> None:
        """`after` is how long to wait if the owner does not say."""
        self._store, self._clock, self._zone, self._wake = store, clock, zone, wake
        self._after = after or USUALLY

    async def watch(self, call_id: str, address: str, until: datetime | None, *, tells: bool = False) -> Wait:
        now = self._clock.now()
        due = moment(until, self._zone).astimezone(UTC) if until is not None else now + self._after
        if due <= now:
            raise Refuse(say("{moment} is in the past", moment=say_short_moment(due.astimezone(self._zone))))

        def add(connection: sa.Connection) -> Wait:
            return waits.add(
                connection,
                f"{waits.TELLS}{call_id}" if tells else call_id,
                WaitKind.MAIL if address.startswith("mail:") else WaitKind.CHAT,
                contacts.normal(address),
                contact_id=contacts.confirmed(connection, address) or "",
                since=now,
                until=due,
                now=now,
            )

        wait = await self._store.write(add, "watch")
        self._wake()
        return wait

    async def waiting(self, limit: int) -> Sequence[Wait]:
        return await self._store.read(lambda c: waits.in_state(c, *waits.OPEN, limit=limit))
