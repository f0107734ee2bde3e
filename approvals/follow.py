"""What may still be done about an effect, by its card, while it is fresh: to take it back, or to put it right.

Each is a call of its own with an approval of its own, whose call is named after what it follows. There may be several
of a kind, one after another; only one that surely had no effect is followed by another deletion.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa
import structlog
from pydantic import BaseModel

from approvals.card import frozen_of
from approvals.context import Context
from approvals.frozen import ChangedSinceShownError, thaw
from approvals.parts import parts_of
from approvals.risk import choosing
from approvals.states import State
from butler.contract.errors import UnknownToolError
from butler.contract.provenance import Origin
from butler.contract.tools import ACCOUNT, FollowUp, ToolSpec
from butler.provenance import Labels, join, load
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow

log = structlog.get_logger(__name__)

CLOSE = "close_follow_ups"
"""The work that takes the buttons away once it is too late."""
_MARK = "follow"
_IN_VAIN = frozenset({State.DENIED, State.EXPIRED, State.SUPERSEDED, State.CANCELLED, State.FAILED})
"""How a call ends that surely had no effect."""


class Follow(StrEnum):
    """What follows."""

    DELETE = "delete"
    CORRECT = "correct"


@dataclass(frozen=True, slots=True)
class Next:
    """The call that would follow. A correction lacks the argument `text`, which the owner says."""

    spec: ToolSpec
    args: Mapping[str, Any]
    text: str = ""


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


def fresh_until(context: Context, row: ApprovalRow) -> datetime | None:
    """Until when something may follow; None where nothing ever may.

    Of what the owner has marked as done nobody knows enough, and what follows is followed by nothing itself.
    """
    lasts = context.settings.correct_for
    ended = row.state == State.DONE and row.result is not None and what_follows(row) is None
    return row.finished_at + lasts if ended and lasts and row.finished_at is not None else None


def offered(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> tuple[Follow, ...]:
    """What may be done about it now."""
    until = fresh_until(context, row)
    if until is None or now >= until:
        return ()
    possible = tuple(what for what in Follow if next_of(context, row, what) is not None)
    return possible if possible and deletion_of(connection, row) is None else ()


def next_of(context: Context, row: ApprovalRow, what: Follow) -> Next | None:
    """The call that would follow what was done; None where its tool knows of none."""
    invoker = context.invoker
    try:
        spec = invoker.spec(row.tool)
        follow = spec.inverse if what is Follow.DELETE else spec.correction
        if follow is None:
            return None
        target = invoker.spec(follow.tool)
        args = _args(follow, thaw(spec, frozen_of(row)), row)
    except (UnknownToolError, ChangedSinceShownError):
        return None
    text = parts_of(target, invoker.metadata(target.tool_name)).text if what is Follow.CORRECT else ""
    if args is None or (what is Follow.CORRECT and not text):
        return None
    # It goes where the effect is, whichever account is the first one by now.
    return Next(target, args | ({ACCOUNT: row.account} if target.accounts else {}), text)


def labels_of(context: Context, row: ApprovalRow) -> Labels:
    """Whose choice what follows is: of whoever chose what it follows."""
    chose = choosing(context.invoker.metadata(row.tool), row.labels)
    return join(load(row.labels[name]) for name in chose) | {Origin.butler(f"approval:{row.approval_id}")}


def _args(follow: FollowUp, args: BaseModel, row: ApprovalRow) -> dict[str, Any] | None:
    data: Mapping[str, Any] = (row.result or {}).get("data") or {}
    try:
        return follow.args(args, data)
    except Exception as error:  # noqa: BLE001 - the boundary: a card is drawn whatever a module makes of its result
        log.warning("follow_up_failed", tool=row.tool, kind=type(error).__name__)
        return None
