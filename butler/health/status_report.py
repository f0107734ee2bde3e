"""Butler's state for `/status`: the queue, what waits, what comes next, costs of models, disk, uptime."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.ports import Clock
from butler.contract.speech import say, say_many, say_moment, say_short_moment
from butler.health.watchdog import LOOKS_WITHIN
from butler.store.queries import counts, model_use
from butler.store.queries.counts import Queue
from butler.store.queries.model_use import Used
from butler.store.store import Store
from config.settings import LlmSettings

MB = 1_000_000
GB = 1_000_000_000


@dataclass(frozen=True, slots=True)
class StatusSnapshot:
    """The state of the rows and the machine at one moment; sizes in bytes."""

    queue: Queue
    today: Used
    month: Used
    free: int


class StatusReport:
    """Collects the state, and puts it into lines."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        zone: ZoneInfo,
        limits: LlmSettings,
        data_dir: Path,
        version: str,
        last_tick: Callable[[], datetime | None] = lambda: None,
    ) -> None:
        self._store, self._clock, self._zone, self._limits = store, clock, zone, limits
        self._data_dir, self._version, self._last_tick = data_dir, version, last_tick
        self._since = clock.now()

    async def look(self) -> StatusSnapshot:
        """Return the current state."""
        now = self._clock.now()
        today = now.astimezone(self._zone).date()

        def read(connection: sa.Connection) -> tuple[Queue, Used, Used]:
            return (
                counts.queue(connection, now),
                model_use.of_day(connection, today),
                model_use.of_month(connection, today),
            )

        queue, day, month = await self._store.read(read)
        free = await asyncio.to_thread(lambda: shutil.disk_usage(self._data_dir).free)
        return StatusSnapshot(queue, day, month, free)

    async def lines(self) -> list[str]:
        """Return the lines of `/status` below its channels."""
        return list(self._lines(await self.look(), self._clock.now()))

    def _lines(self, stand: StatusSnapshot, now: datetime) -> Iterator[str]:
        queue = stand.queue
        yield " ".join(self._work(queue, now))
        if waiting := " ".join(_waiting(queue)):
            yield waiting
        if queue.next_reminder is not None:
            yield say("Next reminder: {when}.", when=say_short_moment(queue.next_reminder.astimezone(self._zone)))
        if queue.next_digest is not None:
            yield say("Next digest: {when}.", when=say_short_moment(queue.next_digest.astimezone(self._zone)))
        if queue.last_retention is not None:
            yield say(
                "Old data last deleted: {when}.", when=say_short_moment(queue.last_retention.astimezone(self._zone))
            )
        yield say(
            "Language models: {today} of {daily} US dollars today, {month} of {monthly} this month.",
            today=f"{stand.today.cost:.2f}",
            daily=f"{self._limits.daily_cost_limit:g}",
            month=f"{stand.month.cost:.2f}",
            monthly=f"{self._limits.monthly_cost_limit:g}",
        )
        yield say(
            "Database {size} MB; {free} GB free on its disk.",
            size=f"{stand.queue.size / MB:.1f}",
            free=f"{stand.free / GB:.1f}",
        )
        since = say_moment(self._since.astimezone(self._zone))
        yield say("Butler {version}, running since {since}.", version=self._version, since=since)

    def _work(self, queue: Queue, now: datetime) -> Iterator[str]:
        if not queue.ready:
            yield say("No work waits.")
        else:
            oldest = round((now - queue.oldest).total_seconds()) if queue.oldest else 0
            yield say_many(
                queue.ready,
                "One piece of work is due, for {seconds} s.",
                "{count} pieces of work are due, the oldest for {seconds} s.",
                seconds=max(oldest, 0),
            )
        if queue.failed:
            yield say_many(queue.failed, "One was set aside.", "{count} were set aside.")
        tick = self._last_tick()
        if tick is not None and (late := round((now - tick).total_seconds())) > LOOKS_WITHIN.total_seconds():
            yield say("The engine has not looked for work for {seconds} s.", seconds=late)


def _waiting(queue: Queue) -> Iterator[str]:
    if queue.pending:
        yield say_many(queue.pending, "One card waits for your yes.", "{count} cards wait for your yes.")
    if queue.later:
        yield say_many(queue.later, "One waits for its time.", "{count} wait for their time.")
    if queue.unsent:
        yield say_many(queue.unsent, "One message to you is not sent yet.", "{count} messages to you are not sent yet.")
