"""What has become of approvals over a stretch of time, for a rule's replay and the weekly digest."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.store.queries.approvals import ApprovalRow
from butler.store.tables import approvals, audit

RULE_USED = "rule.used"
"""The kind of audit row that each use of a rule leaves."""


@dataclass(frozen=True, slots=True)
class RuleUse:
    """What one rule has let pass, and when it last did."""

    rule_id: str
    times: int
    last: datetime


def of_tool(connection: sa.Connection, tool: str, since: datetime) -> list[ApprovalRow]:
    """Every approval of a tool that was asked for since then, the newest first."""
    query = (
        sa.select(approvals)
        .where(approvals.c.tool == tool, approvals.c.created_at >= since)
        .order_by(approvals.c.created_at.desc(), approvals.c.approval_id)
    )
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def passed_by(connection: sa.Connection, rule_id: str, *states: str) -> list[ApprovalRow]:
    """What a rule has let pass and stands in one of these states, oldest first."""
    query = (
        sa.select(approvals)
        .where(approvals.c.rule_id == rule_id, approvals.c.state.in_(states))
        .order_by(approvals.c.created_at, approvals.c.approval_id)
    )
    return [ApprovalRow.of(row) for row in connection.execute(query)]


def uses_of_rules(connection: sa.Connection, after: int = 0) -> list[RuleUse]:
    """The rules that have let something pass, past a row of the audit log: how often, and when last."""
    used = (audit.c.kind == RULE_USED) & (audit.c.seq > after)
    query = sa.select(audit.c.subject, sa.func.count(), sa.func.max(audit.c.at)).where(used)
    return [RuleUse(*row) for row in connection.execute(query.group_by(audit.c.subject).order_by(audit.c.subject))]


def audited(connection: sa.Connection, after: int) -> dict[str, int]:
    """How many rows of each kind the audit log has past a row's number."""
    query = sa.select(audit.c.kind, sa.func.count()).where(audit.c.seq > after).group_by(audit.c.kind)
    return {row[0]: row[1] for row in connection.execute(query)}
