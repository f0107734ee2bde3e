"""Implements `BulkLauncher`: lists the items of a tool's order, and begins exactly that once approved."""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.recurring import recurrence_of
from butler.bulk import listing, recurring_orders, snapshot_card
from butler.bulk.caps import Caps
from butler.bulk.contexts import params_of, stored
from butler.bulk.registry import BulkAdapters
from butler.contract.bulk import (
    BatchRefusedError,
    BulkOrder,
    BulkSnapshot,
)
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Reconfigure, Retryable
from butler.contract.integration import IntegrationResult, ResultMeta
from butler.contract.ports import Clock
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.speech import phrase, say, say_number
from butler.contract.tools import Reconciled, Settled, ToolCall
from butler.store.queries import approvals, bulk, rules
from butler.store.queries.bulk import NewRun, RunRow
from butler.store.queries.rules import RuleRow
from butler.store.store import Store
from config.bulk import BulkSettings

NOTHING_LISTED = "nothing_listed"
"""The provider's code of an empty listing, which is no fault."""

USUAL = BulkSettings()
"""The default ceilings."""
KEPT_UNASKED = timedelta(days=14)
"""How long a run that was never approved is kept; longer than any card waits."""
CHANGED = phrase("What is to be done is not what was listed and shown, so nothing was done.")
NOTHING = phrase("There is nothing of that kind, so there is nothing to do.")


