"""The local engine: runs work rows' handlers at least once, in one process, over the store.

Claims live in memory, because one process serves one store (`DataLock`): work that a crash interrupts is still a row,
and is handled again at the next start. Before a row goes to its handler the store confirms that this process was not
replaced; a replaced one takes no more work.

Row ids grow in the order of writing and are never reused, so rows past the highest known id are new; rows that become
due later, or were changed by another program, are found by a sweep over what is due, which skips the claimed ones.
"""

import asyncio
import time
import traceback
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from typing import Any, Protocol

import sqlalchemy as sa
import structlog

from butler.contract.clock_steps import ClockSteps
from butler.contract.errors import Bug, ButlerError, Retryable
from butler.contract.last_time import LastTime
from butler.contract.ports import Clock
from butler.contract.reasons import Reason, of_exception
from butler.store.errors import FencedError
from butler.store.queries import work
from butler.store.queries.work import WorkRow
from butler.store.store import Store

WorkHandler = Callable[[str], Awaitable[object]]
"""Takes the subject of a work row; its result is ignored. Raising `Retryable` puts the row back with a back-off."""


class Engine(Protocol):
    """Runs the handler of each work row at least once; the rows are the truth.

    Work rows are written by queries in the same transaction as what they announce; `wake()` only shortens the wait.
    Rows of one lane run one after another in the order of writing; lanes run side by side.
    """

    def register(self, kind: str, handler: WorkHandler) -> None: ...

    def wake(self) -> None: ...

    async def run(self) -> None:
        """Recover what was running when the process died, then serve until cancelled."""
        ...

    async def drain(self, within_s: float) -> bool:
        """Start nothing new; return True when all that was running has ended in time."""
        ...


log = structlog.get_logger(__name__)

MOST_AT_ONCE = 32
MOST_FAULTS = 5
PAGE = 500
POLL_S = 1.0
"""Other programs write rows without waking us, so new ones are polled this often, in seconds."""
CLOCK_BACK = timedelta(minutes=1)
"""The smallest step back that counts; a clock that goes back by less is only being adjusted."""
SWEEP_S = 60.0
FORGET_AFTER_S = 0.25
"""Finished rows are deleted together, so that deletions do not delay the next message."""
FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.5, 60.0

OnClockSet = Callable[[sa.Connection, timedelta, datetime], None]
"""Called with the step and the new time, in the transaction that corrects the waiting rows."""
OnClockBack = Callable[[], Awaitable[None]]
OnDeadLetter = Callable[[str, str, Reason], Awaitable[None]]
"""Called with the kind, the subject and the error of a failed row."""


