"""A reply to a card: which approval it is about, and what of it words could change."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa

from approvals.approval_batch_members import shown_at as flood_shown_at
from approvals.card import shown_of
from approvals.context import Context
from approvals.current_text import current_text
from approvals.decisions import decide_one
from approvals.editable_arguments import parts_of
from approvals.follow_up_offers import offered
from approvals.follow_ups import FollowUpKind, corrections_of, original_of, what_follows
from approvals.outcome_text import outcome, scheduled_for
from approvals.people import Names
from approvals.revise import OLDER
from approvals.states import State, Verb
from approvals.summary_lines import doing, whom
from butler.contract.names import ToolName
from butler.contract.speech import say
from butler.contract.tools import Attachment, Recipient
from butler.provenance import Labels, join, load
from butler.store.queries import approvals, buttons
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind
from butler.tool_invoker import UnknownToolError


@dataclass(frozen=True, slots=True)
class CardDraft:
    """A call as its card shows it, for the reader of a reply to that card."""

    approval_id: str
    revision: int
    state: State
    undo: bool
    """Approved, and can still be taken back."""
    outcome: str
    """The outcome in a sentence; empty while it waits."""
    channel: str
    text: str | None
    """None where the call has no text; the same goes for the following fields."""
    subject: str | None
    recipients: tuple[Recipient, ...]
    attachments: tuple[Attachment, ...]
    labels: Labels
    """Of its text and subject."""
    account: str = ""
    accounts: tuple[str, ...] = ()
    """The accounts that it could go through."""
    listed: bool = False
    """About what was listed for this card alone: other items would have to be listed anew."""
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """As JSON."""
    args_labels: Labels = frozenset()
    """Of all of them together."""
    deletable: bool = False
    """Done, and its card offers to delete it."""
    correctable: bool = False
    """Done, and its present text can be corrected."""
    asked: bool = False
    """The owner has tapped Correct… on its card, and not given the new text yet."""
    not_before: datetime | None = None
    """The time that its card shows for the act, where it waits for one."""
    scheduled: bool = False
    """Approved, and it waits for that time."""

    @property
    def waits(self) -> bool:
        """Whether it waits for an answer, or for its time, so that it can be changed when it takes another answer."""
        return self.state is State.PENDING or self.scheduled


def shown_at(connection: sa.Connection, chat: str, message_ref: str) -> tuple[str, int] | None:
    """Return the approval that a message of a chat shows or showed, and the revision that is shown there."""
    waiting = approvals.in_state(connection, State.PENDING)
    for row in (*waiting, *approvals.recent_in(connection, chat)):
        for ref in row.card_refs:
            if ref.message.chat == chat and message_ref in ref.message.message_ids:
                return row.approval_id, ref.revision
    return flood_shown_at(connection, chat, message_ref)


def draft_of(context: Context, connection: sa.Connection, approval_id: str, now: datetime) -> CardDraft | None:
    """Return an approval as it now is; None where there is none."""
    row = approvals.get(connection, approval_id)
    if row is None:
        return None
    corrects = row.state == State.DONE and what_follows(row) is FollowUpKind.CORRECT
    # A reply to a correction that was made means what it corrected.
    first = original_of(connection, row) if corrects else None
    return _done_draft(context, connection, first or row, now)


def deny(context: Context, connection: sa.Connection, approval_id: str, revision: int, now: datetime) -> str:
    """Deny by the owner's words, as a tap on Deny does; return the approval's new state in words."""
    row = approvals.get(connection, approval_id)
    if row is None or row.revision != revision:
        return say(OLDER)
    verb = Verb.UNDO if scheduled_for(row, now) is not None else Verb.DENY
    decide_one(context, connection, row, verb, context.owner_id(), now)
    return outcome(context, approvals.get(connection, approval_id) or row, now)


def changed_to(context: Context, connection: sa.Connection, row: ApprovalRow) -> str:
    """Say in a line what an edited call does now; empty where it is still what was asked for."""
    if row.revision == 1:
        return ""
    shown = shown_of(context.invoker, row)
    to = whom(shown, Names(connection))
    return doing(context.invoker, row, shown) + (f", {to}" if to else "")


def _done_draft(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> CardDraft:
    """Draft a finished call, with what may still be done about it."""
    draft, may = _draft(context, row, now), offered(context, connection, row, now)
    if not may:
        return draft
    text, labels = current_text(connection, context.invoker, row)
    corrected = str(len(corrections_of(connection, row)))
    asked = buttons.was_used(connection, ButtonKind.APPROVAL, row.approval_id, FollowUpKind.CORRECT, corrected)
    correctable = FollowUpKind.CORRECT in may
    more = {"deletable": FollowUpKind.DELETE in may, "correctable": correctable, "asked": correctable and asked}
    return replace(draft, text=text, labels=labels, **more)


def _draft(context: Context, row: ApprovalRow, now: datetime) -> CardDraft:
    args: dict[str, Any] = json.loads(row.args)
    try:
        spec = context.invoker.spec(row.tool)
        parts, accounts = parts_of(spec, context.invoker.metadata(row.tool)), spec.accounts
        listed = spec.lists
        text, subject = args.get(parts.text), args.get(parts.subject)
    except UnknownToolError:
        text = subject = None
        parts, accounts, listed = None, (), False
    names = (parts.text, parts.subject) if parts else ()
    people = _people(args.get(parts.recipients)) if parts else ()
    return CardDraft(
        approval_id=row.approval_id,
        revision=row.revision,
        state=State(row.state),
        undo=row.state == State.APPROVED and row.execute_at is not None and row.execute_at > now,
        outcome="" if row.state == State.PENDING else outcome(context, row, now),
        channel=ToolName.parse(row.tool).channel,
        text=text,
        subject=subject,
        recipients=people,
        attachments=shown_of(context.invoker, row).attachments,
        labels=join(load(row.labels.get(name, ())) for name in names),
        account=row.account,
        accounts=accounts,
        listed=listed,
        tool=row.tool,
        args=args,
        args_labels=join(map(load, row.labels.values())),
        not_before=row.not_before,
        scheduled=scheduled_for(row, now) is not None,
    )


def _people(value: Any) -> tuple[Recipient, ...]:
    if value is None:
        return ()
    listed = cast("list[Any]", value) if isinstance(value, list) else [value]
    return tuple(Recipient(address=one) if isinstance(one, str) else Recipient.model_validate(one) for one in listed)
