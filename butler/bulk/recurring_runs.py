"""Runs a recurring rule when it is due: lists anew, then begins, asks, or reports why not; once for each due time.

The listing changes nothing, so it is repeated after a crash. Everything after it is one transaction, which also moves
the rule on to its next time: a crash leaves either nothing or all of it. Several missed times count as one. A run
begins as an approval like any other that a rule let pass: pause, deny rules and limits hold it back too.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from approvals.pause import is_paused
from approvals.policy import Decision, Verdict
from approvals.reason_words import all_in_words, details_in_words
from approvals.recurring import SNAPSHOT, args_on, recurrence_of
from approvals.request import Proposal
from approvals.service import Approvals
from butler.contract.bulk import BatchLaterError, BulkSnapshot
from butler.contract.card import OwnerMessage, plain
from butler.contract.errors import IntegrationErrorCode
from butler.contract.names import Identity
from butler.contract.ports import Clock
from butler.contract.provenance import Origin
from butler.contract.reasons import Reason, ReasonCode, in_own_words, reason
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from butler.provenance import Labels, load
from butler.store.queries import audit, bulk, bulk_schedules, outbox, rules
from butler.store.queries.rules import BY_REPEAT, RuleRow, RuleState
from butler.store.store import Store
from butler.tool_invoker import ACCOUNT, ToolInvoker, UnknownAccountError, UnknownToolError, account_of

LATE = timedelta(minutes=30)
"""A run that starts later than this mentions that its time was missed."""
SUPERSEDED = Reason(ReasonCode.NEXT_TIME_CAME)
GONE = Reason(ReasonCode.RULE_NOT_SET_UP)
BUTLER = "butler"


@dataclass(frozen=True, slots=True)
class Found:
    """The result of listing for a due rule: the order's arguments with the snapshot, or the reasons for the failure."""

    args: dict[str, Any]
    snapshot: BulkSnapshot | None = None
    trouble: tuple[Reason, ...] = ()


