"""Quiet hours: a card that nobody waits for is shown after them, and its time to expiry starts then."""

from datetime import UTC, datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.email_fallback_due import look_after
from approvals.states import SHOW, State
from butler.contract.inbound import Inbound, InboundKind
from butler.store.queries import approvals, audit, buttons, inbox, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind

_LIVE = frozenset({InboundKind.CHAT, InboundKind.EDITED, InboundKind.COMMAND, InboundKind.BUTTON})


def after_quiet(context: Context, at: datetime) -> datetime:
    """Return `at` itself, or the end of the quiet hours that it falls into."""
    quiet = context.quiet.hours if context.quiet is not None else context.settings.quiet_hours
    until = quiet.until(at.astimezone(context.zone)) if quiet else None
    return until.astimezone(UTC) if until else at


def remind_at(context: Context, now: datetime) -> datetime | None:
    """Return when the one reminder of a card shown now is due: after half of its time, but never in quiet hours."""
    due = after_quiet(context, now + context.settings.expires / 2)
    return due if due < now + context.settings.expires else None


def put_off(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> bool:
    """Postpone a card that was never shown to the end of the quiet hours if nobody waits; return whether it was."""
    until = after_quiet(context, now)
    if until <= now or row.card_refs or row.batch_id is not None or asked_live(context, connection, row):
        return False
    if was_asked_for(connection, row):
        return False
    work.cancel(connection, approvals.SHOW_CARD, row.approval_id)
    work.add(connection, approvals.SHOW_CARD, row.approval_id, now=now, lane=f"out:{row.chat}", run_at=until)
    if row.state == State.PENDING:
        _count_from(context, connection, row, until, now)
    return True


def was_asked_for(connection: sa.Connection, row: ApprovalRow) -> bool:
    """Return whether the owner had the approval's card brought down, from the list of pending cards."""
    return buttons.was_used(connection, ButtonKind.APPROVAL, row.approval_id, SHOW)


def _count_from(context: Context, connection: sa.Connection, row: ApprovalRow, until: datetime, now: datetime) -> None:
    """Count a card's time from the moment when it becomes visible, so that it never expires unseen."""
    expires = until + context.settings.expires
    approvals.put_off(connection, row.approval_id, expires)
    data = {"until": until.isoformat(), "expires_at": expires.isoformat()}
    audit.append(connection, "approval.put_off", row.approval_id, "butler", data, now)
    work.cancel(connection, approvals.EXPIRE, row.approval_id)
    work.add(connection, approvals.EXPIRE, row.approval_id, now=now, run_at=expires)
    look_after(context, connection, row.approval_id, until)
    work.cancel(connection, approvals.REMIND, row.approval_id)
    if (due := remind_at(context, until)) is not None:
        work.add(connection, approvals.REMIND, row.approval_id, now=now, run_at=due)


def asked_live(context: Context, connection: sa.Connection, row: ApprovalRow) -> Inbound | None:
    """Return the owner's own message or tap that requested the call, if any: then somebody waits for its card."""
    asked = inbox.get(connection, row.requested_by)
    live = asked is not None and asked[0].kind in _LIVE and asked[0].sender == context.owner_id()
    return asked[0] if asked and live else None
