"""Finds the cause of a butler's message in the rows, by its outbox key."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

import sqlalchemy as sa

from butler.contract.events import Event
from butler.contract.inbound import Inbound
from butler.store.queries import approval_batches, approvals, audit, bulk, events, inbox, plans
from butler.store.queries.approvals import ApprovalRow, AttemptRow
from butler.store.queries.audit import AuditRow
from butler.store.queries.plans import PlanRow
from butler.store.tables import approvals as approvals_table
from butler.store.tables import automation_firings, firings, outbox
from butler.store.tables import plans as plans_table

OF_ITEM = frozenset(
    {"turn", "draft", "heard", "files", "unread", "warned", "by_mail", "withdrawn", "mail", "pin", "automation"}
)
"""The key prefix of a message that answers an inbound item; its id follows."""
MOST = 40
"""The most entries of the audit log for one card."""
OF_RUN = frozenset({"bulk", "bulk-file"})
"""The key prefix of messages about a bulk run; the run's id follows."""
OF_EVENT = frozenset({"alerts", "hook_told"})
"""The key prefix of messages about an event."""


@dataclass(frozen=True, slots=True)
class Firing:
    """A time, or an event, that was acted on."""

    kind: str
    """`reminder`, `digest`, ... or `automation`."""
    subject: str
    at: datetime
    event_id: str = ""


@dataclass(frozen=True, slots=True)
class Trail:
    """All rows that led to a message, as far as known."""

    message_id: str = ""
    key: str = ""
    item: Inbound | None = None
    plans: Sequence[PlanRow] = ()
    firings: Sequence[Firing] = ()
    approvals: Sequence[ApprovalRow] = ()
    attempts: Sequence[AttemptRow] = ()
    entries: Sequence[AuditRow] = field(default=())
    event: Event | None = None
    """The event that the message reports."""


def of_message(connection: sa.Connection, message_id: str) -> Trail | None:
    """Return what led to a message of the outbox."""
    key = connection.execute(
        sa.select(outbox.c.dedup_key).where(outbox.c.message_id == message_id)
    ).scalar_one_or_none()
    if (
        key is None
        and not connection.execute(sa.select(outbox.c.message_id).where(outbox.c.message_id == message_id)).first()
    ):
        return None
    return _trail(connection, message_id, key or "")


def of_approval(connection: sa.Connection, approval_id: str, message_id: str = "", key: str = "") -> Trail | None:
    """Return what led to a card, or to a message about it."""
    row = approvals.get(connection, approval_id)
    if row is None:
        return None
    plan = plans.get(connection, row.plan_id) if row.plan_id else None
    return _with(connection, message_id, key, row.requested_by, [plan] if plan else [], [row])


def of_id(connection: sa.Connection, wanted: str) -> Trail | None:
    """Return what led to, or followed from, the message, approval, plan or inbound item with an id."""
    if (found := of_message(connection, wanted) or of_approval(connection, wanted)) is not None:
        return found
    if plans.get(connection, wanted) is not None or inbox.get(connection, wanted) is not None:
        return _trail(connection, "", wanted if plans.get(connection, wanted) else f"turn:{wanted}")
    begins = approvals.beginning_with(connection, wanted) if wanted else []
    return of_approval(connection, begins[0].approval_id) if len(begins) == 1 else None


def of_last(connection: sa.Connection, chat: str) -> Trail | None:
    """Return what led to the last message or question in a chat."""
    query = sa.select(outbox.c.message_id, outbox.c.sent_at).where(outbox.c.chat == chat, outbox.c.state == "sent")
    result = connection.execute(query.order_by(outbox.c.sent_at.desc()).limit(1)).first()
    card = next((row for row in approvals.recent_in(connection, chat) if row.card_refs), None)
    if card is not None and (result is None or card.created_at > result.sent_at):
        return of_approval(connection, card.approval_id)
    return None if result is None else of_message(connection, result.message_id)