class RecurringRuns:
    """The work handler of `bulk_due`."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        tools: ToolInvoker,
        approvals: Approvals,
        *,
        home: Callable[[], str],
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._tools, self._approvals = store, clock, tools, approvals
        self._home, self._wake = home, wake

    async def due(self, rule_id: str) -> None:
        """Handle a rule's due time. Raises `Retryable` if the provider asks to be called later."""
        looked = await self._store.write(lambda c: self._look(c, rule_id), "bulk.due")
        if looked is not None:
            rule, due = looked
            found = await self._found(rule, due)
            await self._store.write(lambda c: self._conclude(c, rule_id, due, found), "bulk.repeat")
        self._wake()

    def _look(self, connection: sa.Connection, rule_id: str) -> tuple[RuleRow, datetime] | None:
        """Return the rule and its due time; None, after settling the time here, if there is nothing to list."""
        rule, schedule, now = rules.get(connection, rule_id), bulk_schedules.get(connection, rule_id), self._clock.now()
        if rule is None or schedule is None or rule.state not in {RuleState.ACTIVE, RuleState.DISABLED}:
            return None
        if schedule.last_at == schedule.due_at:
            return None
        if now < schedule.due_at:
            # An earlier run of this row settled it, or the clock went back.
            bulk_schedules.wait(connection, rule_id, schedule.due_at, now)
            return None
        if skipped := _skipped(connection, rule):
            self._settle(connection, rule, schedule.due_at, skipped, trouble=schedule.trouble)
            return None
        return rule, schedule.due_at

    async def _found(self, rule: RuleRow, due: datetime) -> Found:
        """List what the order covers now."""
        args = args_on(rule, recurrence_of(rule).local(due).date())
        call_id = _call_id(rule, due)
        try:
            spec = self._tools.spec(rule.tool)
            model = spec.args.model_validate(args)
            account = account_of(spec, model)
        except (UnknownToolError, UnknownAccountError, ValueError):
            return Found(args, trouble=(GONE,))
        assert spec.complete is not None
        result = await spec.complete(ToolCall(rule.tool, model, call_id, call_id, account))
        data = model.model_dump(mode="json", exclude_defaults=True)
        if result.error is None:
            return Found(data, BulkSnapshot.model_validate((result.data or {})[SNAPSHOT]))
        if result.error.code is IntegrationErrorCode.NOT_FOUND:
            return Found(data)
        if result.error.code is IntegrationErrorCode.UNAVAILABLE:
            raise BatchLaterError(result.error.message)
        return Found(data, trouble=(in_own_words(result.error.message),))

    def _conclude(self, connection: sa.Connection, rule_id: str, due: datetime, found: Found) -> None:
        """Settle a due time by the result of the listing, unless it was settled, or the rule changed, meanwhile."""
        rule, schedule = rules.get(connection, rule_id), bulk_schedules.get(connection, rule_id)
        if rule is None or schedule is None or schedule.due_at != due or rule.state != RuleState.ACTIVE:
            return
        trouble, now = found.trouble, self._clock.now()
        self._approvals.supersede_requested_by(connection, BY_REPEAT + rule_id, SUPERSEDED, now)
        outcome = "trouble" if trouble else "none"
        if found.snapshot is not None:
            outcome, trouble = self._act(connection, rule, due, found.args, found.snapshot)
        if trouble and not schedule.trouble:
            why = all_in_words(trouble) if outcome == "refused" else details_in_words(trouble)
            self._tell(connection, rule, due, why, now)
        self._settle(connection, rule, due, outcome, trouble=trouble, snapshot=found.snapshot)

    def _act(
        self, connection: sa.Connection, rule: RuleRow, due: datetime, args: dict[str, Any], snapshot: BulkSnapshot
    ) -> tuple[str, tuple[Reason, ...]]:
        """Begin the order, or ask; return the outcome, and the reasons if it was refused."""
        now = self._clock.now()
        bulk.by_rule(connection, snapshot.run, rule.rule_id, self._remark(rule, due, now))
        proposal = Proposal(
            tool=rule.tool,
            args={**args, SNAPSHOT: snapshot.model_dump(mode="json")},
            origins=_origins(connection, rule),
            account=rule.account,
            requested_by=BY_REPEAT + rule.rule_id,
            call_id=_call_id(rule, due),
        )
        if why := self._reason_to_ask(connection, rule, snapshot.count):
            asked = self._approvals.bring_forward(connection, proposal, why, now)
            return "asked", asked.reasons if isinstance(asked, Verdict) else ()
        verdict = self._approvals.request(connection, proposal, now, rule)
        if verdict.decision is Decision.DENY:
            return "refused", verdict.reasons
        return ("begun" if verdict.decision is Decision.ALLOW else "asked"), ()

    def _reason_to_ask(self, connection: sa.Connection, rule: RuleRow, count: int) -> Reason | None:
        recurrence = recurrence_of(rule)
        if count > recurrence.most:
            return reason(ReasonCode.RULE_EXCEEDED, count=count, number=rule.number, most=recurrence.most)
        if not recurrence.found and not bulk.was_begun_by(connection, rule.rule_id):
            return Reason(ReasonCode.RULE_NEVER_FOUND)
        return None

    def _settle(
        self,
        connection: sa.Connection,
        rule: RuleRow,
        due: datetime,
        outcome: str,
        *,
        trouble: Sequence[Reason],
        snapshot: BulkSnapshot | None = None,
    ) -> None:
        """Record the outcome of a due time and wait for the next one; missed times are not made up for."""
        now = self._clock.now()
        following = recurrence_of(rule).next_time(max(now, due))
        bulk_schedules.settle(connection, rule.rule_id, due, following, trouble)
        if following is not None:
            bulk_schedules.wait(connection, rule.rule_id, following, now)
        listed = {"count": snapshot.count, "digest": snapshot.digest} if snapshot else {"count": 0}
        data = {"number": rule.number, "due": due.isoformat(), "outcome": outcome, **listed}
        audit.append(connection, "rule.due", rule.rule_id, BUTLER, data, now)

    def _remark(self, rule: RuleRow, due: datetime, now: datetime) -> tuple[Reason, ...]:
        """Return what the run's message says about the rule that began it."""
        recurrence = recurrence_of(rule)
        by_rule = reason(ReasonCode.BY_RULE, number=rule.number, days=recurrence.model_dump(mode="json"))
        if now - due < LATE:
            return (by_rule,)
        return by_rule, reason(ReasonCode.DUE_BEFORE, at=recurrence.local(due).isoformat())

    def _tell(self, connection: sa.Connection, rule: RuleRow, due: datetime, why: str, now: datetime) -> None:
        """Report why the order is not done; once, until it is done again."""
        text = say("What your rule {number} does {days} is not done. {why}", **_named(rule), why=why)
        key = f"{BY_REPEAT}{_call_id(rule, due)}"
        outbox.add(connection, self._home(), OwnerMessage(text=plain(text)), now=now, dedup_key=key)


def _skipped(connection: sa.Connection, rule: RuleRow) -> str:
    """Return why a rule silently does nothing this time; empty if it acts."""
    if rule.state == RuleState.DISABLED:
        return "disabled"
    if is_paused(connection, Identity.USER):
        return "paused"
    return "still open" if bulk.is_open_by(connection, rule.rule_id) else ""


def _named(rule: RuleRow) -> dict[str, Any]:
    return {"number": rule.number, "days": recurrence_of(rule).words()}


def _call_id(rule: RuleRow, due: datetime) -> str:
    """Return the call id of one due time of a rule."""
    return f"{rule.rule_id}:{due.isoformat()}"


def _origins(connection: sa.Connection, rule: RuleRow) -> dict[str, Labels]:
    """Return the arguments' provenance: that of the approved order; what was listed comes from the provider."""
    made_from = rules.origin(connection, rule)
    own = {SNAPSHOT: frozenset({Origin.butler("listed")}), ACCOUNT: frozenset({Origin.butler("account")})}
    return own | {name: load(labels) for name, labels in made_from.labels.items() if name != SNAPSHOT}
