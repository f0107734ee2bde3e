"""Determines which follow-ups an effect allows while it is fresh, and builds their calls."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
import structlog
from pydantic import BaseModel

from approvals.card import frozen_of
from approvals.context import Context
from approvals.current_text import current_text
from approvals.editable_arguments import parts_of
from approvals.follow_ups import FollowUpKind, deletion_of, what_follows
from approvals.frozen import ChangedSinceShownError, thaw
from approvals.risk import choosing
from approvals.states import State
from butler.contract.provenance import Origin
from butler.contract.tools import FollowUp, ToolSpec
from butler.provenance import Labels, join, load
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ACCOUNT, UnknownToolError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class FollowUpCall:
    """The call of a follow-up. A correction lacks the text, which the owner supplies; `text` names its argument."""

    spec: ToolSpec
    args: Mapping[str, Any]
    text: str = ""


def fresh_until(context: Context, row: ApprovalRow) -> datetime | None:
    """Return until when follow-ups are possible; None if there can be none.

    There are none for an effect that the owner only marked as done, since too little is known about it, nor for a
    follow-up.
    """
    lasts = context.settings.correct_for
    ended = row.state == State.DONE and row.result is not None and what_follows(row) is None
    return row.finished_at + lasts if ended and lasts and row.finished_at is not None else None


def offered(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> tuple[FollowUpKind, ...]:
    """Return the follow-ups that are allowed now."""
    until = fresh_until(context, row)
    if until is None or now >= until:
        return ()
    possible = tuple(what for what in FollowUpKind if next_of(context, connection, row, what) is not None)
    return possible if possible and deletion_of(connection, row) is None else ()


def next_of(context: Context, connection: sa.Connection, row: ApprovalRow, what: FollowUpKind) -> FollowUpCall | None:
    """Return the call that would follow an effect; None if its tool has none."""
    invoker = context.invoker
    try:
        spec = invoker.spec(row.tool)
        follow = spec.inverse if what is FollowUpKind.DELETE else spec.correction
        if follow is None:
            return None
        target = invoker.spec(follow.tool)
        args = _args(follow, _current_arguments(context, connection, row, spec), row)
    except (UnknownToolError, ChangedSinceShownError):
        return None
    text = parts_of(target, invoker.metadata(target.tool_name)).text if what is FollowUpKind.CORRECT else ""
    if args is None or (what is FollowUpKind.CORRECT and not text):
        return None
    # The follow-up goes through the account of the effect, whichever account is now the first.
    return FollowUpCall(target, args | ({ACCOUNT: row.account} if target.accounts else {}), text)


def labels_of(context: Context, row: ApprovalRow) -> Labels:
    """Return a follow-up's provenance: that of the arguments that chose the original's recipient or target."""
    chose = choosing(context.invoker.metadata(row.tool), row.labels)
    return join(load(row.labels[name]) for name in chose) | {Origin.butler(f"approval:{row.approval_id}")}


def _current_arguments(context: Context, connection: sa.Connection, row: ApprovalRow, spec: ToolSpec) -> BaseModel:
    """Return the effect's arguments, with its present text. Raises `ChangedSinceShownError`."""
    name = parts_of(spec, context.invoker.metadata(row.tool)).text
    text = current_text(connection, context.invoker, row)[0]
    return thaw(spec, frozen_of(row)).model_copy(update={} if text is None else {name: text})


def _args(follow: FollowUp, args: BaseModel, row: ApprovalRow) -> dict[str, Any] | None:
    data: Mapping[str, Any] = (row.result or {}).get("data") or {}
    try:
        return follow.args(args, data)
    except Exception as error:  # noqa: BLE001 - the boundary: a card is drawn whatever a module makes of its result
        log.warning("follow_up_failed", tool=row.tool, kind=type(error).__name__)
        return None