def _trail(connection: sa.Connection, message_id: str, key: str) -> Trail:
    begins, _, rest = key.partition(":")
    if begins == "approval":
        return of_approval(connection, rest.split(":")[0], message_id, key) or Trail(message_id, key)
    if begins == "batch":
        members = approval_batches.members(connection, rest.split(":")[0])
        return _with(connection, message_id, key, members[0].requested_by if members else "", [], members)
    if begins in OF_RUN and (row := _card_of_run(connection, rest.split(":")[0])) is not None:
        return of_approval(connection, row.approval_id, message_id, key) or Trail(message_id, key)
    # A command that was a step of a plan is answered under its call.
    of_plan = rest if begins == "progress" else rest.split(":")[0] if begins == "turn" else begins
    if (plan := plans.get(connection, of_plan)) is not None:
        return _with(connection, message_id, key, plan.inbound_id, [plan], ())
    if begins in OF_EVENT and (event := events.get(connection, rest)) is not None:
        return Trail(message_id, key, event=event)
    inbound_id = _item_of(connection, rest) if begins in OF_ITEM else ""
    return _with(connection, message_id, key, inbound_id, (), ())


def _card_of_run(connection: sa.Connection, run_id: str) -> ApprovalRow | None:
    """Return the card that approved a run; undo and retry use a button below the first run's card."""
    run = bulk.get(connection, run_id)
    while run is not None and run.call_id is None:
        before = run.undo_of or run.retry_of
        run = bulk.get(connection, before) if before else None
    return approvals.by_call(connection, run.call_id) if run is not None and run.call_id else None


def _item_of(connection: sa.Connection, rest: str) -> str:
    """Return the inbox item whose id a key begins with; ids may contain colons themselves, and more may follow."""
    parts = rest.split(":")
    beginnings = (":".join(parts[:count]) for count in range(len(parts), 0, -1))
    return next((one for one in beginnings if inbox.state(connection, one) is not None), "")


def _with(
    connection: sa.Connection,
    message_id: str,
    key: str,
    inbound_id: str,
    known: Sequence[PlanRow],
    cards: Sequence[ApprovalRow],
) -> Trail:
    """Add all rows connected with what is known."""
    item = inbox.get(connection, inbound_id) if inbound_id else None
    made = list(known) or _plans_of(connection, inbound_id)
    cards = list(cards) or [row for plan in made for row in _cards_of(connection, plan.plan_id)]
    entries = [entry for row in cards for entry in audit.rows(connection, row.approval_id, MOST)[::-1]]
    return Trail(
        message_id,
        key,
        item[0] if item else None,
        made,
        _firings(connection, message_id, [plan.plan_id for plan in made]),
        cards,
        [attempt for row in cards for attempt in approvals.attempts_of(connection, row.approval_id)],
        entries,
    )


def _plans_of(connection: sa.Connection, inbound_id: str) -> list[PlanRow]:
    if not inbound_id:
        return []
    ids = connection.execute(
        sa.select(plans_table.c.plan_id)
        .where(plans_table.c.inbound_id == inbound_id)
        .order_by(plans_table.c.created_at)
    ).scalars()
    return [plan for plan_id in ids if (plan := plans.get(connection, plan_id)) is not None]


def _cards_of(connection: sa.Connection, plan_id: str) -> list[ApprovalRow]:
    ids = connection.execute(
        sa.select(approvals_table.c.approval_id)
        .where(approvals_table.c.plan_id == plan_id)
        .order_by(approvals_table.c.created_at)
    ).scalars()
    return [row for one in ids if (row := approvals.get(connection, one)) is not None]


def _firings(connection: sa.Connection, message_id: str, plan_ids: Sequence[str]) -> list[Firing]:
    found: list[Firing] = []
    if message_id:
        rows = connection.execute(
            sa.select(firings.c.kind, firings.c.subject, firings.c.due_at).where(firings.c.message_id == message_id)
        )
        found += [Firing(row.kind, row.subject, row.due_at) for row in rows]
    table = automation_firings
    where = table.c.plan_id.in_(list(plan_ids))
    if message_id:
        where |= table.c.message_id == message_id
    rows = connection.execute(sa.select(table.c.automation_id, table.c.event_id, table.c.at).where(where))
    return [*found, *(Firing("automation", row.automation_id, row.at, row.event_id) for row in rows)]
