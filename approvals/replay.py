"""Tests a rule against the history: what it would have allowed, and how much of that the owner refused."""

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals import standing_rules
from approvals.context import Context
from approvals.states import State
from butler.store.queries import history
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.rules import RuleRow, RuleState

LOOKS_BACK = timedelta(days=90)


@dataclass(frozen=True, slots=True)
class Replay:
    """The requests of the last `LOOKS_BACK` that a rule covers, the newest first."""

    passed: int
    refused: tuple[ApprovalRow, ...]


def replay(context: Context, connection: sa.Connection, rule: RuleRow, now: datetime) -> Replay:
    """Test a rule against the history, as if it had always been in force, without end or limit of uses.

    The approval that the rule is made from is left out.
    """
    in_force = replace(rule, state=RuleState.ACTIVE, expires_at=None, max_uses=None)
    matched = [
        row
        for row in history.of_tool(connection, rule.tool, now - LOOKS_BACK)
        if row.approval_id != rule.made_from
        and standing_rules.allows(in_force, standing_rules.call_of_row(context, row), row.created_at)
    ]
    return Replay(len(matched), tuple(row for row in matched if row.state == State.DENIED))
