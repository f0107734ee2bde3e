"""Takes in a proposed call: the policy judges it, and it becomes a row unless it may or must not pass immediately."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import BaseModel, ValidationError

from approvals.accounts import resolved
from approvals.bindings import bound_to
from approvals.cautions import doubts
from approvals.clocks import keeps_zone, zone_in
from approvals.context import Context
from approvals.email_fallback_due import look_after
from approvals.frozen import FrozenCall, as_sent, canonical, freeze, stored_args
from approvals.limits import exceeded
from approvals.outcome_text import BY_POLICY, passed
from approvals.pause import is_paused, paused_by
from approvals.people import contact_of, same_person
from approvals.policy import Decision, PolicyQuery, Verdict, judge
from approvals.policy_rules import CALLERS_OWN, OWN, RULES, STANDING
from approvals.preview import NoWordsError, has_words, preview_of
from approvals.quiet_hours import remind_at
from approvals.recurring import covers_order
from approvals.risk import Risk, risk_of
from approvals.standing_rules import call_of, digest_of, find, note_use, recipients_of, rule_actor
from approvals.states import State
from approvals.transition import redraw
from butler.contract.door import explain
from butler.contract.names import Direction
from butler.contract.reasons import Reason, ReasonCode, dump_reasons, in_own_words, reason
from butler.contract.tools import ZONE, Preview, ToolSpec
from butler.provenance import Labels, dump
from butler.store.queries import approvals, audit, revisions, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.rules import RuleRow
from butler.tool_invoker import UnknownAccountError
from config.errors import Bug

TIME_OVER = Reason(ReasonCode.TIME_OVER)
NOBODY: Labels = frozenset()
"""The provenance of a value whose source is unknown."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A requested call. An argument without provenance counts as untrusted."""

    tool: str
    args: Mapping[str, Any]
    origins: Mapping[str, Labels]
    account: str
    """The account as its caller knows it, or empty; the account of the arguments is stored."""
    requested_by: str
    """The inbound item that requested it."""
    call_id: str
    """Stable across restarts: a second request with the same id is a repetition of the first."""
    chat: str = ""
    """The chat of the request, where the card is shown. Empty for a job in the background: the card goes into the
    owner's own chat, and no standing rule covers it, since rules are given to a chat."""
    plan_id: str | None = None
    step_id: int | None = None
    not_before: datetime | None = None
    """The time to wait for; if that has passed, the owner is asked about doing it immediately."""
    choice: Labels = NOBODY
    """The provenance of the decision to use this tool, whatever its arguments."""


@dataclass(frozen=True, slots=True)
class Assessment:
    """The policy's verdict on a call, and its grounds."""

    verdict: Verdict
    preview: Preview
    risk: Risk
    rule: RuleRow | None
    """The standing rule that allows the call. Its use is not counted yet."""


@dataclass(frozen=True, slots=True)
class _Prepared:
    """A call that fits its tool. The proposal's account is the one that the arguments determine."""

    spec: ToolSpec
    args: BaseModel
    frozen: FrozenCall
    proposal: Proposal
    no_account: Reason | None = None
    """Why the call has no account to go through."""


def request(
    context: Context, connection: sa.Connection, proposal: Proposal, now: datetime, due: RuleRow | None = None
) -> Verdict:
    """Judge a call within the caller's transaction, and store it if it has to wait or be recorded.

    `due` is the recurring rule whose order this is; it allows the order if it covers it.

    Raises `UnknownToolError`, and `Bug` if the call's id belongs to another call.
    """
    known = approvals.by_call(connection, proposal.call_id)
    # The owner may have changed the call since, or moved to another zone.
    first = (revisions.get(connection, known.approval_id, 1) or known) if known is not None else None
    prepared = _prepare(context, proposal, now, zone=zone_in(first.args) if first is not None else "")
    if isinstance(prepared, Verdict):
        return prepared
    if known is not None and first is not None:
        return _again(known, first.args_sha256, prepared.frozen)
    if prepared.no_account:
        return Verdict(Decision.DENY, (prepared.no_account,))
    approval_id = uuid.uuid4().hex
    assessed = _assess_and_count(context, connection, prepared, approval_id, now, due)
    verdict = assessed.verdict
    if verdict.decision is Decision.DENY:
        _note_refusal(connection, prepared, verdict, now)
        return verdict
    if verdict.decision is Decision.ALLOW and verdict.line in CALLERS_OWN and prepared.frozen.not_before is None:
        return verdict
    row = _row(context, connection, prepared, assessed, approval_id, now)
    _store(context, connection, row, now)
    return Verdict(verdict.decision, verdict.reasons, row.approval_id, verdict.line)


