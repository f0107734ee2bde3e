"""Requests follow-ups of an effect for the owner: each becomes an approval, and waits to be approved."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.follow_up_offers import FollowUpCall, labels_of
from approvals.follow_ups import FollowUpKind, followed_by, name_of
from approvals.policy import Verdict
from approvals.request import Proposal, bring_forward
from approvals.revise import NewValue
from butler.contract.reasons import Reason, ReasonCode
from butler.store.queries import audit
from butler.store.queries.approvals import ApprovalRow

FOLLOWED = "approval.followed"
"""The audit log's entry that records what an approval follows, and by which tap or reply."""


@dataclass(frozen=True, slots=True)
class FollowUpRequest:
    """The follow-up that the owner wants for `row`, with the new text if it takes one."""

    row: ApprovalRow
    what: FollowUpKind
    following: FollowUpCall
    inbound: str
    how: str
    """`a tap` or `a reply`."""
    text: NewValue[str] | None = None


def ask_to_follow(
    context: Context, connection: sa.Connection, wish: FollowUpRequest, now: datetime
) -> ApprovalRow | Verdict:
    """Store the follow-up, which always waits to be approved; return the verdict if it is not allowed."""
    row, following = wish.row, wish.following
    fields = {following.text: wish.text} if wish.text is not None else {}
    args = {**following.args, **{name: put.value for name, put in fields.items()}}
    proposal = Proposal(
        tool=following.spec.tool_name,
        args=args,
        origins=dict.fromkeys(args, labels_of(context, row)) | {name: put.origins for name, put in fields.items()},
        account=row.account if following.spec.accounts else "",
        requested_by=wish.inbound,
        call_id=name_of(row, wish.what, len(followed_by(connection, row, wish.what)) + 1),
        chat=row.chat,
    )
    found = bring_forward(context, connection, proposal, Reason(ReasonCode.ASKED_BY_CARD), now)
    if isinstance(found, ApprovalRow):
        by = f"{wish.how} on the card of {row.approval_id}"
        data = {"what": wish.what.value, "follows": row.approval_id, "by": by, "inbound": wish.inbound}
        audit.append(connection, FOLLOWED, found.approval_id, context.owner_id(), data, now)
    return found
