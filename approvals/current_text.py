"""The present text of an effect: the text that was sent, or that of the last completed correction."""

import json
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import sqlalchemy as sa

from approvals.editable_arguments import parts_of
from approvals.follow_ups import FollowUpKind, followed_by
from approvals.states import State
from butler.provenance import Labels, load
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ToolInvoker, UnknownToolError


def current_text(connection: sa.Connection, invoker: ToolInvoker, row: ApprovalRow) -> tuple[str | None, Labels]:
    """Return the present text and its provenance; None if the call has no text."""
    return _last_of(invoker, row, followed_by(connection, row, FollowUpKind.CORRECT))


def text_before(connection: sa.Connection, invoker: ToolInvoker, row: ApprovalRow, correction: ApprovalRow) -> str:
    """Return the text that this correction replaced."""
    found = followed_by(connection, row, FollowUpKind.CORRECT)
    earlier = list(takewhile(lambda one: one.approval_id != correction.approval_id, found))
    return _last_of(invoker, row, earlier)[0] or ""


def _last_of(invoker: ToolInvoker, row: ApprovalRow, corrections: Sequence[ApprovalRow]) -> tuple[str | None, Labels]:
    last = next((one for one in reversed(corrections) if one.state == State.DONE), row)
    args: dict[str, Any] = json.loads(last.args)
    try:
        name = parts_of(invoker.spec(last.tool), invoker.metadata(last.tool)).text
    except UnknownToolError:
        name = ""
    return args.get(name), load(last.labels.get(name, ()))
