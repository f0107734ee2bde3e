"""What may follow an effect, by its card: that it is taken back, or put right.

Each is a call of its own with an approval of its own, whose call is named after what it follows. There may be several
of a kind, one after another; only a deletion that surely had no effect is followed by another one.
"""

from enum import StrEnum

import sqlalchemy as sa

from approvals.states import State
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow

CLOSE = "close_follow_ups"
"""The work that takes the buttons away once it is too late."""
_MARK = "follow"
_IN_VAIN = frozenset({State.DENIED, State.EXPIRED, State.SUPERSEDED, State.CANCELLED, State.FAILED})
"""How a call ends that surely had no effect."""


class Follow(StrEnum):
    """What follows."""

    DELETE = "delete"
    CORRECT = "correct"


def name_of(row: ApprovalRow, what: Follow, number: int) -> str:
    """The call id of the n-th that follows, from 1."""
    return f"{_MARK}:{row.approval_id}:{what}:{number}"


def what_follows(row: ApprovalRow) -> Follow | None:
    """What kind of follow-up this is; None for what follows nothing."""
    mark, *rest = row.call_id.split(":")
    return Follow(rest[1]) if mark == _MARK else None


def original_of(connection: sa.Connection, row: ApprovalRow) -> ApprovalRow | None:
    """What this follows."""
    return approvals.get(connection, row.call_id.split(":")[1]) if what_follows(row) else None


def followed_by(connection: sa.Connection, row: ApprovalRow, what: Follow) -> list[ApprovalRow]:
    """All of a kind that were asked for, the first one first."""
    found: list[ApprovalRow] = []
    while (following := approvals.by_call(connection, name_of(row, what, len(found) + 1))) is not None:
        found.append(following)
    return found


def corrections_of(connection: sa.Connection, row: ApprovalRow) -> list[ApprovalRow]:
    """The corrections that wait, are under way or done, or perhaps done."""
    return [one for one in followed_by(connection, row, Follow.CORRECT) if one.state not in _IN_VAIN]


def deletion_of(connection: sa.Connection, row: ApprovalRow) -> ApprovalRow | None:
    """The deletion that is under way, done, or perhaps done."""
    return next((one for one in followed_by(connection, row, Follow.DELETE) if one.state not in _IN_VAIN), None)