def bring_forward(
    context: Context, connection: sa.Connection, proposal: Proposal, why: Reason, now: datetime, *, aloud: bool = False
) -> ApprovalRow | Verdict:
    """Store a call of the owner's own, which always waits to be approved; return the verdict if it is not allowed.

    `why` is the reason to ask if there is no other; with `aloud`, it is given beside other reasons. Raises what
    `request` raises.
    """
    prepared = _prepare(context, proposal, now)
    if isinstance(prepared, Verdict):
        return prepared
    if prepared.no_account:
        return Verdict(Decision.DENY, (prepared.no_account,))
    result, spec = prepared.proposal, prepared.spec
    assessed = assess(
        context,
        connection,
        spec,
        prepared.args,
        _origins(result),
        result.account,
        result.chat,
        now,
        None,
        result.choice,
    )
    if assessed.verdict.decision is Decision.DENY:
        _note_refusal(connection, prepared, assessed.verdict, now)
        return assessed.verdict
    asks = assessed.verdict.decision is Decision.ASK
    reasons = assessed.verdict.reasons if asks else ()
    verdict = Verdict(Decision.ASK, (why, *reasons) if aloud or not asks else reasons)
    asked = replace(assessed, verdict=verdict, rule=None)
    row = _row(context, connection, prepared, asked, uuid.uuid4().hex, now)
    _store(context, connection, row, now)
    return row


def _prepare(context: Context, proposal: Proposal, now: datetime, *, zone: str = "") -> _Prepared | Verdict:
    """Return the call in a form that can be judged and stored, or the verdict that refuses it.

    Its wall times are those of `zone`, or else of the owner's present zone, whatever the call itself says.
    """
    spec = context.invoker.spec(proposal.tool)
    if keeps_zone(spec):
        args, origins = {**proposal.args, ZONE: zone or context.zone.key}, {**proposal.origins, ZONE: OWN}
        proposal = replace(proposal, args=args, origins=origins)
    waits = proposal.not_before if proposal.not_before is not None and now < proposal.not_before else None
    if proposal.not_before is not None and (spec.direction is Direction.INPUT or spec.lists):
        return Verdict(Decision.DENY, (Reason(ReasonCode.NOT_LATER),))
    try:
        frozen = freeze(spec, as_sent(spec, proposal.args, _origins(proposal)), waits)
        args = stored_args(spec, frozen)
    except ValidationError as error:
        return Verdict(Decision.DENY, (reason(ReasonCode.ARGUMENTS_DO_NOT_FIT, why=explain(error)),))
    except NoWordsError:
        return Verdict(Decision.DENY, (Reason(ReasonCode.NO_WORDS),))
    except ValueError:
        return Verdict(Decision.DENY, (Reason(ReasonCode.CANNOT_BE_STORED),))
    try:
        account = resolved(spec, args, proposal.account)
    except UnknownAccountError as error:
        return _Prepared(spec, args, frozen, proposal, in_own_words(error.detail))
    return _Prepared(spec, args, frozen, replace(proposal, account=account))


def assess(
    context: Context,
    connection: sa.Connection,
    spec: ToolSpec,
    args: BaseModel,
    origins: Mapping[str, Labels],
    account: str,
    chat: str,
    now: datetime,
    due: RuleRow | None = None,
    choice: Labels = NOBODY,
) -> Assessment:
    """Judge a call by the policy, without changing or storing anything.

    `origins` has an entry for each given argument; a missing one counts as untrusted if its argument differs from the
    tool's default. `chat` is empty for a call that no chat requested: no standing rule covers it. `due` is the
    recurring rule whose order it is; `choice` has the labels of those who chose the tool.
    """
    metadata = context.invoker.metadata(spec.tool_name)
    preview = preview_of(spec, args)
    data = args.model_dump(mode="json", exclude_defaults=True, exclude_none=True)
    origins = {**dict.fromkeys(data, NOBODY), **origins}
    stored = canonical(args.model_dump(mode="json"))
    call = call_of(spec.tool_name, metadata, preview, args=stored, origins=origins, account=account, chat=chat)
    question = PolicyQuery(
        spec=spec,
        metadata=metadata,
        preview=preview,
        origins=origins,
        owner=context.owner,
        contact=lambda address: contact_of(connection, address),
        same_person=lambda address: same_person(connection, address),
        settings=context.settings,
        paused=_pause(connection, spec),
        over_limit=exceeded(context, connection, tool=spec.tool_name, recipients=call.recipients, now=now),
        standing=due if due is not None and covers_order(due, call, now) else find(context, connection, call, now),
        choice=choice,
    )
    verdict = judge(question, RULES)
    if verdict.decision is Decision.ASK and not has_words(spec, args):
        # A card of bare arguments does not show what an approval would do.
        verdict = Verdict(Decision.DENY, (Reason(ReasonCode.NO_WORDS),))
    rule = question.standing if verdict.line == STANDING else None
    return Assessment(verdict, preview, risk_of(question), rule)


def _pause(connection: sa.Connection, spec: ToolSpec) -> Reason | None:
    """Return the pause of this identity, with the way to lift it; a pause set at the machine is lifted there."""
    pause = paused_by(connection) if is_paused(connection, spec.identity) else None
    if pause is None:
        return None
    return Reason(ReasonCode.PAUSED_AT_MACHINE) if pause.by_command else reason(ReasonCode.PAUSED, command="/resume")


