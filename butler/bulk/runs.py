"""Advances a run, one batch for each work row: a batch is stored before it is sent, and its answer after.

After a crash, the next look finds what was sent without an answer, and sends exactly that again: every action sets a
state, so repeating it changes nothing. Runs of one account go one after the other.
"""

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import sqlalchemy as sa
import structlog

from approvals.pause import is_paused
from butler.bulk.contexts import context_of, item_of, stored
from butler.bulk.failed_items import name_failed
from butler.bulk.pacing import Pacer
from butler.bulk.progress_message import SHOWN_FAILURES, ProgressMessages
from butler.bulk.registry import BulkAdapters
from butler.contract.bulk import (
    BatchLaterError,
    BatchRefusedError,
    BatchUnclearError,
    BulkItem,
    BulkToolAdapter,
    PreparedBulkContext,
)
from butler.contract.errors import Reconfigure
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.reasons import Reason, ReasonCode, because, in_own_words
from butler.store.queries import audit, bulk, event_publisher
from butler.store.queries.bulk import ItemRow, ItemState, RunRow, RunState
from butler.store.store import Store

log = structlog.get_logger(__name__)

LAG = timedelta(seconds=5)
MOST_SENT = 5
"""A batch that was sent this often without any answer is not resent automatically."""
GONE = Reason(ReasonCode.THING_GONE)
NOT_DONE = Reason(ReasonCode.THING_NOT_DONE)
ACTS_PAUSED = Reason(ReasonCode.RUN_PAUSED)


@dataclass(frozen=True, slots=True)
class BatchAnswer:
    """A provider's answer to a batch, by the numbers of its items."""

    failed: dict[int, Reason]
    known: dict[int, dict[str, Any]]


