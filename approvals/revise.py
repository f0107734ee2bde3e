"""Changes a waiting card for the owner: keeps the old version, and freezes, judges and asks about the new one.

An edited call always asks, even if it would otherwise pass: an owner who changes a card means to look at it again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, TypeVar

import sqlalchemy as sa
from pydantic import ValidationError

from approvals.accounts import moved, resolved
from approvals.bindings import bound_to
from approvals.card import frozen_of
from approvals.clocks import keeps_zone
from approvals.context import Context
from approvals.editable_arguments import EditableArguments, parts_of
from approvals.email_fallback_due import look_after
from approvals.expiry import expire
from approvals.frozen import ChangedSinceShownError, FrozenCall, as_sent, freeze, thaw
from approvals.outcome_text import scheduled_for
from approvals.policy import Decision
from approvals.preview import NoWordsError
from approvals.quiet_hours import remind_at
from approvals.reason_words import in_words
from approvals.request import Assessment, assess
from approvals.standing_rules import recipients_of
from approvals.states import State
from approvals.transition import redraw
from butler.contract.door import explain
from butler.contract.errors import Refuse
from butler.contract.provenance import Origin, Trust
from butler.contract.reasons import Reason, ReasonCode, dump_reasons
from butler.contract.speech import phrase, say
from butler.contract.tools import ZONE, Attachment, Recipient, ToolSpec
from butler.provenance import Labels, dump, load
from butler.store.queries import approvals, audit, revisions, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.revisions import NewVersion, RevisionRow
from butler.tool_invoker import ACCOUNT, UnknownAccountError, UnknownToolError

T = TypeVar("T")

NOBODY_KNOWS = frozenset({Origin(trust=Trust.UNTRUSTED, source="unknown", shown_as=phrase("nobody knows whom"))})
BY_TIME = "time"
"""The placeholder for the inbound item that changed a call, if the passing of its time did."""
OLDER = phrase("This is an older version of that card; reply to the newest one. Nothing was changed.")
DECIDED = phrase("This card does not wait any more. Nothing was changed.")
EXPIRED = phrase("This card has expired meanwhile. Nothing was changed, and nothing was done.")
SAME = phrase("That is what the card says already, so nothing was changed.")
TOOL_CHANGED = phrase(
    "What this card would do has changed since it was asked for, so it cannot be edited. Ask me anew."
)


class CannotChangeError(Refuse):
    """This call cannot be changed so; `detail` is the sentence that says why."""


@dataclass(frozen=True, slots=True)
class NewValue(Generic[T]):
    """A new value and its provenance. With `partly`, it contains some of the old value, which keeps its labels."""

    value: T
    origins: Labels
    partly: bool = False


@dataclass(frozen=True, slots=True)
class Change:
    """The owner's changes to a call; None leaves a part as it is."""

    by: str
    """The inbound item with the owner's words."""
    text: NewValue[str] | None = None
    subject: NewValue[str] | None = None
    recipients: NewValue[tuple[Recipient, ...]] | None = None
    dropped: NewValue[tuple[Attachment, ...]] | None = None
    """Attachments to remove; none can be added."""
    account: NewValue[str] | None = None
    relisted: Mapping[str, NewValue[Any]] | None = None
    """Arguments of a call on a listing, as JSON, with a new listing."""
    not_before: datetime | None = None
    """Another time for the act; only for a call that waits for a time."""
    at_once: bool = False
    """Whether a call that waits for a time is to be done right after the yes instead."""
    values: Mapping[str, NewValue[Any]] | None = None
    """Other arguments of a call without a listing, as JSON, such as when an event begins."""


@dataclass(frozen=True, slots=True)
class Revised:
    """A change that was made, and the revision that now waits for an answer."""

    approval_id: str
    revision: int


def revise(
    context: Context, connection: sa.Connection, approval_id: str, revision: int, change: Change, now: datetime
) -> Revised | str:
    """Change a waiting approval at this revision, within the caller's transaction.

    If that is impossible, return a sentence for the owner that says why; the card stays as it was. Wake the engine
    after commit.
    """
    try:
        row = _waiting(context, connection, approval_id, revision, now)
        spec = context.invoker.spec(row.tool)
        if moved(spec, thaw(spec, frozen_of(row)), row.account) and change.account is None and change.relisted is None:
            return say(TOOL_CHANGED)
        frozen, labels = _changed(context, spec, row, change, now)
        args = thaw(spec, frozen)
        account = resolved(spec, args)
        judged = assess(context, connection, spec, args, labels, account, row.chat, now)
        _allowed(row, frozen, judged)
    except (UnknownToolError, ChangedSinceShownError, NoWordsError):
        return say(TOOL_CHANGED)
    except UnknownAccountError as unknown:
        why = f"{unknown.detail[:1].upper()}{unknown.detail[1:]}"
        return say("{why}. Nothing was changed.", why=why)
    except CannotChangeError as refusal:
        return refusal.detail
    return _store(context, connection, replace(row, account=account), frozen, labels, judged, change.by, now)


