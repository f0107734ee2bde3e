"""Holds: reasons that stop an act although it was approved, or a rule let it pass; checked before each attempt.

Holds in rows are checked in the transaction that would begin the attempt; files are checked just before, since they are
outside of the database.
"""

import asyncio
import hashlib
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals import limits, standing_rules
from approvals.bindings import changed_since
from approvals.context import Context
from approvals.pause import is_paused
from approvals.states import State
from butler.contract.errors import BlobDamagedError
from butler.contract.ports import BlobStore
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.contract.tools import Preview
from butler.store.queries.approvals import ApprovalRow


@dataclass(frozen=True, slots=True)
class Hold:
    """Why an act does not begin, and the next state of an approval that never began."""

    state: State
    why: Reason


def hold_of(
    context: Context, connection: sa.Connection, row: ApprovalRow, preview: Preview, now: datetime
) -> Hold | None:
    """Return the hold on this act in the rows, or None. `preview` is of the stored arguments."""
    if is_paused(connection, row.identity):
        return Hold(State.CANCELLED, Reason(ReasonCode.ACTS_PAUSED))
    if (row.decided_by or "").startswith("telegram:") and row.decided_by != context.owner_id():
        return Hold(State.CANCELLED, Reason(ReasonCode.ANOTHER_OWNER))
    beyond = limits.exceeded(
        context, connection, tool=row.tool, recipients=row.recipients, now=now, apart_from=row.approval_id
    )
    if beyond:
        return Hold(State.CANCELLED, beyond)
    if not standing_rules.still_allows(connection, row, now):
        return Hold(State.SUPERSEDED, Reason(ReasonCode.RULE_GONE))
    changed = changed_since(connection, row.bound, preview)
    return Hold(State.SUPERSEDED, changed) if changed else None


async def file_hold(blobs: BlobStore, preview: Preview) -> Hold | None:
    """Return the hold of a missing or changed file. Raises `Retryable` if that cannot be checked now."""
    for attachment in preview.attachments:
        try:
            data = await blobs.get(attachment.sha256)
        except KeyError:
            return Hold(State.SUPERSEDED, reason(ReasonCode.FILE_GONE, name=attachment.name))
        except BlobDamagedError:
            return Hold(State.SUPERSEDED, reason(ReasonCode.FILE_DAMAGED, name=attachment.name))
        digest = await asyncio.to_thread(_digest, data)
        if (digest, len(data)) != (attachment.sha256, attachment.size):
            return Hold(State.SUPERSEDED, reason(ReasonCode.FILE_ANOTHER, name=attachment.name))
    return None


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()
