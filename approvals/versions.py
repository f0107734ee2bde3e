"""Restores earlier versions of an approval that the owner changed, and describes what each version changed."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from approvals.accounts import earlier
from approvals.card import shown_of
from approvals.changes import changes, put_together, retimed
from approvals.current_text import text_before
from approvals.follow_ups import FollowUpKind, original_of, what_follows
from approvals.people import Names
from approvals.preview import is_listed
from butler.contract.card import Rich
from butler.store.queries import revisions
from butler.store.queries.approvals import ApprovalRow
from butler.tool_invoker import ToolInvoker


def version(connection: sa.Connection, invoker: ToolInvoker, row: ApprovalRow, revision: int) -> ApprovalRow | None:
    """Return an approval as it was at an earlier revision."""
    kept = revisions.get(connection, row.approval_id, revision)
    if kept is None:
        return None
    return replace(
        row,
        revision=revision,
        account=earlier(invoker, row, kept.args),
        args=kept.args,
        args_sha256=kept.args_sha256,
        contract_digest=kept.contract_digest,
        labels=kept.labels,
        reasons=kept.reasons,
        not_before=kept.not_before,
    )


def changes_in(
    connection: sa.Connection,
    invoker: ToolInvoker,
    row: ApprovalRow,
    names: Names,
    moment: Callable[[datetime], str] = str,
) -> Rich:
    """Return what this version changed from the one before, or a correction from the message that it corrects.

    Empty for the first version of anything else. `moment` formats a time that a call waits for.
    """
    before, after = version(connection, invoker, row, row.revision - 1), shown_of(invoker, row)
    if before is not None:
        accounts = (before.account, row.account)
        was, now = (moment(one.not_before) if one.not_before else "" for one in (before, row))
        changed = changes(shown_of(invoker, before), after, names, accounts, listed=is_listed(invoker, row.tool))
        return put_together(retimed(was, now, row.tool), changed)
    first = original_of(connection, row) if what_follows(row) is FollowUpKind.CORRECT else None
    if first is None:
        return ()
    return changes(replace(after, body=text_before(connection, invoker, first, row)), after, names)