def _waiting(
    context: Context, connection: sa.Connection, approval_id: str, revision: int, now: datetime
) -> ApprovalRow:
    row = approvals.get(connection, approval_id)
    if row is None or (row.state != State.PENDING and scheduled_for(row, now) is None):
        raise CannotChangeError(say(DECIDED))
    if row.revision != revision:
        raise CannotChangeError(say(OLDER))
    if row.state == State.PENDING and now >= row.expires_at:
        expire(context, connection, row, now)
        raise CannotChangeError(say(EXPIRED))
    return row


def _allowed(row: ApprovalRow, frozen: FrozenCall, judged: Assessment) -> None:
    if (frozen.args_sha256, frozen.not_before) == (row.args_sha256, row.not_before):
        raise CannotChangeError(say(SAME))
    if judged.verdict.decision is Decision.DENY:
        reasons = judged.verdict.reasons_text
        raise CannotChangeError(say("I may not do that: {reasons}. The card stays as it was.", reasons=reasons))


def _changed(
    context: Context, spec: ToolSpec, row: ApprovalRow, change: Change, now: datetime
) -> tuple[FrozenCall, dict[str, Labels]]:
    """Return the changed call, and the labels of its arguments. Raises `CannotChangeError`."""
    parts = parts_of(spec, context.invoker.metadata(spec.tool_name))
    args: dict[str, Any] = json.loads(row.args)
    labels = {name: load(dumped) for name, dumped in row.labels.items()}
    puts = _puts(parts, args, change)
    if change.account is not None:
        puts[_account_argument(spec, parts, row.account)] = change.account
    if change.values is not None:
        puts |= change.values
        # Its wall times were read in the owner's present zone.
        args |= {ZONE: context.zone.key} if keeps_zone(spec) else {}
    if change.relisted is not None:
        puts |= change.relisted
        # It was listed in the owner's present zone.
        args |= {ZONE: context.zone.key} if keeps_zone(spec) else {}
    for name, put in puts.items():
        before = labels.get(name) or NOBODY_KNOWS
        labels[name] = put.origins | before if put.partly else put.origins
        args[name] = put.value
    not_before = _time(row, change, now)
    try:
        return freeze(spec, as_sent(spec, args, labels), not_before), labels
    except ValidationError as error:
        raise CannotChangeError(say("That does not go: {why}. Nothing was changed.", why=explain(error))) from None
    except ValueError:
        raise CannotChangeError(say("That holds a character that cannot be sent. Nothing was changed.")) from None


def _time(row: ApprovalRow, change: Change, now: datetime) -> datetime | None:
    """Return the time that the changed call waits for; None for at once, or if it has passed meanwhile."""
    if change.at_once:
        return None
    if change.not_before is None:
        return row.not_before if row.not_before is not None and now < row.not_before else None
    if row.not_before is None:
        raise CannotChangeError(say("This is done right after your yes. To have it done later, ask me anew."))
    if change.not_before <= now:
        raise CannotChangeError(say("That time is past. Nothing was changed."))
    return change.not_before


def _puts(parts: EditableArguments, args: Mapping[str, Any], change: Change) -> dict[str, NewValue[Any]]:
    """Return the new values by argument, as JSON."""
    puts: dict[str, NewValue[Any]] = {}
    if change.text is not None:
        puts[_known(parts.text, say("There is no text on this card that could be changed."))] = change.text
    if change.subject is not None:
        puts[_known(parts.subject, say("This has no subject."))] = change.subject
    if change.recipients is not None:
        puts[_recipients_of(parts)] = _recipients(parts, change.recipients)
    if change.dropped is not None:
        name = _known(parts.attachments, say("There are no attachments on this card."))
        gone = [attachment.model_dump() for attachment in change.dropped.value]
        left = [attachment for attachment in args[name] if attachment not in gone]
        puts[name] = NewValue(left, change.dropped.origins, partly=bool(left))
    return puts


def _account_argument(spec: ToolSpec, parts: EditableArguments, account: str) -> str:
    if not spec.accounts:
        raise CannotChangeError(say("This goes through no account that could be changed."))
    if parts.answers or spec.complete is not None:
        raise CannotChangeError(
            say(
                "This is about something that lies in {account}, so it goes through that account. To use another one, "
                "ask me anew.",
                account=account,
            )
        )
    return ACCOUNT


