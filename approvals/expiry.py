"""Work handlers for unanswered cards: one reminder, then expiry, which is reported as such and not as a denial."""

from collections.abc import Sequence
from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.approval_batch_card import FULL_LIST, kind_of
from approvals.approval_batch_members import standing, waiting
from approvals.context import Context
from approvals.outcome_text import act
from approvals.people import Names
from approvals.quiet_hours import after_quiet
from approvals.states import State
from approvals.summary_lines import described
from approvals.transition import transition
from butler.contract.card import OwnerMessage, plain
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import say
from butler.store.queries import approval_batches, approvals, outbox, work
from butler.store.queries.approvals import ApprovalRow, CardRef

UNANSWERED = Reason(ReasonCode.UNANSWERED)
DOWN = Reason(ReasonCode.DOWN_AFTER_YES)
TOGETHER = timedelta(minutes=5)
"""Members of one digest card whose expiry times are at most this far apart expire together."""


def expire(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    """Expire an unanswered card, with overdue members of its digest card; inform the requester."""
    late = [other for other in _companions(connection, row, State.PENDING) if now >= other.expires_at]
    ended = _end(connection, [row, *late], UNANSWERED, now)
    if ended:
        _say(context, connection, ended[0], now, _expired(context, connection, ended), _key(ended[0], "expired"))


def expire_stale(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    """Expire an approved call that could not be made for too long, with others of its digest; tell the requester."""
    oldest = now - context.settings.stale_after
    approved = _companions(connection, row, State.APPROVED)
    late = [other for other in approved if other.execute_at is not None and other.execute_at < oldest]
    ended = _end(connection, [row, *late], DOWN, now)
    if ended:
        _say(context, connection, ended[0], now, _stale(context, connection, ended), _key(ended[0], "stale"))


def _expired(context: Context, connection: sa.Connection, ended: Sequence[ApprovalRow]) -> str:
    tool, count = ended[0].tool, len(ended)
    if count == 1:
        what = described(context.invoker, ended[0], Names(connection))
        return act(
            tool,
            say("Nobody answered in time, so this has expired and nothing was sent: {what}.", what=what),
            say("Nobody answered in time, so this has expired and nothing was done: {what}.", what=what),
        )
    what = kind_of(context.invoker, tool, ended[0].account)
    text = act(
        tool,
        say("Nobody answered in time, so {count} have expired and nothing was sent: {what}.", count=count, what=what),
        say("Nobody answered in time, so {count} have expired and nothing was done: {what}.", count=count, what=what),
    )
    return f"{text} {_all_of_them()}"


def _stale(context: Context, connection: sa.Connection, ended: Sequence[ApprovalRow]) -> str:
    tool, count = ended[0].tool, len(ended)
    if count == 1:
        what = described(context.invoker, ended[0], Names(connection))
        return act(
            tool,
            say("I was down for too long after your yes. Nothing was sent: {what}.", what=what),
            say("I was down for too long after your yes. Nothing was done: {what}.", what=what),
        )
    what = kind_of(context.invoker, tool, ended[0].account)
    text = act(
        tool,
        say("I was down for too long after your yes. Nothing was sent of {count}: {what}.", count=count, what=what),
        say("I was down for too long after your yes. Nothing was done of {count}: {what}.", count=count, what=what),
    )
    return f"{text} {_all_of_them()}"


def _all_of_them() -> str:
    return say("All of them: {command}", command=FULL_LIST)


def _say(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime, text: str, key: str) -> None:
    """Send a text about an approval to its chat, once, as a reply to its card; nothing before pairing."""
    chat = context.chat_of(row.chat)
    if chat:
        refs = _refs(connection, row)
        card = refs[-1].message.message_ids[-1] if refs else None
        outbox.add(connection, chat, OwnerMessage(text=plain(text), reply_to=card), now=now, dedup_key=key)


def _key(row: ApprovalRow, what: str) -> str:
    return f"approval:{row.approval_id}:{row.revision}:{what}"


def _refs(connection: sa.Connection, row: ApprovalRow) -> Sequence[CardRef]:
    """Return the messages that show an approval: its own card, or the digest card."""
    batch = approval_batches.get(connection, row.batch_id) if row.batch_id is not None else None
    return row.card_refs or (standing(batch) if batch else ())


def _companions(connection: sa.Connection, row: ApprovalRow, state: State) -> list[ApprovalRow]:
    """Return the other members of the same digest card that are in this state."""
    if row.batch_id is None:
        return []
    members = approval_batches.members(connection, row.batch_id)
    return [other for other in members if other.state == state and other.approval_id != row.approval_id]


def _end(connection: sa.Connection, rows: Sequence[ApprovalRow], why: Reason, now: datetime) -> list[ApprovalRow]:
    return [row for row in rows if transition(connection, row, State.EXPIRED, actor="butler", now=now, detail=(why,))]


class Expiry:
    """Handles `expire_approval` and `remind_approval`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def expire(self, approval_id: str) -> None:
        """Expire an approval that is still pending."""
        await self._context.store.write(lambda c: self._expire(c, approval_id), "approval.expire")
        self._context.wake()

    async def remind(self, approval_id: str) -> None:
        """Remind the owner of an approval that is still pending."""
        await self._context.store.write(lambda c: self._remind(c, approval_id), "approval.remind")
        self._context.wake()

    def _expire(self, connection: sa.Connection, approval_id: str) -> None:
        now = self._context.clock.now()
        row = approvals.get(connection, approval_id)
        if row is None or row.state != State.PENDING:
            return
        due = _due(connection, row)
        if now < due:
            # The clock went back, the row's time was moved, or others of its digest card follow soon: check again then.
            work.add(connection, approvals.EXPIRE, approval_id, now=now, run_at=due)
            return
        expire(self._context, connection, row, now)

    def _remind(self, connection: sa.Connection, approval_id: str) -> None:
        now = self._context.clock.now()
        row = approvals.get(connection, approval_id)
        if row is None or row.state != State.PENDING or now >= row.expires_at:
            return
        later = after_quiet(self._context, now)
        if later > now:
            # A downtime moved the reminder into the quiet hours.
            work.add(connection, approvals.REMIND, approval_id, now=now, run_at=later)
            return
        if row.batch_id is not None:
            self._remind_of_all(connection, row, row.batch_id, now)
            return
        until = self._context.wall_time(row.expires_at)
        what = described(self._context.invoker, row, Names(connection))
        text = say("This still waits for your answer, until {until}: {what}.", until=until, what=what)
        _say(self._context, connection, row, now, text, _key(row, "reminder"))

    def _remind_of_all(self, connection: sa.Connection, row: ApprovalRow, batch_id: str, now: datetime) -> None:
        """Remind once for the whole digest card, whichever member's reminder is due."""
        rows = waiting(approval_batches.members(connection, batch_id))
        until = self._context.wall_time(min(other.expires_at for other in rows))
        kind = kind_of(self._context.invoker, row.tool, row.account)
        text = say(
            "Still waiting for your answer, the first until {until}: {count} {kind}.",
            until=until,
            count=len(rows),
            kind=kind,
        )
        _say(self._context, connection, row, now, text, f"batch:{batch_id}:reminder")


def _due(connection: sa.Connection, row: ApprovalRow) -> datetime:
    """Return when to expire a row: at its time, or with the last of the digest's members that expire soon after."""
    others = _companions(connection, row, State.PENDING)
    first = min(other.expires_at for other in (row, *others))
    until = max(row.expires_at, first + TOGETHER)
    return max(other.expires_at for other in (row, *others) if other.expires_at <= until)
