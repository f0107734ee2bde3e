"""The waits for answers, for the tools that request them."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.people import Names, same_person
from butler.contract.errors import Refuse
from butler.contract.following import Wait, WaitKind, WaitState
from butler.contract.ports import Clock
from butler.contract.speech import say, say_list, say_short_moment
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

        key = f"{waits.TELLS}{call_id}" if tells else call_id

        def add(connection: sa.Connection) -> Wait:
            if (known := waits.by_call(connection, key)) is not None:
                return known
            since = now
            for before in waits.set_in_words(connection, _addresses(connection, address)):
                waits.settle(connection, before.wait_id, WaitState.DONE, now)
                if before.state is WaitState.WAITING:
                    # An answer that has come and was not noticed yet is still the one that is waited for.
                    since = min(since, before.since)
            return waits.add(
                connection,
                key,
                WaitKind.MAIL if address.startswith("mail:") else WaitKind.CHAT,
                contacts.normal(address),
                contact_id=contacts.confirmed(connection, address) or "",
                since=since,
                until=due,
                now=now,
            )

        wait = await self._store.write(add, "watch")
        self._wake()
        return wait

    async def end(self, *, address: str = "", wait_id: str = "", every: bool = False) -> Sequence[str]:
        now = self._clock.now()

        def end(connection: sa.Connection) -> tuple[bool, Sequence[str]]:
            names = Names(connection)
            found = waits.in_state(connection, *waits.OPEN)
            if wait_id:
                found = [one for one in found if one.wait_id == wait_id]
            elif address:
                people = _addresses(connection, address)
                found = [one for one in found if one.address in people]
            unclear = len(found) > 1 and not (address or every)
            for one in () if unclear else found:
                waits.settle(connection, one.wait_id, WaitState.DONE, now)
            return unclear, sorted({_name(names, one.address) for one in found})

        unclear, whose = await self._store.write(end, "wait.end")
        if unclear:
            raise Refuse(say("you wait for several answers: {people}", people=say_list(whose)))
        return whose

    async def waiting(self, limit: int) -> Sequence[Wait]:
        return await self._store.read(lambda c: waits.in_state(c, *waits.OPEN, limit=limit))


def _addresses(connection: sa.Connection, address: str) -> frozenset[str]:
    """Return all addresses of whoever has this one."""
    return frozenset({contacts.normal(address), *same_person(connection, address)})


def _name(names: Names, address: str) -> str:
    return names.of(address) or address.partition(":")[2]
