"""The outcomes of approvals over a period, for a rule's replay and the weekly digest."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.store.queries.approvals import ApprovalRow
from butler.store.tables import approvals, audit, plan_steps, plans

RULE_USED = "rule.used"
"""The kind of audit row for each use of a rule."""


@dataclass(frozen=True, slots=True)
class RuleUse:
    """What one rule has let pass, and when last."""

    rule_id: str
    times: int
    last: datetime


@dataclass(frozen=True, slots=True)
class OwnAct:
    """A step that changed what the butler keeps for the owner, or was to."""

    at: datetime
    """When its plan began."""
    tool: str
    description: str
    ok: bool
    told: Mapping[str, Any]
    """Its arguments, as planners may know them."""


def of_tool(connection: sa.Connection, tool: str, since: datetime) -> list[ApprovalRow]:
    """Return every approval of a tool requested since, the newest first."""
    query = (
        sa.select(approvals)
        .where(approvals.c.tool == tool, approvals.c.created_at >= since)
        .order_by(approvals.c.created_at.desc(), approvals.c.approval_id)
    )
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def ended_since(connection: sa.Connection, since: datetime, *states: str) -> list[ApprovalRow]:
    """Return what has come to one of these states since, in the order in which it ended."""
    query = (
        sa.select(approvals)
        .where(approvals.c.state.in_(states), approvals.c.finished_at >= since)
        .order_by(approvals.c.finished_at, approvals.c.approval_id)
    )
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def own_acts_since(connection: sa.Connection, since: datetime) -> list[OwnAct]:
    """Return what plans that began since then did to what the butler keeps for the owner, which passes no approval."""
    query = (
        sa.select(plans.c.created_at, plan_steps.c.tool_call, plan_steps.c.description, plan_steps.c.outcome)
        .join(plan_steps, plan_steps.c.plan_id == plans.c.plan_id)
        .where(plans.c.updated_at >= since, plans.c.created_at >= since)
        .order_by(plans.c.created_at, plans.c.plan_id, plan_steps.c.step_id)
    )
    return [
        OwnAct(at, tool, description, bool(outcome.get("ok")), outcome["told"])
        for at, tool, description, outcome in connection.execute(query)
        if outcome and "told" in outcome and "approval" not in outcome
    ]


def passed_by(connection: sa.Connection, rule_id: str, *states: str) -> list[ApprovalRow]:
    """Return what a rule has let pass and is in one of these states, oldest first."""
    query = (
        sa.select(approvals)
        .where(approvals.c.rule_id == rule_id, approvals.c.state.in_(states))
        .order_by(approvals.c.created_at, approvals.c.approval_id)
    )
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def uses_of_rules(connection: sa.Connection, after: int = 0) -> list[RuleUse]:
    """Return the rules that have let something pass after an audit row: how often, and when last."""
    used = (audit.c.kind == RULE_USED) & (audit.c.seq > after)
    query = sa.select(audit.c.subject, sa.func.count(), sa.func.max(audit.c.at)).where(used)
    return [RuleUse(*row) for row in connection.execute(query.group_by(audit.c.subject).order_by(audit.c.subject))]


def audited(connection: sa.Connection, after: int) -> dict[str, int]:
    """Count the audit rows of each kind after a row's number."""
    query = sa.select(audit.c.kind, sa.func.count()).where(audit.c.seq > after).group_by(audit.c.kind)
    return {row[0]: row[1] for row in connection.execute(query)}