def _recipients_of(parts: EditableArguments) -> str:
    if parts.answers:
        raise CannotChangeError(
            say("This answers a message, so it goes to whoever wrote that. To write to somebody else, ask me anew.")
        )
    return _known(parts.recipients, say("This goes to nobody who could be changed."))


def _recipients(parts: EditableArguments, put: NewValue[tuple[Recipient, ...]]) -> NewValue[Any]:
    if not put.value:
        raise CannotChangeError(say("Then nobody would get it. Tap Deny if it shall not be sent."))
    people = [recipient.address if parts.bare else recipient.model_dump() for recipient in put.value]
    if parts.many:
        return NewValue(people, put.origins, put.partly)
    if len(people) > 1:
        raise CannotChangeError(say("This goes to one recipient only. Ask me for a second one for the other."))
    return NewValue(people[0], put.origins, put.partly)


def _known(name: str, sentence: str) -> str:
    if not name:
        raise CannotChangeError(sentence)
    return name


def ask_again(
    context: Context, connection: sa.Connection, row: ApprovalRow, why: Reason, now: datetime
) -> Revised | str:
    """Ask again about a call whose time has passed, to be done immediately; or return in a sentence why not.

    `why` is given on the card. A call that has changed since it was shown, or is no longer allowed, is not asked about.
    """
    try:
        spec = context.invoker.spec(row.tool)
        args = thaw(spec, frozen_of(row))
    except (UnknownToolError, ChangedSinceShownError, NoWordsError):
        return say(TOOL_CHANGED)
    if elsewhere := moved(spec, args, row.account):
        return in_words(elsewhere)
    labels = {name: load(dumped) for name, dumped in row.labels.items()}
    judged = assess(context, connection, spec, args, labels, row.account, row.chat, now)
    if judged.verdict.decision is Decision.DENY:
        return judged.verdict.reasons_text
    asks = judged.verdict.reasons if judged.verdict.decision is Decision.ASK else ()
    judged = replace(judged, verdict=replace(judged.verdict, decision=Decision.ASK, reasons=(why, *asks)))
    return _store(context, connection, row, freeze(spec, args), labels, judged, BY_TIME, now)


def _store(
    context: Context,
    connection: sa.Connection,
    row: ApprovalRow,
    frozen: FrozenCall,
    labels: Mapping[str, Labels],
    judged: Assessment,
    by: str,
    now: datetime,
) -> Revised | str:
    asks = judged.verdict.decision is Decision.ASK
    new = NewVersion(
        account=row.account,
        args=frozen.args,
        args_sha256=frozen.args_sha256,
        contract_digest=frozen.contract_digest,
        labels={name: dump(origins) for name, origins in labels.items()},
        reasons=judged.verdict.reasons if asks else (Reason(ReasonCode.CHANGED_BY_OWNER),),
        recipients=recipients_of(judged.preview),
        risk=judged.risk.value,
        bound=bound_to(connection, judged.preview),
        expires_at=now + context.settings.expires,
        not_before=frozen.not_before,
    )
    if not revisions.replace(connection, row.approval_id, row.revision, new):
        return say(OLDER)
    revisions.keep(
        connection,
        RevisionRow(
            approval_id=row.approval_id,
            revision=row.revision,
            args=row.args,
            args_sha256=row.args_sha256,
            contract_digest=row.contract_digest,
            labels=row.labels,
            reasons=row.reasons,
            replaced_by=by,
            replaced_at=now,
            not_before=row.not_before,
        ),
    )
    data = {
        "revision": row.revision + 1,
        "old_args_sha256": row.args_sha256,
        "args_sha256": frozen.args_sha256,
        "contract_digest": frozen.contract_digest,
        "account": row.account,
        "reasons": dump_reasons(new.reasons),
        "inbound": by,
        **({"not_before": new.not_before.isoformat()} if new.not_before else {}),
    }
    audit.append(connection, "approval.revised", row.approval_id, context.owner_id(), data, now)
    _restart_deadline(context, connection, row, now)
    return Revised(row.approval_id, row.revision + 1)


def _restart_deadline(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    """Restart the time to answer with the new card."""
    for kind in (approvals.EXPIRE, approvals.REMIND, approvals.EXECUTE):
        work.cancel(connection, kind, row.approval_id)
    work.add(connection, approvals.EXPIRE, row.approval_id, now=now, run_at=now + context.settings.expires)
    if (due := remind_at(context, now)) is not None:
        work.add(connection, approvals.REMIND, row.approval_id, now=now, run_at=due)
    look_after(context, connection, row.approval_id, now)
    redraw(connection, replace(row, revision=row.revision + 1), now=now)
