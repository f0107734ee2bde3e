"""The store, the engine and the schedule as the daemon has them, on a clock that is set by hand."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import partial

import sqlalchemy as sa

from butler.automations.dispatch import EventDispatch
from butler.automations.service import AutomationService
from butler.contract.automations import AutomationState
from butler.contract.card import MessageRef
from butler.contract.ports import DeliveredReminder
from butler.contract.reasons import Reason
from butler.engine import LocalEngine
from butler.home_zone import HomeZone, home_zone
from butler.reminder_repository import StoreReminders
from butler.schedule import Schedule
from butler.store.queries import outbox, reminders
from butler.store.queries.events import HAPPENED
from butler.store.store import Store
from butler.store.tables import automation_firings, automations, firings, work
from butler.store.tables import outbox as said
from butler.store.tables import reminders as table

CHAT = "telegram:42"
STEPS = 2_000
_WAITING = sa.select(table.c.due_at).where(table.c.state == reminders.WAITING)
_TAKEN = sa.select(sa.func.count()).select_from(firings).where(firings.c.kind == "automation")
_DONE = sa.select(sa.func.count()).select_from(automation_firings)
_ACTIVE = sa.select(automations.c.due_at).where(automations.c.state == AutomationState.ACTIVE.value)


class SetClock:
    """Meets `Clock`; it goes forward and back as it is told."""

    def __init__(self, now: datetime) -> None:
        self._now, self._turned = now, asyncio.Condition()
        self._passed = 0.0

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        ends = self._passed + seconds
        async with self._turned:
            await self._turned.wait_for(lambda: self._passed >= ends)

    async def sleep_until(self, when: datetime) -> None:
        async with self._turned:
            await self._turned.wait_for(lambda: self._now >= when)

    async def set(self, now: datetime) -> None:
        async with self._turned:
            self._passed += max(0.0, (now - self._now).total_seconds())
            self._now = now
            self._turned.notify_all()


class Way:
    """The way to the owner: only where it leads matters here."""

    def home(self) -> str | None:
        return CHAT


class Me:
    """Meets `OwnerFacts`."""

    telegram_user_id = 42
    emails = frozenset({"me@home.example"})


@dataclass
class ScheduleHarness:
    """One daemon's part of it; another one may live on the same store."""

    store: Store
    clock: SetClock
    zone: HomeZone
    accepts: bool = True
    engine: LocalEngine = field(init=False)
    book: StoreReminders = field(init=False)
    schedule: Schedule = field(init=False)
    by_themselves: AutomationService = field(init=False)
    failed: list[tuple[str, str, str]] = field(default_factory=list[tuple[str, str, str]])

    def __post_init__(self) -> None:
        self.engine = LocalEngine(self.store, self.clock)
        self.engine.on_dead_letter(self._note)
        self.book = StoreReminders(self.store, self.clock, self.zone, self.engine.wake)
        self.schedule = Schedule(self.store, self.clock, Way(), self.engine.wake)  # type: ignore[arg-type]
        self.by_themselves = AutomationService(self.store, self.clock, Me(), self.engine.wake, self.zone)
        self.engine.on_clock_back(self.schedule.clock_went_back, self.by_themselves.clock_went_back)
        handlers = self.schedule.handlers() | self.book.handlers()
        handlers |= self.by_themselves.handlers()
        listeners = (self.schedule.on_event, *self.by_themselves.listeners())
        handlers |= {HAPPENED: EventDispatch(self.store, listeners).tell, outbox.DELIVER: self._deliver}
        for kind, handler in handlers.items():
            self.engine.register(kind, handler)

    async def _deliver(self, message_id: str) -> None:
        if self.accepts:
            ref = MessageRef(chat=CHAT, message_ids=(message_id,))
            now = self.clock.now()
            await self.store.write(lambda c: outbox.sent(c, message_id, ref, now))

    async def _note(self, kind: str, subject: str, why: Reason) -> None:
        self.failed.append((kind, subject, why))

    async def turn(self, now: datetime) -> None:
        """Set the clock, and see through what is due by then."""
        await self.clock.set(now)
        self.engine.wake()
        await self.quiet()

    async def quiet(self) -> None:
        """Until no reminder and no automation is due, and what was due is done."""
        now = self.clock.now()
        waits = _WAITING.union_all(_ACTIVE).subquery()
        is_due = sa.select(sa.func.count()).select_from(waits).where(waits.c.due_at <= now)
        due = sa.select(is_due.scalar_subquery() + _TAKEN.scalar_subquery() - _DONE.scalar_subquery())
        for _ in range(STEPS):
            if not await self.store.read(lambda c: c.execute(due).scalar_one()):
                return
            await asyncio.sleep(0.001)
        raise AssertionError("something that is due is not said")

    async def idle(self) -> None:
        """Until all rows that are due have been looked at and forgotten."""
        rows = sa.select(sa.func.count()).select_from(work)
        rows = rows.where(work.c.state == "ready", work.c.run_at <= self.clock.now())
        for _ in range(STEPS):
            if not await self.store.read(lambda c: c.execute(rows).scalar_one()):
                return
            await asyncio.sleep(0.01)
        raise AssertionError("something that is due is not looked at")

    async def next_due(self) -> datetime | None:
        """When the next reminder or automation is."""
        due = _WAITING.union_all(_ACTIVE).subquery()
        query = sa.select(sa.func.min(due.c.due_at))
        return await self.store.read(lambda c: c.execute(query).scalar())

    async def fired(self, reminder_id: str = "") -> list[tuple[datetime, datetime]]:
        """The times that were said, each with when it was."""
        query = sa.select(firings.c.due_at, firings.c.fired_at).order_by(firings.c.fired_at)
        if reminder_id:
            query = query.where(firings.c.subject == reminder_id)
        return await self.store.read(lambda c: [(row[0], row[1]) for row in c.execute(query)])

    async def texts(self) -> list[str]:
        """What was said, in order."""
        return await texts_of(self.store)

    async def said(self) -> list[DeliveredReminder]:
        """What was said, and whether it was delivered."""
        return list(await self.store.read(partial(reminders.delivered, limit=100)))


async def texts_of(store: Store) -> list[str]:
    """What was said in all, in order."""
    query = sa.select(said.c.message).order_by(said.c.created_at, said.c.message_id)
    rows = await store.read(lambda c: list(c.execute(query).scalars()))
    return ["".join(span["text"] for span in row["text"]) for row in rows]


@asynccontextmanager
async def running_schedule(
    store: Store, clock: SetClock, zone: str = "Europe/Berlin", *, accepts: bool = True
) -> AsyncGenerator[ScheduleHarness]:
    """A daemon that lives until it is killed at the end, in the midst of whatever it does."""
    one = ScheduleHarness(store, clock, await home_zone(store, zone), accepts)
    await one.book.settle_in()
    running = asyncio.create_task(one.engine.run())
    try:
        yield one
    finally:
        running.cancel()
        with suppress(asyncio.CancelledError):
            await running
    assert one.failed == []


def utc(text: str) -> datetime:
    """Such as `2027-03-28T01:00`."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