def _assess_and_count(
    context: Context,
    connection: sa.Connection,
    prepared: _Prepared,
    approval_id: str,
    now: datetime,
    due: RuleRow | None,
) -> Assessment:
    """Judge, and count the use of the rule that allows the call; judge again if that rule was used up or changed.

    A call that would pass and that others may see is first checked for secrets and the like, and asks if any are found.
    """
    proposal, spec, args = prepared.proposal, prepared.spec, prepared.args
    origins = _origins(proposal)
    while True:
        assessed = assess(
            context, connection, spec, args, origins, proposal.account, proposal.chat, now, due, proposal.choice
        )
        if proposal.not_before is not None and prepared.frozen.not_before is None:
            return _asked_late(assessed)
        passes = assessed.verdict.decision is Decision.ALLOW and assessed.verdict.line not in CALLERS_OWN
        if passes and (why := doubts(context, assessed.preview, args.model_dump(mode="json"), origins)):
            return replace(assessed, verdict=Verdict(Decision.ASK, why), rule=None)
        if assessed.rule is None or note_use(connection, assessed.rule, approval_id, now):
            return assessed
        due = None


def _asked_late(assessed: Assessment) -> Assessment:
    """Ask about a call whose time has passed, even if it would be allowed."""
    verdict = assessed.verdict
    if verdict.decision is Decision.DENY:
        return assessed
    reasons = verdict.reasons if verdict.decision is Decision.ASK else ()
    return replace(assessed, verdict=Verdict(Decision.ASK, (TIME_OVER, *reasons)), rule=None)


def _origins(proposal: Proposal) -> dict[str, Labels]:
    """Return the labels of every argument that has a value."""
    return {name: proposal.origins.get(name, NOBODY) for name, value in proposal.args.items() if value is not None}


def _again(row: ApprovalRow, args_sha256: str, frozen: FrozenCall) -> Verdict:
    """Return the earlier verdict on a repeated call. Raises `Bug` if its tool or arguments differ."""
    if (row.tool, args_sha256) != (frozen.tool, frozen.args_sha256):
        raise Bug(f"the call {row.call_id} was requested before, with other arguments")
    decision = Decision.ALLOW if passed(row) else Decision.ASK
    return Verdict(decision, row.reasons, row.approval_id)


def _note_refusal(connection: sa.Connection, prepared: _Prepared, verdict: Verdict, now: datetime) -> None:
    frozen = prepared.frozen
    data = {"tool": frozen.tool, "args_sha256": frozen.args_sha256, "reasons": dump_reasons(verdict.reasons)}
    audit.append(connection, "approval.refused", prepared.proposal.call_id, BY_POLICY, data, now)


def _row(
    context: Context,
    connection: sa.Connection,
    prepared: _Prepared,
    assessed: Assessment,
    approval_id: str,
    now: datetime,
) -> ApprovalRow:
    proposal, frozen, spec = prepared.proposal, prepared.frozen, prepared.spec
    verdict, rule = assessed.verdict, assessed.rule
    passes = verdict.decision is Decision.ALLOW
    return ApprovalRow(
        approval_id=approval_id,
        revision=1,
        state=(State.APPROVED if passes else State.PENDING).value,
        tool=frozen.tool,
        identity=spec.identity.value,
        account=proposal.account,
        args=frozen.args,
        args_sha256=frozen.args_sha256,
        labels={name: dump(labels) for name, labels in _origins(proposal).items()},
        reasons=verdict.reasons,
        chat=context.chat_of(proposal.chat),
        requested_by=proposal.requested_by,
        plan_id=proposal.plan_id,
        step_id=proposal.step_id,
        call_id=proposal.call_id,
        contract_digest=frozen.contract_digest,
        created_at=now,
        expires_at=now + context.settings.expires,
        decided_at=now if passes else None,
        decided_by=(rule_actor(rule) if rule else BY_POLICY) if passes else None,
        execute_at=(frozen.not_before or now) if passes else None,
        risk=assessed.risk.value,
        recipients=recipients_of(assessed.preview),
        bound=bound_to(connection, assessed.preview),
        rule_id=rule.rule_id if rule else None,
        rule_digest=digest_of(rule) if rule else None,
        not_before=frozen.not_before,
    )


def _store(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    approvals.insert(connection, row)
    data = {
        "tool": row.tool,
        "account": row.account,
        "args_sha256": row.args_sha256,
        "contract_digest": row.contract_digest,
        "state": row.state,
        "reasons": dump_reasons(row.reasons),
        "requested_by": row.requested_by,
        **({"not_before": row.not_before.isoformat()} if row.not_before else {}),
    }
    audit.append(connection, "approval.requested", row.approval_id, BY_POLICY, data, now)
    if row.state == State.APPROVED:
        work.add(connection, approvals.EXECUTE, row.approval_id, now=now, run_at=row.not_before)
        if row.not_before is not None:
            redraw(connection, row, now=now)
        return
    redraw(connection, row, now=now)
    work.add(connection, approvals.EXPIRE, row.approval_id, now=now, run_at=row.expires_at)
    look_after(context, connection, row.approval_id, now)
    if (due := remind_at(context, now)) is not None:
        work.add(connection, approvals.REMIND, row.approval_id, now=now, run_at=due)
