"""Meets `BulkDesk`: lists what a tool is asked to do to many things, and begins exactly that once it is approved."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.bulk import listing, showing
from butler.bulk.contexts import params_of, stored
from butler.bulk.registry import BulkAdapters
from butler.contract.bulk import BatchRefusedError, BulkOrder, BulkSnapshot
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Reconfigure, Retryable
from butler.contract.integration import IntegrationResult, ResultMeta
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say, say_many
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.queries import approvals, bulk
from butler.store.queries.bulk import NewRun, RunRow
from butler.store.store import Store

KEPT_UNASKED = timedelta(days=14)
"""Longer than any card waits."""
CHANGED = phrase("What is to be done is not what was listed and shown, so nothing was done.")
NOTHING = phrase("There is nothing of that kind, so there is nothing to do.")


class Desk:
    """The one object that `butler.app` builds."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        adapters: BulkAdapters,
        *,
        zone: ZoneInfo,
        home: Callable[[], str | None],
        wake: Callable[[], None],
    ) -> None:
        """`home` is the owner's own chat, where what no chat asked for is told."""
        self._store, self._clock, self._adapters = store, clock, adapters
        self._zone, self._home, self._wake = zone, home, wake

    async def snapshot(self, order: BulkOrder, call: ToolCall) -> IntegrationResult:
        """See `BulkDesk`. Nothing to be done is a failure that says so."""
        del call
        try:
            return await self._listed(order)
        except ValueError as error:
            return failed(IntegrationErrorCode.INVALID_INPUT, str(error))
        except Retryable as later:
            return failed(IntegrationErrorCode.UNAVAILABLE, later.detail)
        except Reconfigure as error:
            return failed(IntegrationErrorCode.AUTH_REQUIRED, error.detail)
        except BatchRefusedError as refused:
            return failed(IntegrationErrorCode.REJECTED, refused.detail)

    async def _listed(self, order: BulkOrder) -> IntegrationResult:
        adapter = self._adapters.get(order.adapter)
        context = await adapter.prepare(dict(order.params))
        run_id = uuid.uuid4().hex
        run = NewRun(run_id, order.adapter, order.account, params_of(order), stored(context))
        now = self._clock.now()
        await self._store.write(partial(_add, run=run, now=now), "bulk.run")
        listed = await listing.take(self._store, adapter, context, run_id)
        if listed.total == 0:
            return failed(IntegrationErrorCode.NOT_FOUND, say(NOTHING))
        facts, sample = await showing.facts(self._store, adapter, context, run_id, listed, self._zone)
        shown = BulkSnapshot(run=run_id, digest=listed.digest, count=listed.total, facts=facts, sample=sample)
        data = shown.model_dump(mode="json")
        await self._store.write(lambda c: bulk.show(c, run_id, data), "bulk.shown")
        return IntegrationResult(ok=True, data={"snapshot": data})

    async def start(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """See `BulkDesk`."""
        now = self._clock.now()

        def begin(connection: sa.Connection) -> RunRow | None:
            if (begun := bulk.by_call(connection, call.call_id)) is not None:
                return begun
            run = bulk.get(connection, snapshot.run) if snapshot is not None else None
            if run is None or snapshot is None or not _is_as_shown(run, order, snapshot):
                return None
            approval = approvals.by_call(connection, call.call_id)
            chat = (approval.chat if approval is not None else "") or self._home() or ""
            if not bulk.begin(connection, run.run_id, call_id=call.call_id, chat=chat, now=now):
                return None
            bulk.go_on(connection, run.run_id, now)
            return bulk.get(connection, run.run_id)

        run = await self._store.write(begin, "bulk.begin")
        self._wake()
        if run is None:
            return failed(IntegrationErrorCode.REJECTED, say(CHANGED))
        remark = say_many(
            run.total, "It has begun with it.", "It has begun with all {count}; a message shows how far it is."
        )
        return IntegrationResult(ok=True, data={"run": run.run_id, "count": run.total}, meta=ResultMeta(remark=remark))

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """See `BulkDesk`."""
        run = await self._store.read(lambda c: bulk.by_call(c, call.call_id))
        if run is None:
            return Reconciled(Settled.REPEAT, say("It had not begun."))
        return Reconciled(Settled.DONE, say("It has begun."), {"run": run.run_id, "count": run.total})


def _add(connection: sa.Connection, run: NewRun, now: datetime) -> None:
    """Store a run; those that nobody has said yes to in all that time are taken away on the way."""
    bulk.forget_unasked(connection, now - KEPT_UNASKED)
    bulk.add(connection, run, now)


def _is_as_shown(run: RunRow, order: BulkOrder, snapshot: BulkSnapshot) -> bool:
    """Whether a run is the very one that the frozen call shows: nobody may show one thing and have another done."""
    asked = (run.adapter, run.account, run.params) == (order.adapter, order.account, params_of(order))
    return asked and run.shown == snapshot.model_dump(mode="json")
