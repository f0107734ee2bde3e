"""The follow-ups of an effect, offered on its card: deletion and correction.

Each is a call with an approval of its own, and a call id derived from the original. There may be several of a kind, one
after another; another deletion is possible only if the previous one certainly had no effect.
"""

from enum import StrEnum

import sqlalchemy as sa

from approvals.states import State
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow

CLOSE = "close_follow_ups"
"""The kind of the work row that removes the buttons once their time is over."""
_MARK = "follow"
_IN_VAIN = frozenset({State.DENIED, State.EXPIRED, State.SUPERSEDED, State.CANCELLED, State.FAILED})
"""The end states of a call that certainly had no effect."""


class FollowUpKind(StrEnum):
    """The kinds of follow-up."""

    DELETE = "delete"
    CORRECT = "correct"


def name_of(row: ApprovalRow, what: FollowUpKind, number: int) -> str:
    """Return the call id of the n-th follow-up, from 1."""
    return f"{_MARK}:{row.approval_id}:{what}:{number}"


def what_follows(row: ApprovalRow) -> FollowUpKind | None:
    """Return the kind of this follow-up; None for an approval that follows nothing."""
    mark, *rest = row.call_id.split(":")
    return FollowUpKind(rest[1]) if mark == _MARK else None


def original_of(connection: sa.Connection, row: ApprovalRow) -> ApprovalRow | None:
    """Return the approval that this one follows; None if it follows nothing."""
    return approvals.get(connection, row.call_id.split(":")[1]) if what_follows(row) else None


def followed_by(connection: sa.Connection, row: ApprovalRow, what: FollowUpKind) -> list[ApprovalRow]:
    """Return all follow-ups of a kind that were requested, the earliest first."""
    found: list[ApprovalRow] = []
    while (following := approvals.by_call(connection, name_of(row, what, len(found) + 1))) is not None:
        found.append(following)
    return found


def corrections_of(connection: sa.Connection, row: ApprovalRow) -> list[ApprovalRow]:
    """Return the corrections that wait, are under way, done, or perhaps done."""
    return [one for one in followed_by(connection, row, FollowUpKind.CORRECT) if one.state not in _IN_VAIN]


def deletion_of(connection: sa.Connection, row: ApprovalRow) -> ApprovalRow | None:
    """Return the deletion that is under way, done, or perhaps done."""
    return next((one for one in followed_by(connection, row, FollowUpKind.DELETE) if one.state not in _IN_VAIN), None)
