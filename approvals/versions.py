"""Earlier versions of an approval that the owner changed, and the newest one with what it changed."""

from dataclasses import replace

import sqlalchemy as sa

from approvals.card import shown_of
from approvals.changes import changes
from approvals.people import Names
from butler.contract.card import Rich
from butler.contract.tools import ToolInvoker
from butler.store.queries import revisions
from butler.store.queries.approvals import ApprovalRow


def version(connection: sa.Connection, row: ApprovalRow, revision: int) -> ApprovalRow | None:
    """An approval as it stood at an earlier revision."""
    kept = revisions.get(connection, row.approval_id, revision)
    if kept is None:
        return None
    return replace(
        row,
        revision=revision,
        args=kept.args,
        args_sha256=kept.args_sha256,
        contract_digest=kept.contract_digest,
        labels=kept.labels,
        reasons=kept.reasons,
    )


def changes_in(connection: sa.Connection, invoker: ToolInvoker, row: ApprovalRow, names: Names) -> Rich:
    """What this version changed against the one before; empty for a first one."""
    before = version(connection, row, row.revision - 1)
    return changes(shown_of(invoker, before), shown_of(invoker, row), names) if before else ()