class Runs:
    """The work handler of `bulk_batch`."""

    def __init__(
        self, store: Store, clock: Clock, adapters: BulkAdapters, telling: ProgressMessages, *, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._adapters = store, clock, adapters
        self._telling, self._wake = telling, wake
        self._pacer = Pacer()
        self._accounts: defaultdict[tuple[str, str], asyncio.Lock] = defaultdict(asyncio.Lock)

    async def advance(self, run_id: str) -> None:
        """Process one batch, or finish the run. Raises `Retryable` if the provider asks to be called later."""
        run = await self._store.read(lambda c: bulk.get(c, run_id))
        if run is not None:
            # A stopped run's last batch may still be under way: its undo must not overtake it.
            async with self._accounts[run.adapter, run.account]:
                await self._advance(run_id)

    async def redraw(self, run_id: str) -> None:
        """Draw the progress anew, because somebody else has changed the run's row."""
        await self._store.write(lambda c: self._telling.draw(c, run_id, self._clock.now()), "bulk.redraw")
        self._wake()

    async def give_up(self, run_id: str, why: Reason) -> None:
        """Pause a run that failed repeatedly in an unforeseen way."""
        run = await self._store.read(lambda c: bulk.get(c, run_id))
        if run is not None:
            await self._hold(run, because(ReasonCode.RUN_UNFORESEEN, why))

    async def _advance(self, run_id: str) -> None:
        run = await self._store.write(lambda c: self._next_in_line(c, run_id), "bulk.look")
        if run is None:
            return
        adapter, context = self._adapters.find(run.adapter), context_of(run)
        if adapter is None:
            await self._hold(run, Reason(ReasonCode.RUN_NOT_SET_UP))
            return
        size = adapter.limits(context).batch
        try:
            await self._adapters.require(adapter, run_id)
            await self._look_again(run, adapter, context)
            items = await self._store.write(lambda c: self._take(c, run, size), "bulk.take")
            if items:
                await self._send(run, adapter, context, items)
            else:
                await self._finish(run, adapter, context)
        except BatchLaterError as later:
            why = in_own_words(later.detail)
            await self._store.write(lambda c: self._put_back(c, run, why), "bulk.later")
            raise
        except (Reconfigure, BatchRefusedError) as error:
            await self._hold(run, in_own_words(error.detail))
        self._wake()

    def _next_in_line(self, connection: sa.Connection, run_id: str) -> RunRow | None:
        """Return the run if it may go on; pause it if acts are paused."""
        now = self._clock.now()
        run = bulk.get(connection, run_id)
        if run is None or run.state is not RunState.RUNNING:
            return None
        if is_paused(connection, Identity.USER):
            self._pause(connection, run, ACTS_PAUSED, now)
            return None
        running = [one for one in bulk.open_runs(connection, run.adapter, run.account) if one.state is RunState.RUNNING]
        if running[0].run_id != run_id:
            self._telling.draw(connection, run_id, now, note=Reason(ReasonCode.RUN_IN_LINE))
            return None
        return run

    async def _look_again(self, run: RunRow, adapter: BulkToolAdapter, context: PreparedBulkContext) -> None:
        """Record, before the first batch, what others changed since the listing: an undo must leave that alone."""
        if run.undo_of or run.retry_of or not await self._store.read(lambda c: bulk.is_untouched(c, run.run_id)):
            return
        if changed := await adapter.meanwhile(context):
            known = {item.id: item.raw_data or {} for item in changed}
            await self._store.write(lambda c: bulk.note(c, run.run_id, known), "bulk.meanwhile")

    def _take(self, connection: sa.Connection, run: RunRow, size: int) -> list[ItemRow]:
        """Return the next batch: first the items without an answer, exactly as they were sent."""
        items = bulk.in_state(connection, run.run_id, ItemState.INFLIGHT, size)
        items = items or bulk.in_state(connection, run.run_id, ItemState.TODO, size)
        if items:
            bulk.take(connection, run.run_id, items)
        return items

    async def _send(
        self, run: RunRow, adapter: BulkToolAdapter, context: PreparedBulkContext, items: list[ItemRow]
    ) -> None:
        """Send a batch; halve a refused one until the refused item is alone."""
        parts = [items]
        try:
            while parts:
                part = parts.pop(0)
                answer = await self._sent(adapter, context, part)
                if answer is None:
                    half = len(part) // 2
                    parts[:0] = [part[:half], part[half:]]
                else:
                    learnt = stored(context)
                    settle = partial(self._settle, run=run, part=part, answer=answer, learnt=learnt, last=not parts)
                    await self._store.write(settle, "bulk.settle")
        except BatchUnclearError:
            if await self._store.read(lambda c: bulk.most_sent(c, run.run_id)) < MOST_SENT:
                raise
            await self._hold(run, Reason(ReasonCode.RUN_WITHOUT_ANSWER))

    async def _sent(
        self, adapter: BulkToolAdapter, context: PreparedBulkContext, part: list[ItemRow]
    ) -> BatchAnswer | None:
        """Return the answer; None if the batch was refused and can be halved."""
        await self._store.confirm()
        try:
            results = await adapter.execute_batch([item_of(row) for row in part], context)
        except BatchRefusedError as refused:
            return None if len(part) > 1 else BatchAnswer({part[0].seq: in_own_words(refused.detail)}, {})
        data = {result.item_id: result for result in results}
        answer = BatchAnswer({}, {})
        for row in part:
            result = data.get(row.item_id)
            if result is None or not result.success:
                error = result.error if result else None
                answer.failed[row.seq] = in_own_words(error) if error else NOT_DONE
            if result is not None and result.data is not None:
                answer.known[row.seq] = result.data
        return answer

    def _settle(
        self,
        connection: sa.Connection,
        *,
        run: RunRow,
        part: list[ItemRow],
        answer: BatchAnswer,
        learnt: dict[str, Any],
        last: bool,
    ) -> None:
        now = self._clock.now()
        if learnt != run.context:
            # Such as the id of a label that was created for the first batch.
            bulk.learn(connection, run.run_id, learnt)
        bulk.settle(connection, run.run_id, part, answer.failed, answer.known)
        if last:
            bulk.schedule(connection, run.run_id, now)
        standing = bulk.get(connection, run.run_id)
        if standing is not None and standing.state is not RunState.RUNNING:
            # It was paused or stopped while the batch was being sent.
            self._telling.draw(connection, run.run_id, now)
        elif self._pacer.is_due(run.run_id, now):
            counts = bulk.counts(connection, run.run_id)
            over = counts[ItemState.DONE] + counts[ItemState.FAILED]
            pace = self._pacer.pace(run.run_id, over, run.total, now)
            self._telling.draw(connection, run.run_id, now, pace)

    def _put_back(self, connection: sa.Connection, run: RunRow, why: Reason) -> None:
        bulk.put_back(connection, run.run_id)
        self._telling.draw(connection, run.run_id, self._clock.now(), note=why)

    async def _finish(self, run: RunRow, adapter: BulkToolAdapter, context: PreparedBulkContext) -> None:
        """Find what the provider accepted and did not do, then end the run."""
        if gone := await adapter.vanished(context):
            noted = partial(bulk.fail_all, run_id=run.run_id, item_ids=gone, why=GONE)
            await self._store.write(noted, "bulk.gone")
        listed = adapter.limits(context).listed_while_open
        if listed and await self._open_still(run, adapter, context, note=False):
            # A provider's lists may lag a moment behind the last batch.
            await self._clock.sleep(LAG.total_seconds())
            await self._open_still(run, adapter, context, note=True)
        await name_failed(self._store, self._adapters, run, SHOWN_FAILURES)
        await self._store.write(lambda c: self._end(c, run), "bulk.end")

    async def _open_still(
        self, run: RunRow, adapter: BulkToolAdapter, context: PreparedBulkContext, *, note: bool
    ) -> bool:
        """Return whether items of the run are still listed; with `note`, mark them as not done. Count new arrivals."""
        offset, page, arrived, found = 0, adapter.limits(context).page, 0, False
        while left := await adapter.get_next_batch(context, page, offset):
            offset += len(left)
            mine = await self._store.write(partial(_mine, run=run, left=left, note=note), "bulk.not_done")
            found, arrived = found or bool(mine), arrived + len(left) - len(mine)
        # A retry knows only what failed: other listed items may have been left by the run before.
        count = 0 if run.retry_of else arrived
        await self._store.write(lambda c: bulk.arrived(c, run.run_id, count), "bulk.arrived")
        return found

    def _end(self, connection: sa.Connection, run: RunRow) -> None:
        now = self._clock.now()
        if bulk.move(connection, run.run_id, (RunState.RUNNING,), RunState.DONE, now):
            counts = {state.value: count for state, count in bulk.counts(connection, run.run_id).items()}
            data = {"digest": run.digest, "total": run.total} | counts
            audit.append(connection, "bulk.done", run.run_id, "butler", data, now)
            event_publisher.bulk_finished(connection, run.run_id, now)
            self._is_stalled(connection, run, now)

    async def _hold(self, run: RunRow, why: Reason) -> None:
        """Pause the run with its reason, because only the owner can help."""
        now = self._clock.now()
        await self._store.write(lambda c: self._pause(c, run, why, now), "bulk.hold")

    def _pause(self, connection: sa.Connection, run: RunRow, why: Reason, now: datetime) -> None:
        if bulk.move(connection, run.run_id, (RunState.RUNNING,), RunState.PAUSED, now, (why,)):
            self._is_stalled(connection, run, now)

    def _is_stalled(self, connection: sa.Connection, run: RunRow, now: datetime) -> None:
        self._telling.draw(connection, run.run_id, now)
        self._pacer.forget(run.run_id)
        call_next(connection, run, now)


def _mine(connection: sa.Connection, *, run: RunRow, left: list[BulkItem], note: bool) -> set[str]:
    """Return which of these a run counts as done or failed; with `note`, mark all of them as not done first."""
    ids = [item.id for item in left]
    if note:
        bulk.fail_all(connection, run.run_id, ids, NOT_DONE)
    return bulk.known(connection, run.run_id, ids)


def call_next(connection: sa.Connection, run: RunRow, now: datetime) -> None:
    """Let the first running run of the account go on."""
    for other in bulk.open_runs(connection, run.adapter, run.account):
        if other.state is RunState.RUNNING and other.run_id != run.run_id:
            bulk.schedule(connection, other.run_id, now)
            return
