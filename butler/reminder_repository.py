"""Reminders and the owner's time zone for modules: a narrow port to the store."""

from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from functools import partial
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.errors import Refuse
from butler.contract.events import EventFilter
from butler.contract.ports import Clock, DeliveredReminder, Reminder
from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import say
from butler.engine import WorkHandler
from butler.home_zone import COME_BACK, ZONE_CHANGED, HomeZone, Stay, note_stay, stay
from butler.provenance import Labels
from butler.store.queries import automation_times, reminder_times, reminders
from butler.store.store import Store


class StoreReminders:
    """Implements `ReminderRepository`."""

    def __init__(self, store: Store, clock: Clock, zone: HomeZone, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._zone, self._wake = store, clock, zone, wake

    async def add(
        self,
        call_id: str,
        text: str,
        rule: RecurrenceRule,
        origins: Labels = frozenset(),
        *,
        until_event: tuple[EventFilter, ...] = (),
    ) -> Reminder:
        return await self._write(
            partial(
                reminders.add,
                call_id=call_id,
                text=text,
                rule=rule,
                now=self._clock.now(),
                origins=origins,
                until_event=until_event,
            ),
            "reminder",
        )

    async def waiting(self, limit: int) -> Sequence[Reminder]:
        return await self._store.read(lambda c: reminders.waiting(c, limit))

    async def delivered(self, limit: int) -> Sequence[DeliveredReminder]:
        return await self._store.read(lambda c: reminders.delivered(c, limit))

    async def get(self, reminder_id: str) -> Reminder | None:
        return await self._store.read(lambda c: reminders.get(c, reminder_id))

    async def snooze(self, reminder_id: str, until: datetime) -> Reminder:
        now = self._clock.now()
        return await self._write(lambda c: reminders.snooze(c, reminder_id, until, now), "reminder.snooze")

    async def skip(self, reminder_id: str, due_at: datetime) -> Reminder:
        now = self._clock.now()
        return await self._write(lambda c: reminders.skip(c, reminder_id, due_at, now), "reminder.skip")

    async def change(
        self, reminder_id: str, *, text: str = "", rule: RecurrenceRule | None = None, origins: Labels = frozenset()
    ) -> Reminder:
        now = self._clock.now()
        work = partial(reminders.change, reminder_id=reminder_id, now=now, text=text, rule=rule, origins=origins)
        return await self._write(work, "reminder.change")

    async def settle(self, reminder_id: str, *, removed: bool = False) -> Reminder:
        now = self._clock.now()
        return await self._write(lambda c: reminders.settle(c, reminder_id, now, removed=removed), "reminder.settle")

    async def travel(self, zone: str, *, until: datetime | None = None, moments: bool = False) -> Sequence[Reminder]:
        now, to = self._clock.now(), _zone(zone)
        if until is not None and until <= now:
            raise Refuse(say("the end of your stay is in the past"))

        def work(connection: sa.Connection) -> list[Reminder]:
            note_stay(connection, now, Stay(to, self._zone.home, until))
            if moments:
                return []
            automation_times.travel(connection, (self._zone.key, self._zone.home), to, now)
            # Reminders that stayed in the old zone, as their moments were kept, stay there, unless the owner now says
            # otherwise.
            left = {self._zone.key, self._zone.home if to == self._zone.key else self._zone.key}
            return reminder_times.travel(connection, left, to, now)

        moved = await self._store.write(work, "zone")
        self._zone.move(to)
        self._wake()
        return moved

    def zone(self) -> str:
        return self._zone.key

    def home(self) -> str:
        return self._zone.home

    async def come_back(self, _subject: str) -> None:
        """End a stay (a work handler), if it is still the one that ends now."""
        now = self._clock.now()
        here = await self._store.read(stay)
        if here is not None and here.until is not None and here.until <= now:
            await self.travel(self._zone.home)

    async def settle_in(self) -> None:
        """Adapt reminders at the start, if the owner has changed the zone in the settings."""
        home, now = self._zone.home, self._clock.now()

        def work(connection: sa.Connection) -> bool:
            noted = stay(connection)
            if noted is not None and noted.home == home:
                return False
            note_stay(connection, now, Stay(home, home))
            if noted is not None:
                automation_times.travel(connection, (noted.zone, noted.home), home, now)
                reminder_times.travel(connection, (noted.zone, noted.home), home, now)
            return noted is not None

        await self._store.write(work, "zone")

    def handlers(self, *followers: Callable[[], Awaitable[None]]) -> dict[str, WorkHandler]:
        """Return the work handlers; the followers recompute times by the owner's clock."""

        async def follow(_subject: str) -> None:
            for one in followers:
                await one()

        return {COME_BACK: self.come_back, ZONE_CHANGED: follow}

    async def _write(self, work: Callable[[sa.Connection], Reminder], label: str) -> Reminder:
        reminder = await self._store.write(work, label)
        self._wake()
        return reminder


def _zone(name: str) -> str:
    """Return an IANA name; raise `Refuse` for anything else."""
    try:
        return ZoneInfo(name).key
    except (KeyError, ValueError, OSError):
        raise Refuse(say("{zone} is no time zone", zone=name[:60])) from None
