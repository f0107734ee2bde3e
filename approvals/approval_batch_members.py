"""Approval batches: a call joins a digest card when three similar calls already wait on cards of their own.

There is one open batch for each chat, tool, account and risk. Members keep their own states; they share only the
display. When the owner asks for one more, the card moves down below their message: a change far above would look like
no answer.
"""

import uuid
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from approvals.approval_batch_card import item_card, utmost
from approvals.context import Context
from approvals.frozen import sha256
from approvals.people import Names
from approvals.quiet_hours import asked_live, was_asked_for
from approvals.risk import Risk
from approvals.states import State
from butler.store.queries import approval_batches, approvals, audit, work
from butler.store.queries.approval_batches import SHOW_BATCH, ApprovalBatchRow, ApprovalBatchState
from butler.store.queries.approvals import ApprovalRow, CardRef

OWN_CARDS = 3
"""How many calls of the same tool, account and risk wait on cards of their own before a digest card begins."""
MOST = 100
"""The most calls on one digest card: more would not be read, and would take too long to decide in one step."""


def joins(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> bool:
    """Return whether a digest card shows an approval instead of its own card; add it to a batch if it must join."""
    if row.batch_id is not None:
        return not has_own_card(row)
    if row.state != State.PENDING or row.card_refs or row.risk == Risk.HIGHEST or row.not_before is not None:
        return False
    chat = context.chat_of(row.chat)
    if approval_batches.count_shown(connection, {row.chat, chat}, row) < OWN_CARDS:
        return False
    if was_asked_for(connection, row):
        return False
    if context.channel.pages(item_card(context, row, Names(connection), utmost(), (), now)) > 1:
        return False
    batch = approval_batches.open_for(connection, chat, row, most=MOST)
    if batch is None:
        batch = ApprovalBatchRow(uuid.uuid4().hex, chat, row.tool, row.risk, now)
        approval_batches.insert(connection, batch)
    if _asked_here(context, connection, batch, row):
        bring_down(connection, batch, row)
    approval_batches.set_batch(connection, row.approval_id, batch.batch_id)
    audit.append(connection, "batch.joined", row.approval_id, "butler", {"batch": batch.batch_id}, now)
    redraw_batch(connection, batch, now)
    return True


def _asked_here(context: Context, connection: sa.Connection, batch: ApprovalBatchRow, row: ApprovalRow) -> bool:
    """Return whether this call is the batch's first from a message or tap of the owner's in this chat."""
    asked = asked_live(context, connection, row)
    here = asked is not None and asked.chat == batch.chat
    return here and not approval_batches.has_any_of(connection, batch.batch_id, row.requested_by)


def bring_down(connection: sa.Connection, batch: ApprovalBatchRow, row: ApprovalRow) -> None:
    """Have the digest card sent anew, with this approval on display, and its earlier messages deleted."""
    left = (replace(ref, leaving=True) for ref in batch.card_refs)
    revision = batch.revision + 1
    approval_batches.change(connection, batch.batch_id, showing=row.approval_id, revision=revision, card_refs=left)


def stay(connection: sa.Connection, batch: ApprovalBatchRow) -> None:
    """Cancel the move down the chat, since the approval that caused it is decided: the messages stay in place."""
    refs = (replace(ref, leaving=ref.retired) for ref in batch.card_refs)
    approval_batches.change(connection, batch.batch_id, card_refs=refs)


def leave(connection: sa.Connection, batch: ApprovalBatchRow, row: ApprovalRow, now: datetime) -> None:
    """Move a member that no longer fits on the digest to a card of its own."""
    approval_batches.set_batch(connection, row.approval_id, None)
    audit.append(connection, "batch.left", row.approval_id, "butler", {"batch": batch.batch_id}, now)
    if not approval_batches.count_waiting(connection, batch.batch_id):
        approval_batches.change(connection, batch.batch_id, state=ApprovalBatchState.CLOSED)


def member_changed(connection: sa.Connection, row: ApprovalRow, now: datetime) -> bool:
    """Handle a change or decision of a member, whose present state is `row`.

    The member counts as unseen, and its digest is redrawn. Return True if nothing else has to be drawn, and False for
    an approval with a card of its own, whether a member or not.
    """
    batch = approval_batches.get(connection, row.batch_id) if row.batch_id is not None else None
    if batch is None:
        return False
    waits = approval_batches.count_waiting(connection, batch.batch_id) > 0
    approval_batches.change(
        connection,
        batch.batch_id,
        seen={one: revision for one, revision in batch.seen.items() if one != row.approval_id},
        state=ApprovalBatchState.OPEN if waits else ApprovalBatchState.CLOSED,
        revision=batch.revision + (row.approval_id == batch.showing),
    )
    redraw_batch(connection, batch, now)
    return not has_own_card(row)


def redraw_batch(connection: sa.Connection, batch: ApprovalBatchRow, now: datetime) -> None:
    """Queue the drawing of a digest card in its turn among its chat's messages; several changes share one drawing."""
    approval_batches.change(connection, batch.batch_id, version=batch.version + 1)
    work.cancel(connection, SHOW_BATCH, batch.batch_id)
    work.add(connection, SHOW_BATCH, batch.batch_id, now=now, lane=f"out:{batch.chat}")


def standing(batch: ApprovalBatchRow) -> list[CardRef]:
    """Return the messages that show the digest, without those that it has left or is about to leave."""
    return [ref for ref in batch.card_refs if not ref.leaving]


def to_take_away(batch: ApprovalBatchRow) -> list[CardRef]:
    """Return the messages that the digest leaves as it moves down and that still exist."""
    return [ref for ref in batch.card_refs if ref.leaving and not ref.retired]


def is_drawn(batch: ApprovalBatchRow) -> bool:
    """Return whether all of the digest's messages show its present version, and none has yet to be deleted."""
    shown = standing(batch)
    return bool(shown) and not to_take_away(batch) and all(ref.revision == batch.version for ref in shown)


def has_own_card(row: ApprovalRow) -> bool:
    """Return whether a member also has its own card: from the moment that the owner must look at it, and ever after."""
    return row.state == State.UNKNOWN or bool(row.card_refs)


def waiting(members: Iterable[ApprovalRow]) -> list[ApprovalRow]:
    """Return the members that nobody has decided."""
    return [row for row in members if row.state == State.PENDING]


def in_undo_window(members: Iterable[ApprovalRow]) -> list[ApprovalRow]:
    """Return the members that were approved and can still be taken back."""
    return [row for row in members if row.state == State.APPROVED and may_undo(row)]


def may_undo(row: ApprovalRow) -> bool:
    """Return whether the approval left an undo window."""
    return None not in {row.execute_at, row.decided_at} and row.execute_at != row.decided_at


def unseen(batch: ApprovalBatchRow, rows: Iterable[ApprovalRow]) -> list[ApprovalRow]:
    """Return the members that were not shown whole in their present version."""
    return [row for row in rows if batch.seen.get(row.approval_id) != row.revision]


def digest_of(rows: Sequence[ApprovalRow]) -> str:
    """Return the digest that a button for all of these is bound to: each approval at its revision."""
    return sha256("\n".join(sorted(f"{row.approval_id}:{row.revision}" for row in rows)))


def learn_refs(connection: sa.Connection, batch: ApprovalBatchRow, shown: Sequence[CardRef]) -> None:
    """Record that messages show a version of a batch; version 0 only adds unknown messages."""
    refs = {ref.message.message_ids: ref for ref in batch.card_refs}
    for ref in shown:
        known = refs.get(ref.message.message_ids, ref)
        refs[ref.message.message_ids] = replace(known, revision=ref.revision or known.revision)
    approval_batches.change(connection, batch.batch_id, card_refs=refs.values())


def shown_at(connection: sa.Connection, chat: str, message_ref: str) -> tuple[str, int] | None:
    """Return the approval that a digest card's message shows and its revision, if the batch is open.

    While the card is being drawn, the page may have turned before or after its reader looked: the revision is then 0,
    which no approval has. The same goes for a message that the card has left.
    """
    for batch in approval_batches.all_open(connection):
        if (ref := message_of(batch, chat, message_ref)) is not None:
            shown = approvals.get(connection, batch.showing)
            stands = is_drawn(batch) and not ref.leaving
            return (shown.approval_id, shown.revision if stands else 0) if shown else None
    return None


def message_of(batch: ApprovalBatchRow, chat: str, message_ref: str) -> CardRef | None:
    """Return the message of a batch that is, or was, at this place."""
    here = (ref for ref in batch.card_refs if ref.message.chat == chat)
    return next((ref for ref in here if message_ref in ref.message.message_ids), None)
