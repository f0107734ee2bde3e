"""Earlier versions of an approval that the owner changed, and what each one changed."""

from dataclasses import replace

import sqlalchemy as sa

from approvals.accounts import earlier
from approvals.card import shown_of
from approvals.changes import changes
from approvals.follow import Follow, original_of, what_follows
from approvals.people import Names
from approvals.preview import is_listed
from approvals.said import said_before
from butler.contract.card import Rich
from butler.contract.tools import ToolInvoker
from butler.store.queries import revisions
from butler.store.queries.approvals import ApprovalRow


def version(connection: sa.Connection, invoker: ToolInvoker, row: ApprovalRow, revision: int) -> ApprovalRow | None:
    """An approval as it stood at an earlier revision."""
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
    )


def changes_in(connection: sa.Connection, invoker: ToolInvoker, row: ApprovalRow, names: Names) -> Rich:
    """What this version changed against the one before, or a correction against what it corrects.

    Empty for the first version of anything else.
    """
    before, after = version(connection, invoker, row, row.revision - 1), shown_of(invoker, row)
    if before is not None:
        accounts = (before.account, row.account)
        return changes(shown_of(invoker, before), after, names, accounts, listed=is_listed(invoker, row.tool))
    first = original_of(connection, row) if what_follows(row) is Follow.CORRECT else None
    if first is None:
        return ()
    return changes(replace(after, body=said_before(connection, invoker, first, row)), after, names)
