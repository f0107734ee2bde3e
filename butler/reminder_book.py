"""Reminders for modules: the store, seen through a narrow port."""

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

from butler.contract.errors import Refuse
from butler.contract.events import EventFilter
from butler.contract.ports import Clock, Reminder
from butler.contract.schedules import Rule
from butler.contract.speech import say, say_clock, say_date
from butler.provenance import Labels
from butler.store.queries import reminders
from butler.store.store import Store


class StoreReminders:
    """Meets `ReminderBook`."""

    def __init__(self, store: Store, clock: Clock, zone: ZoneInfo, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._zone, self._wake = store, clock, zone, wake

    async def add(
        self,
        call_id: str,
        text: str,
        rule: Rule,
        origins: Labels = frozenset(),
        *,
        until_event: tuple[EventFilter, ...] = (),
    ) -> Reminder:
        now = self._clock.now()
        due_at = rule.next_fire(now)
        if due_at is None:
            day, clock = say_date(rule.start), say_clock(rule.start)
            raise Refuse(say("{day} {clock} is in the past", day=day, clock=clock))
        write = partial(
            reminders.add,
            call_id=call_id,
            text=text,
            rule=rule,
            due_at=due_at,
            now=now,
            origins=origins,
            until_event=until_event,
        )
        reminder = await self._store.write(write, "reminder")
        self._wake()
        return reminder

    async def waiting(self, limit: int) -> Sequence[Reminder]:
        return await self._store.read(lambda c: reminders.waiting(c, limit))

    async def get(self, reminder_id: str) -> Reminder | None:
        return await self._store.read(lambda c: reminders.get(c, reminder_id))

    async def snooze(self, reminder_id: str, until: datetime) -> Reminder:
        raise NotImplementedError

    async def change(self, reminder_id: str, *, text: str = "", rule: Rule | None = None) -> Reminder:
        raise NotImplementedError

    async def settle(self, reminder_id: str, *, removed: bool = False) -> Reminder:
        raise NotImplementedError

    async def travel(self, zone: str) -> Sequence[Reminder]:
        raise NotImplementedError

    def zone(self) -> str:
        return self._zone.key
