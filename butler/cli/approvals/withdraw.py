"""Withdraw approvals beside a running daemon, without Telegram: implements `butler approvals withdraw`."""

from pathlib import Path

from approvals.pause import COMMAND_LINE
from approvals.states import State
from approvals.withdraw import withdraw
from butler.cli.approvals.show import the_one
from butler.cli.database import changing
from butler.cli.output import counted
from butler.clock import RealClock
from butler.contract.errors import Refuse
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import approvals

WHY = Reason(ReasonCode.WITHDRAWN_AT_MACHINE)
UNDER_WAY = "begun already, and cannot be withdrawn"


def withdraw_one(path: Path, beginning: str) -> str:
    """Withdraw one approval, by its id or a unique prefix of it; return one sentence. Raise `Refuse` on failure."""
    with changing(path) as connection:
        row = the_one(connection, beginning)
        if not withdraw(connection, [row], WHY, actor=COMMAND_LINE, now=RealClock().now()):
            how = UNDER_WAY if row.state == State.EXECUTING else f"{row.state} already"
            raise Refuse(f"{row.approval_id} is {how}")
    return f"Withdrew {row.approval_id}."


def withdraw_all(path: Path) -> str:
    """Withdraw every waiting approval, and every approved one that has not begun; return their number."""
    with changing(path) as connection:
        rows = approvals.in_state(connection, State.PENDING, State.APPROVED, State.EXECUTING)
        done = withdraw(connection, rows, WHY, actor=COMMAND_LINE, now=RealClock().now())
    left = len(rows) - done
    text = f"Withdrew {counted(done, 'approval', 'approvals')}."
    return f"{text} {counted(left, 'is', 'are')} {UNDER_WAY}." if left else text
