"""Settles what a restored backup brought back: acts that were waiting or under way, and may have ended since.

A restore leaves a mark in the rows it brings back. At the next start, none of these acts is done automatically, because
it may have been done already; the owner is informed, and decides. Standing rules may have been revoked since, and a
mail that decided before may be fetched again: the rules are disabled, and the codes are forgotten.
"""

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from approvals import rule_actions
from approvals.attempts import AttemptOutcome
from approvals.context import Context
from approvals.email_fallback_due import look_after
from approvals.states import State
from approvals.transition import redraw, transition
from butler.contract.card import OwnerMessage, plain
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.store.queries import approvals, cursors, email_fallbacks, outbox, rules
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.rules import RuleState

LOOK_FIRST = Reason(ReasonCode.RESTORED_LOOK_FIRST)
CUT_OFF = Reason(ReasonCode.RESTORED_CUT_OFF)
RULES_STOPPED = phrase(
    "Butler was restored from a backup. Standing rules put out of force, because you may have revoked them since: "
    "{numbers}. /rules shows them, and can put them back."
)


def settle_restored(context: Context, connection: sa.Connection, now: datetime) -> int:
    """Remove the mark, and settle what a restore brought back; return the number of approvals."""
    cursors.put_fact(connection, cursors.RESTORED, None, now)
    _stop_rules(context, connection, now)
    waiting = approvals.in_state(connection, State.PENDING)
    for row in waiting:
        if email_fallbacks.forget(connection, row.approval_id):
            look_after(context, connection, row.approval_id, now)
        if approvals.warn_also(connection, row.approval_id, LOOK_FIRST):
            redraw(connection, row, now=now)
    under_way = approvals.in_state(connection, State.APPROVED, State.EXECUTING)
    for row in under_way:
        _leave_unknown(connection, row, now)
    return len(waiting) + len(under_way)


def _stop_rules(context: Context, connection: sa.Connection, now: datetime) -> None:
    """Disable the rules in force, and tell the owner which they were."""
    active = rules.in_state(connection, RuleState.ACTIVE)
    stopped = [rule.number for rule in active if rule_actions.disable(connection, rule, actor="butler", now=now)]
    if stopped and (home := context.channel.home()) is not None:
        text = say(RULES_STOPPED, numbers=", ".join(map(str, stopped)))
        key = f"restored-rules:{now.isoformat()}"
        outbox.add(connection, home, OwnerMessage(text=plain(text)), now=now, dedup_key=key)


def _leave_unknown(connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    if row.state == State.APPROVED:
        transition(connection, row, State.EXECUTING, actor="butler", now=now, detail=(CUT_OFF,))
        row = replace(row, state=State.EXECUTING)
    last = approvals.last_attempt(connection, row.approval_id)
    if last is not None and last.outcome is None:
        unknown = AttemptOutcome.UNKNOWN
        approvals.end_attempt(connection, last.attempt_id, unknown, now=now, detail=(CUT_OFF,), provider_ref="")
    transition(connection, row, State.UNKNOWN, actor="butler", now=now, detail=(CUT_OFF,))