class LocalEngine:
    """Implements `Engine`. Rows of one lane run in the order of writing, lanes run concurrently."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        *,
        on_clock_set: Sequence[OnClockSet] = (),
    ) -> None:
        """`on_clock_set` corrects durations in rows: when the clock is set, and with no step at the start."""
        self._store, self._clock = store, clock
        self._handlers: dict[str, WorkHandler] = {}
        self._lanes: dict[str, deque[WorkRow]] = {}
        self._serving: set[asyncio.Task[None]] = set()
        self._slots = asyncio.Semaphore(MOST_AT_ONCE)
        self._claimed: set[int] = set()
        self._finished: deque[int] = deque()
        self._gone: set[int] = set()
        self._seen, self._begun = 0, False
        self._next_due: datetime | None = None
        self._swept_at = time.monotonic()
        self._ticked, self._steps = LastTime(clock), ClockSteps(clock)
        self._set_by: timedelta | None = timedelta()
        """The step of the clock since rows were corrected; None if it was not set."""
        self._on_clock_set = on_clock_set
        self._on_clock_back: list[OnClockBack] = []
        self._on_dead_letter: list[OnDeadLetter] = []
        self._not_told: list[OnClockBack] = []
        self._woken, self._some_finished, self._draining = asyncio.Event(), asyncio.Event(), asyncio.Event()
        self._all_forgotten = asyncio.Event()
        self._all_forgotten.set()

    @property
    def last_tick(self) -> datetime | None:
        """Return when the engine last looked for work, by the current clock; None before the start."""
        return self._ticked.at

    def register(self, kind: str, handler: WorkHandler) -> None:
        """Register the handler for rows of a kind."""
        self._handlers[kind] = handler

    def wake(self) -> None:
        """Wake the engine after rows were written."""
        self._woken.set()

    def on_clock_back(self, *handlers: OnClockBack) -> None:
        """Register a listener for a clock that was set back: called at the start, and each time that it is."""
        self._on_clock_back += handlers

    def on_dead_letter(self, *handlers: OnDeadLetter) -> None:
        """Register listeners for failed rows: called in this order, and all of them again after an outage."""
        self._on_dead_letter += handlers

    async def run(self) -> None:
        """Handle everything left over, then serve until cancelled."""
        forgetting = asyncio.create_task(self._forget_finished(), name="engine-forget")
        try:
            while not self._draining.is_set():
                self._woken.clear()
                await self._through_outages(self._take_rows)
                await self._until_needed()
            await asyncio.Event().wait()
        finally:
            tasks = [*self._serving, forgetting]
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def drain(self, within_s: float) -> bool:
        """Start nothing new; return True if everything running ended durably in time."""
        deadline = time.monotonic() + within_s
        self._draining.set()
        self._woken.set()
        if self._serving:
            _, late = await asyncio.wait(self._serving, timeout=within_s)
            if late:
                return False
        try:
            await asyncio.wait_for(self._all_forgotten.wait(), max(0.0, deadline - time.monotonic()))
        except TimeoutError:
            return False
        return True

    # Taking rows

    async def _take_rows(self) -> None:
        # Only rows deleted before a read began are surely absent from it; until then they stay claimed.
        self._claimed -= self._gone
        self._gone.clear()
        # Check the clock first: rows that are due only because of a step are corrected before they run.
        if step := self._steps.look():
            log.warning("clock_was_set", by_s=round(step.total_seconds(), 1))
            self._set_by = (self._set_by or timedelta()) + step
        now = self._clock.now()
        if not self._begun:
            # Of the leftovers, only due rows are read: there may be a hundred thousand for later.
            self._seen = await self._store.read(work.last_id)
            self._not_told, self._begun = list(self._on_clock_back), True
        self._ticked.note()
        await self._mind_clock(now)
        if (self._next_due is not None and self._next_due <= now) or time.monotonic() - self._swept_at > SWEEP_S:
            await self._sweep(now)
        await self._take_written(now)

    async def _mind_clock(self, now: datetime) -> None:
        """Correct the waiting rows after the clock was set, and at the start, as it may have been set before."""
        if (step := self._set_by) is not None:
            await self._store.write(partial(self._set_right, step=step, now=now), "work.set_right")
            self._set_by = None
            # The next due row by the old clock may no longer be the next; find it again.
            self._next_due = now
            if step < -CLOCK_BACK:
                self._not_told = list(self._on_clock_back)
        for handler in tuple(self._not_told):
            await self._tell_of_clock(handler)

    def _set_right(self, connection: sa.Connection, step: timedelta, now: datetime) -> None:
        work.adjust_to_clock(connection, step, now)
        for set_right in self._on_clock_set:
            set_right(connection, step, now)

    async def _tell_of_clock(self, handler: OnClockBack) -> None:
        """Call one listener; on an outage, call it again at the next look, without delaying any row."""
        try:
            await handler()
        except Retryable as outage:
            log.warning("clock_back_again", why=str(outage))
            return
        except Exception as error:  # noqa: BLE001 - recorded; the engine must not stop for one handler
            log.error("clock_back_fault", why=_describe(error), trace=_trace(error))  # noqa: TRY400 - see _trace
        self._not_told.remove(handler)

    async def _take_written(self, now: datetime) -> None:
        """Take the rows written since the last look; of those for later, note when the first is due."""
        while True:
            rows = await self._store.look(partial(work.written, after=self._seen, limit=PAGE))
            for row in rows:
                self._seen = row.work_id
                # A row without a wait is due, even if the clock was set back since it was written.
                if row.run_at <= now or not row.delayed:
                    self._claim(row)
                else:
                    self._due_at(row.run_at)
            if len(rows) < PAGE:
                return

    async def _sweep(self, now: datetime) -> None:
        """Take every known row that is due and not claimed."""
        after = 0
        while after < self._seen:
            rows = await self._store.read(partial(work.ready, now=now, after=after, limit=PAGE))
            for row in rows:
                if row.work_id <= self._seen and row.work_id not in self._claimed:
                    self._claim(row)
            after = rows[-1].work_id if len(rows) == PAGE else self._seen
        self._next_due = await self._store.read(partial(work.next_due, now=now))
        self._swept_at = time.monotonic()

    def _due_at(self, when: datetime) -> None:
        self._next_due = when if self._next_due is None else min(self._next_due, when)

    async def _until_needed(self) -> None:
        waits: list[Coroutine[Any, Any, object]] = [self._woken.wait()]
        if self._next_due is not None:
            waits.append(self._clock.sleep_until(self._next_due))
        await _first_of(*waits, timeout_s=POLL_S)

    # Lanes

    def _claim(self, row: WorkRow) -> None:
        self._claimed.add(row.work_id)
        if row.lane in self._lanes:
            self._lanes[row.lane].append(row)
            return
        self._lanes[row.lane] = deque([row])
        task = asyncio.create_task(self._serve(row.lane), name=f"lane:{row.lane}")
        self._serving.add(task)
        task.add_done_callback(self._serving.discard)

    async def _serve(self, lane: str) -> None:
        rows = self._lanes[lane]
        while rows and not self._draining.is_set():
            await self._see_through(rows.popleft())
        del self._lanes[lane]

    async def _see_through(self, row: WorkRow) -> None:
        """Pass a row to its handler until it is done or failed, or, if it was written for later, put back."""
        while True:
            async with self._slots:
                if self._draining.is_set():
                    return
                error = await self._handle(row)
            if error is None:
                self._finish(row)
                return
            if isinstance(error, FencedError):
                self._draining.set()
                return
            fault = not isinstance(error, Retryable)
            if fault:
                log.error("work_fault", kind=row.kind, subject=row.subject, why=_describe(error), trace=_trace(error))
            if fault and row.faults + 1 >= MOST_FAULTS:
                await self._dead_letter(row, error)
                return
            pause, until = _pause_after(row, error, self._clock.now())
            again_at, ends = self._clock.now() + pause, self._clock.monotonic() + pause.total_seconds()
            await self._put_back(row, again_at, error, fault=fault, wait=None if until else pause)
            if row.delayed:
                self._gone.add(row.work_id)
                self._due_at(again_at)
                self.wake()
                return
            row = replace(row, attempts=row.attempts + 1, faults=row.faults + fault)
            await _first_of(self._clock.sleep(ends - self._clock.monotonic()), self._draining.wait())

    async def _handle(self, row: WorkRow) -> Exception | None:
        handler = self._handlers.get(row.kind)
        if handler is None:
            return Bug(f"nobody handles {row.kind}")
        try:
            await self._store.confirm()
            await handler(row.subject)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if task is None or task.cancelling():
                raise
            return Bug("the handler was cancelled from within")
        except Exception as error:  # noqa: BLE001 - the boundary of every handler: recorded, then tried again
            return error
        return None

    async def _put_back(
        self, row: WorkRow, again_at: datetime, error: Exception, *, fault: bool, wait: timedelta | None
    ) -> None:
        log.info("work_again", kind=row.kind, subject=row.subject, again_at=again_at.isoformat(), why=_describe(error))
        # A row for which its lane waits stays due, so that no other row of the lane overtakes it after a restart.
        run_at, wait = (again_at, wait) if row.delayed else (row.run_at, None)
        why = of_exception(error)
        again = partial(work.again, work_id=row.work_id, run_at=run_at, error=why, fault=fault, wait=wait)
        await self._write(again, "work.again")

    async def _dead_letter(self, row: WorkRow, error: Exception) -> None:
        why = of_exception(error)
        await self._write(partial(work.fail, work_id=row.work_id, error=why), "work.fail")
        self._gone.add(row.work_id)
        await self._through_outages(partial(self._tell_of_dead_letter, row, why))

    async def _tell_of_dead_letter(self, row: WorkRow, why: Reason) -> None:
        for handler in self._on_dead_letter:
            await handler(row.kind, row.subject, why)

    # Forgetting rows

    def _finish(self, row: WorkRow) -> None:
        """Delete the row while its lane continues; after a crash it is handled once more."""
        self._finished.append(row.work_id)
        self._all_forgotten.clear()
        self._some_finished.set()

    async def _forget_finished(self) -> None:
        while True:
            await self._some_finished.wait()
            await _first_of(self._draining.wait(), timeout_s=FORGET_AFTER_S)
            self._some_finished.clear()
            while ids := list(islice(self._finished, PAGE)):
                await self._write(partial(work.done_all, work_ids=ids), "work.done", flushed=False)
                for _ in ids:
                    self._finished.popleft()
                self._gone.update(ids)
            self._all_forgotten.set()

    # Outages

    async def _write(self, query: Callable[[sa.Connection], None], label: str, *, flushed: bool = True) -> None:
        await self._through_outages(partial(self._store.write, query, label, flushed=flushed))

    async def _through_outages(self, action: Callable[[], Awaitable[None]]) -> None:
        """Run an action; while the store is busy, full or unreachable, wait and retry."""
        tries = 0
        while True:
            try:
                await action()
            except Retryable as outage:
                log.warning("engine_waits_for_store", why=str(outage))
                await asyncio.sleep(_pause(tries).total_seconds())
                tries += 1
            except FencedError:
                self._draining.set()
                return
            except Exception as error:  # noqa: BLE001 - recorded; the engine must not die of one row
                log.error("engine_fault", why=_describe(error), trace=_trace(error))  # noqa: TRY400 - see _trace
                return
            else:
                return


def _pause(tries: int) -> timedelta:
    return timedelta(seconds=min(FIRST_PAUSE_S * 2 ** min(tries, 10), LONGEST_PAUSE_S))


def _pause_after(row: WorkRow, error: Exception, now: datetime) -> tuple[timedelta, bool]:
    """Return how long to wait before a retry, and whether that is until a moment rather than for a duration."""
    if isinstance(error, Retryable) and error.until is not None:
        return max(_pause(0), error.until - now), True
    return max(_pause(row.attempts), error.wait if isinstance(error, Retryable) else timedelta()), False


def _describe(error: Exception) -> str:
    """Return our own errors' texts; of others only the kind, as their text may hold what people wrote."""
    return str(error) if isinstance(error, ButlerError) else type(error).__name__


def _trace(error: Exception) -> str:
    """Return the traceback as code locations only: the message may hold what people wrote."""
    return "".join(traceback.format_tb(error.__traceback__))


async def _first_of(*waits: Coroutine[Any, Any, object], timeout_s: float | None = None) -> None:
    tasks = [asyncio.create_task(wait) for wait in waits]
    try:
        await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
