"""Handles a reply to a card: which approval the reply is about, and what of it words can change."""

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
    """Whether it is approved and can still be taken back."""
    outcome: str
    """The outcome in words; empty while the call waits."""
    channel: str
    text: str | None
    """None if the call has no text; likewise for the following fields."""
    subject: str | None
    recipients: tuple[Recipient, ...]
    attachments: tuple[Attachment, ...]
    labels: Labels
    """The labels of its text and subject."""
    account: str = ""
    accounts: tuple[str, ...] = ()
    """The accounts that the call could go through."""
    listed: bool = False
    """Whether it is about items listed for this card alone: other items would need a new listing."""
    tool: str = ""
    args: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The arguments as JSON values."""
    args_labels: Labels = frozenset()
    """The labels of all arguments together."""
    deletable: bool = False
    """Whether it is done, and its card offers to delete it."""
    correctable: bool = False
    """Whether it is done, and its present text can be corrected."""
    asked: bool = False
    """Whether the owner has tapped Correct… on its card, and not given the new text yet."""
    not_before: datetime | None = None
    """The time of the act that its card shows, if it waits for one."""
    scheduled: bool = False
    """Whether it is approved and waits for that time."""

    @property
    def waits(self) -> bool:
        """Return whether the call waits for an answer or its time: then it can be changed, and needs a new answer."""
        return self.state is State.PENDING or self.scheduled


def shown_at(connection: sa.Connection, chat: str, message_ref: str) -> tuple[str, int] | None:
    """Return the approval that a message of a chat shows or showed, and the revision shown there."""
    waiting = approvals.in_state(connection, State.PENDING)
    for row in (*waiting, *approvals.recent_in(connection, chat)):
        for ref in row.card_refs:
            if ref.message.chat == chat and message_ref in ref.message.message_ids:
                return row.approval_id, ref.revision
    return flood_shown_at(connection, chat, message_ref)


def draft_of(context: Context, connection: sa.Connection, approval_id: str, now: datetime) -> CardDraft | None:
    """Return an approval in its present state; None if there is none."""
    row = approvals.get(connection, approval_id)
    if row is None:
        return None
    corrects = row.state == State.DONE and what_follows(row) is FollowUpKind.CORRECT
    # A reply to a completed correction refers to the corrected message.
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
    """Return in one line what an edited call does now; empty if it was not edited."""
    if row.revision == 1:
        return ""
    shown = shown_of(context.invoker, row)
    to = whom(shown, Names(connection))
    return doing(context.invoker, row, shown) + (f", {to}" if to else "")


def _done_draft(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> CardDraft:
    """Build the draft of a finished call, with the follow-ups that are still possible."""
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