class StoreBulkLauncher:
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
        limits: BulkSettings = USUAL,
    ) -> None:
        """`home` returns the owner's own chat, for runs that no chat asked for."""
        self._caps = Caps(limits, zone)
        self._store, self._clock, self._adapters = store, clock, adapters
        self._zone, self._home, self._wake = zone, home, wake

    async def snapshot(self, order: BulkOrder, call: ToolCall) -> IntegrationResult:
        """See `BulkLauncher`. An empty listing is a failure that says so."""
        try:
            return await self._listed(order, call)
        except ValueError as error:
            return failed(IntegrationErrorCode.INVALID_INPUT, str(error))
        except Retryable as later:
            return failed(IntegrationErrorCode.UNAVAILABLE, later.detail)
        except Reconfigure as error:
            return failed(IntegrationErrorCode.AUTH_REQUIRED, error.detail)
        except BatchRefusedError as refused:
            return failed(IntegrationErrorCode.REJECTED, refused.detail)

    async def _listed(self, order: BulkOrder, call: ToolCall) -> IntegrationResult:
        repeat = recurring_orders.repeat_of(call.args)
        if repeat is not None and (why := recurring_orders.not_the_owners(call.origins)):
            return failed(IntegrationErrorCode.REJECTED, why)
        adapter = self._adapters.get(order.adapter)
        await self._adapters.require(adapter, call.trace_id)
        context = await adapter.prepare(dict(order.params))
        run_id = uuid.uuid4().hex
        run = NewRun(run_id, order.adapter, order.account, params_of(order), stored(context), tool=call.tool)
        now = self._clock.now()
        await self._store.write(partial(_add, run=run, now=now), "bulk.run")
        listed = await listing.take(self._store, adapter, context, run_id)
        if listed.total == 0 and repeat is None:
            return failed(IntegrationErrorCode.NOT_FOUND, say(NOTHING), provider_code=NOTHING_LISTED)
        if why := await self._store.write(lambda c: self._too_many(c, call.tool, run_id, listed.total, now)):
            return failed(IntegrationErrorCode.REJECTED, why)
        facts, sample = await snapshot_card.facts(self._store, adapter, context, run_id, listed, self._zone)
        shown = BulkSnapshot(run=run_id, digest=listed.digest, count=listed.total, facts=facts, sample=sample)
        if repeat is not None:
            recurrence = recurring_orders.settled(
                call.args, repeat, listed.total, self._caps.most(call.tool), now, self._zone
            )
            shown = recurring_orders.shown(shown, recurrence, call.args, now)
        data = shown.model_dump(mode="json")
        await self._store.write(lambda c: bulk.show(c, run_id, data), "bulk.shown")
        return IntegrationResult(ok=True, data={"snapshot": data})

    def _too_many(self, connection: sa.Connection, tool: str, run_id: str, count: int, now: datetime) -> str:
        """Return why these items are too many, after deleting their listing; empty if they are not."""
        if why := self._caps.beyond(connection, tool, count, now):
            bulk.forget(connection, run_id)
        return why

    async def start(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """See `BulkLauncher`."""
        now = self._clock.now()

        def begin(connection: sa.Connection) -> RunRow | str:
            if (begun := bulk.by_call(connection, call.call_id)) is not None:
                return begun
            run = _as_shown(connection, order, snapshot)
            if run is None:
                return say(CHANGED)
            if why := self._caps.beyond(connection, call.tool, run.total, now):
                return why
            approval = approvals.by_call(connection, call.call_id)
            chat = (approval.chat if approval is not None else "") or self._home() or ""
            if not bulk.begin(connection, run.run_id, call_id=call.call_id, chat=chat, now=now):
                return say(CHANGED)
            bulk.schedule(connection, run.run_id, now)
            return run

        run = await self._store.write(begin, "bulk.begin")
        self._wake()
        if isinstance(run, str):
            return failed(IntegrationErrorCode.REJECTED, run)
        remark = (reason(ReasonCode.BEGUN_WITH, count=run.total),)
        return IntegrationResult(ok=True, data={"run": run.run_id, "count": run.total}, meta=ResultMeta(remark=remark))

    async def repeat(self, order: BulkOrder, snapshot: BulkSnapshot | None, call: ToolCall) -> IntegrationResult:
        """See `BulkLauncher`."""
        now = self._clock.now()

        def keep(connection: sa.Connection) -> RuleRow | str:
            approval = approvals.by_call(connection, call.call_id)
            run = _as_shown(connection, order, snapshot)
            if approval is None or run is None or snapshot is None or snapshot.repeat is None:
                return say(CHANGED)
            most = self._caps.most(call.tool)
            if most is not None and snapshot.repeat.most > most:
                return say("At most {most} may be done at once.", most=say_number(most))
            return recurring_orders.save(connection, approval, snapshot, snapshot.repeat, now)

        rule = await self._store.write(keep, "bulk.rule")
        if isinstance(rule, str):
            return failed(IntegrationErrorCode.REJECTED, rule)
        self._wake()
        return IntegrationResult(ok=True, data={"rule": rule.number}, meta=ResultMeta(remark=(_kept(rule),)))

    async def reconcile(self, call: ToolCall) -> Reconciled:
        """See `BulkLauncher`."""
        if recurring_orders.repeat_of(call.args) is not None:
            rule = await self._store.read(lambda c: _rule_of(c, call))
            if rule is None:
                return Reconciled(Settled.REPEAT, (Reason(ReasonCode.NOT_BEGUN),))
            return Reconciled(Settled.DONE, (_kept(rule),), {"rule": rule.number})
        run = await self._store.read(lambda c: bulk.by_call(c, call.call_id))
        if run is None:
            return Reconciled(Settled.REPEAT, (Reason(ReasonCode.NOT_BEGUN),))
        return Reconciled(Settled.DONE, (Reason(ReasonCode.BEGUN),), {"run": run.run_id, "count": run.total})


def _add(connection: sa.Connection, run: NewRun, now: datetime) -> None:
    """Store a run, and delete those that were never approved within `KEPT_UNASKED`."""
    bulk.forget_unasked(connection, now - KEPT_UNASKED)
    bulk.add(connection, run, now)


def _as_shown(connection: sa.Connection, order: BulkOrder, snapshot: BulkSnapshot | None) -> RunRow | None:
    """Return the run that the frozen call shows, or None where it differs: what is done must be what was shown."""
    run = bulk.get(connection, snapshot.run) if snapshot is not None else None
    if run is None or snapshot is None or run.shown is None:
        return None
    asked = (run.adapter, run.account, run.params) == (order.adapter, order.account, params_of(order))
    return run if asked and BulkSnapshot.model_validate(run.shown) == snapshot else None


def _rule_of(connection: sa.Connection, call: ToolCall) -> RuleRow | None:
    approval = approvals.by_call(connection, call.call_id)
    return None if approval is None else rules.made_from(connection, approval.approval_id)


def _kept(rule: RuleRow) -> Reason:
    """Return the outcome for an order that was saved as a rule."""
    return reason(ReasonCode.RULE_KEPT, number=rule.number, days=recurrence_of(rule).model_dump(mode="json"))
