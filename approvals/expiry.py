"""Work handlers for cards that nobody answers: one reminder, then expiry, which is no denial and is told as itself."""

from datetime import UTC, datetime

import sqlalchemy as sa

from approvals.card import shown_of
from approvals.context import Context
from approvals.people import Names
from approvals.states import State
from approvals.transition import transition
from approvals.visible import visible_address, visible_line
from approvals.words import act
from butler.contract.card import OwnerMessage, plain
from butler.contract.tools import Preview
from butler.store.queries import approvals, outbox, work
from butler.store.queries.approvals import ApprovalRow

BEGINNING = 80
"""Characters of a text that such a line shows."""
SHOWN = 3
"""Recipients that a line about a card names; the card itself names all."""


def remind_at(context: Context, now: datetime) -> datetime | None:
    """When the one reminder of a card made now is due: half of its time, but never in quiet hours."""
    due = _after_quiet(context, now + context.settings.expires / 2)
    return due if due < now + context.settings.expires else None


def _after_quiet(context: Context, at: datetime) -> datetime:
    quiet = context.settings.quiet_hours
    until = quiet.until(at.astimezone(context.zone)) if quiet else None
    return until.astimezone(UTC) if until else at


def expire(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    """Close a card that nobody answered, and tell the requester."""
    if transition(connection, row, State.EXPIRED, actor="butler", now=now, detail="nobody answered in time"):
        nothing = act(row.tool, "nothing was sent", "nothing was done")
        tell(context, connection, row, now, f"Nobody answered in time, so this has expired and {nothing}", "expired")


def expire_stale(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    """Close what was approved but could not be done for too long, and tell the requester."""
    detail = "Butler was down for too long after your yes"
    if transition(connection, row, State.EXPIRED, actor="butler", now=now, detail=detail):
        nothing = act(row.tool, "Nothing was sent", "Nothing was done")
        tell(context, connection, row, now, f"I was down for too long after your yes. {nothing}", "stale")


def tell(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime, text: str, key: str) -> None:
    """Say something about an approval in its chat, once, as a reply to its card. Before pairing there is nobody."""
    names = Names(connection)
    chat = context.chat_of(row.chat)
    if not chat:
        return
    preview = shown_of(context.invoker, row)
    to = ", ".join(_recipient(recipient.address, names) for recipient in preview.recipients[:SHOWN])
    more = len(preview.recipients) - SHOWN
    whom = f" (to {to}{f' and {more} more' if more > 0 else ''})" if to else ""
    card = row.card_refs[-1].message.message_ids[-1] if row.card_refs else None
    outbox.add(
        connection,
        chat,
        OwnerMessage(text=plain(f"{text}: {visible_line(preview.effect)}{whom}{_beginning(preview)}."), reply_to=card),
        now=now,
        dedup_key=f"approval:{row.approval_id}:{row.revision}:{key}",
    )


def _recipient(address: str, names: Names) -> str:
    name = names.of(address)
    return f"{visible_line(name)} at {visible_address(address)}" if name else visible_address(address)


def _beginning(preview: Preview) -> str:
    """How the text begins, so that cards can be told apart."""
    text = " ".join((preview.body or preview.subject).split())
    cut = text if len(text) <= BEGINNING else f"{text[: BEGINNING - 1].rstrip()}…"
    return f": “{visible_line(cut)}”" if cut else ""


class Expiry:
    """Handles `expire_approval` and `remind_approval`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def expire(self, approval_id: str) -> None:
        """Expire what is still pending."""
        await self._context.store.write(lambda c: self._expire(c, approval_id), "approval.expire")
        self._context.wake()

    async def remind(self, approval_id: str) -> None:
        """Remind of what is still pending."""
        await self._context.store.write(lambda c: self._remind(c, approval_id), "approval.remind")
        self._context.wake()

    def _expire(self, connection: sa.Connection, approval_id: str) -> None:
        now = self._context.clock.now()
        row = approvals.get(connection, approval_id)
        if row is None or row.state != State.PENDING:
            return
        if now < row.expires_at:
            # The clock went back, or the row's time was moved: look again then.
            work.add(connection, approvals.EXPIRE, approval_id, now=now, run_at=row.expires_at)
            return
        expire(self._context, connection, row, now)

    def _remind(self, connection: sa.Connection, approval_id: str) -> None:
        now = self._context.clock.now()
        row = approvals.get(connection, approval_id)
        if row is None or row.state != State.PENDING or now >= row.expires_at:
            return
        later = _after_quiet(self._context, now)
        if later > now:
            # A downtime carried the reminder into the quiet hours.
            work.add(connection, approvals.REMIND, approval_id, now=now, run_at=later)
            return
        until = self._context.wall_time(row.expires_at)
        tell(self._context, connection, row, now, f"This still waits for your answer, until {until}", "reminder")
