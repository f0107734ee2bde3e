"""A proposed call comes in: the policy judges it, and what may or must not pass at once becomes a row."""

import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import sqlalchemy as sa
from pydantic import ValidationError

from approvals.context import Context
from approvals.expiry import remind_at
from approvals.frozen import FrozenCall, freeze
from approvals.people import contact_of
from approvals.policy import Decision, Question, Verdict, judge
from approvals.preview import preview_of
from approvals.rules import RULES
from approvals.states import State
from approvals.transition import redraw
from approvals.words import BY_POLICY
from butler.contract.door import explain
from butler.contract.errors import ContractViolationError
from butler.contract.tools import Preview, ToolSpec
from butler.provenance import Labels, dump
from butler.store.queries import approvals, audit, work
from butler.store.queries.approvals import ApprovalRow


@dataclass(frozen=True, slots=True)
class Proposal:
    """A call that somebody wants made. An argument without origins counts as untrusted."""

    tool: str
    args: Mapping[str, Any]
    origins: Mapping[str, Labels]
    account: str
    requested_by: str
    """The inbound item that asked for it."""
    call_id: str
    """Stable across restarts: a second request with it is the first one again."""
    chat: str = ""
    """Where the owner's channel shows the card; empty for the owner's own chat."""
    plan_id: str | None = None
    step_id: int | None = None


def request(context: Context, connection: sa.Connection, proposal: Proposal, now: datetime) -> Verdict:
    """Judge a call within the caller's transaction, and store it where it has to wait or be recorded.

    Raises `UnknownToolError`, and `ContractViolationError` when the call's id stands for another call.
    """
    spec = context.invoker.spec(proposal.tool)
    try:
        args = spec.args.model_validate(proposal.args)
        frozen = freeze(spec, args)
    except ValidationError as error:
        return Verdict(Decision.DENY, (f"the arguments do not fit the tool ({explain(error)})",))
    except ValueError:
        return Verdict(Decision.DENY, ("an argument holds a character or a number that cannot be stored as it is",))
    known = approvals.by_call(connection, proposal.call_id)
    if known is not None:
        return _again(known, frozen)
    question = _question(context, connection, spec, preview_of(spec, args), proposal)
    verdict = judge(question, RULES)
    if verdict.decision is Decision.DENY:
        data = {"tool": proposal.tool, "args_sha256": frozen.args_sha256, "reasons": list(verdict.reasons)}
        audit.append(connection, "approval.refused", proposal.call_id, BY_POLICY, data, now)
        return verdict
    if verdict.decision is Decision.ALLOW and (not question.is_output or question.only_owner_sees):
        return verdict
    row = _row(context, spec, proposal, frozen, verdict, now)
    _store(context, connection, row, now)
    return Verdict(verdict.decision, verdict.reasons, row.approval_id)


def _question(
    context: Context, connection: sa.Connection, spec: ToolSpec, preview: Preview, proposal: Proposal
) -> Question:
    return Question(
        spec=spec,
        metadata=context.invoker.metadata(spec.tool_name),
        preview=preview,
        origins=_origins(proposal),
        owner=context.owner,
        contact=lambda address: contact_of(connection, address),
        settings=context.settings,
    )


def _origins(proposal: Proposal) -> dict[str, Labels]:
    """The labels of every argument that says something."""
    nobody: Labels = frozenset()
    return {name: proposal.origins.get(name, nobody) for name, value in proposal.args.items() if value is not None}


def _again(row: ApprovalRow, frozen: FrozenCall) -> Verdict:
    if (row.tool, row.args_sha256) != (frozen.tool, frozen.args_sha256):
        raise ContractViolationError(f"the call {row.call_id} was requested before, with other arguments")
    decision = Decision.ALLOW if row.decided_by == BY_POLICY else Decision.ASK
    return Verdict(decision, row.reasons, row.approval_id)


def _row(
    context: Context, spec: ToolSpec, proposal: Proposal, frozen: FrozenCall, verdict: Verdict, now: datetime
) -> ApprovalRow:
    passed = verdict.decision is Decision.ALLOW
    return ApprovalRow(
        approval_id=uuid.uuid4().hex,
        revision=1,
        state=(State.APPROVED if passed else State.PENDING).value,
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
        decided_at=now if passed else None,
        decided_by=BY_POLICY if passed else None,
        execute_at=now if passed else None,
    )


def _store(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    approvals.insert(connection, row)
    data = {
        "tool": row.tool,
        "account": row.account,
        "args_sha256": row.args_sha256,
        "contract_digest": row.contract_digest,
        "state": row.state,
        "reasons": list(row.reasons),
        "requested_by": row.requested_by,
    }
    audit.append(connection, "approval.requested", row.approval_id, BY_POLICY, data, now)
    if row.state == State.APPROVED:
        work.add(connection, approvals.EXECUTE, row.approval_id, now=now)
        return
    redraw(connection, row, now=now)
    work.add(connection, approvals.EXPIRE, row.approval_id, now=now, run_at=row.expires_at)
    if (due := remind_at(context, now)) is not None:
        work.add(connection, approvals.REMIND, row.approval_id, now=now, run_at=due)
