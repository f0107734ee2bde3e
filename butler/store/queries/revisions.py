"""Replaced versions of approvals, kept so that the old card and the change can be drawn."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.contract.reasons import Reason, dump_reasons, load_reasons
from butler.store.tables import approvals, revisions

_UNDECIDED = {
    "state": "pending",
    "decided_at": None,
    "decided_by": None,
    "execute_at": None,
    "rule_id": None,
    "rule_digest": None,
}


@dataclass(frozen=True, slots=True)
class RevisionRow:
    """A replaced version of a call."""

    approval_id: str
    revision: int
    args: str
    args_sha256: str
    contract_digest: str
    labels: dict[str, Any]
    reasons: tuple[Reason, ...]
    replaced_by: str
    """The inbound whose words changed it."""
    replaced_at: datetime
    not_before: datetime | None = None


@dataclass(frozen=True, slots=True)
class NewVersion:
    """The columns of an approval that an edit sets."""

    account: str
    args: str
    args_sha256: str
    contract_digest: str
    labels: dict[str, Any]
    reasons: tuple[Reason, ...]
    recipients: tuple[str, ...]
    risk: str
    bound: str
    expires_at: datetime
    not_before: datetime | None = None


def keep(connection: sa.Connection, row: RevisionRow) -> None:
    """Store a version before it is replaced."""
    values = {column.name: getattr(row, column.name) for column in revisions.columns}
    connection.execute(revisions.insert().values({**values, "reasons": dump_reasons(row.reasons)}))


def get(connection: sa.Connection, approval_id: str, revision: int) -> RevisionRow | None:
    """Return one replaced version."""
    where = (revisions.c.approval_id == approval_id, revisions.c.revision == revision)
    row = connection.execute(sa.select(revisions).where(*where)).mappings().first()
    if row is None:
        return None
    values: dict[str, Any] = {**row, "reasons": load_reasons(row["reasons"])}
    return RevisionRow(**values)


def replace(connection: sa.Connection, approval_id: str, revision: int, new: NewVersion) -> bool:
    """Compare and set the next revision of a waiting approval; return False if it was decided or changed meanwhile.

    An approval for a later time that has not begun waits for an answer again; the rule that let it pass is forgotten.
    """
    values = {**asdict(new), **_UNDECIDED}
    waits = (approvals.c.state == "pending") | ((approvals.c.state == "approved") & approvals.c.not_before.is_not(None))
    changed = connection.execute(
        approvals.update()
        .where(approvals.c.approval_id == approval_id, approvals.c.revision == revision, waits)
        .values(
            {
                **values,
                "reasons": dump_reasons(new.reasons),
                "recipients": list(new.recipients),
                "revision": revision + 1,
            }
        )
    )
    return bool(changed.rowcount)
