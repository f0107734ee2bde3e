"""The note book and the reminder book that modules see, over the store's rows."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.errors import Refuse
from butler.contract.ports import Clock, Note, Reminder
from butler.store.queries import notes
from butler.store.store import Store


class StoreNotes:
    """Meets `NoteBook`."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store, self._clock = store, clock

    async def add(self, call_id: str, text: str) -> Note:
        now = self._clock.now()
        return await self._store.write(lambda c: notes.add_note(c, call_id, text, now), "note")

    async def search(self, words: str, limit: int) -> Sequence[Note]:
        return await self._store.read(lambda c: notes.search_notes(c, words.split(), limit))


class StoreReminders:
    """Meets `ReminderBook`."""

    def __init__(self, store: Store, clock: Clock, zone: ZoneInfo, wake: Callable[[], None]) -> None:
        self._store, self._clock, self._zone, self._wake = store, clock, zone, wake

    async def add(self, call_id: str, text: str, local_time: datetime) -> Reminder:
        now, due_at = self._clock.now(), moment(local_time, self._zone)
        if due_at <= now:
            raise Refuse(f"{local_time:%d %b %Y %H:%M} is in the past")
        reminder = await self._store.write(
            lambda c: notes.add_reminder(
                c, call_id, text, zone=self._zone.key, local_time=local_time, due_at=due_at, now=now
            ),
            "reminder",
        )
        self._wake()
        return reminder

    async def waiting(self, limit: int) -> Sequence[Reminder]:
        return await self._store.read(lambda c: notes.waiting_reminders(c, limit))


def moment(local_time: datetime, zone: ZoneInfo) -> datetime:
    """The moment of a wall time: once, and in a gap of summer time the first moment that exists."""
    aware = local_time.replace(tzinfo=zone, fold=0)
    instant = aware.astimezone(UTC)
    if instant.astimezone(zone).replace(tzinfo=None) == local_time:
        return instant
    # The wall clock jumps over this time; fold 0 and 1 give the offsets before and after the jump.
    before, after = aware.utcoffset(), aware.replace(fold=1).utcoffset()
    gap = abs((after or timedelta()) - (before or timedelta()))
    first_valid = instant - gap
    while first_valid.astimezone(zone).replace(tzinfo=None) < local_time:
        first_valid += timedelta(minutes=1)
    return first_valid
