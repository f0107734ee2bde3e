"""The only way to change an approval's state: a compare-and-set with audit row and work rows, in one transaction."""

from collections.abc import Iterator
from datetime import datetime
from typing import Unpack

import sqlalchemy as sa

from approvals.approval_batch_members import member_changed
from approvals.states import TRANSITIONS, State
from butler.contract.reasons import dump_reasons
from butler.store.queries import approvals, audit, email_fallbacks, event_publisher, work
from butler.store.queries.approvals import ApprovalRow, Changes
from butler.store.queries.plans import PLAN_STEP
from butler.store.queries.work import NewWork
from config.errors import Bug

_WHILE_PENDING = (approvals.EXPIRE, approvals.REMIND, email_fallbacks.SEND_FALLBACK)
IN_FLIGHT = frozenset({State.PENDING, State.APPROVED, State.EXECUTING})


def transition(
    connection: sa.Connection, row: ApprovalRow, new: State, *, actor: str, now: datetime, **changes: Unpack[Changes]
) -> ApprovalRow | None:
    """Move an approval on from the state of `row`; return its new row, or None if it had moved meanwhile.

    Raises `Bug` for a transition that does not exist.
    """
    old = State(row.state)
    if new not in TRANSITIONS[old]:
        raise Bug(f"an approval cannot go from {old} to {new}")
    if new not in IN_FLIGHT:
        changes["finished_at"] = now
    moved = approvals.move(connection, row.approval_id, row.revision, old, new, **changes)
    if moved is None:
        return None
    data = {
        "from": old.value,
        "to": new.value,
        "revision": row.revision,
        "detail": dump_reasons(changes.get("detail", ())),
    }
    audit.append(connection, f"approval.{new}", row.approval_id, actor, data, now)
    work.cancel_all(connection, _overtaken(old, new), row.approval_id)
    if new not in IN_FLIGHT:
        email_fallbacks.ended(connection, row.approval_id, now)
    work.add_all(connection, _following(connection, moved, now), now=now)
    event_publisher.approval_moved(connection, moved, old.value, new.value, now)
    return moved


def redraw(connection: sa.Connection, row: ApprovalRow, *, now: datetime) -> None:
    """Queue the drawing of an approval, wherever it is shown, in turn among the messages of its chat."""
    work.cancel(connection, approvals.SHOW_CARD, row.approval_id)
    current = approvals.get(connection, row.approval_id) or row
    work.add_all(connection, _drawing(connection, current, now), now=now)


def _overtaken(old: State, new: State) -> tuple[str, ...]:
    """Return the kinds of work that a transition makes unnecessary."""
    if old is State.PENDING:
        return (*_WHILE_PENDING, approvals.SHOW_CARD)
    if old is State.APPROVED and new is not State.EXECUTING:
        return (approvals.EXECUTE, approvals.SHOW_CARD)
    return (approvals.SHOW_CARD,)


def _following(connection: sa.Connection, moved: ApprovalRow, now: datetime) -> Iterator[NewWork]:
    """Yield the work that follows a transition."""
    yield from _drawing(connection, moved, now)
    if moved.state == State.APPROVED:
        yield NewWork(approvals.EXECUTE, moved.approval_id, run_at=moved.execute_at, wait=moved.wait(now))
    if moved.plan_id is not None and moved.state not in IN_FLIGHT:
        yield NewWork(PLAN_STEP, moved.plan_id)


def _drawing(connection: sa.Connection, row: ApprovalRow, now: datetime) -> Iterator[NewWork]:
    """Yield the work that draws an approval's own card; none if only a digest card shows it."""
    if not member_changed(connection, row, now):
        yield NewWork(approvals.SHOW_CARD, row.approval_id, lane=f"out:{row.chat}")
