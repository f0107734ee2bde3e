"""Handles the button Always..., which proposes a standing rule. It saves nothing, and never approves its own card."""

import uuid
from dataclasses import asdict, replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from approvals import standing_rules
from approvals.context import Context
from approvals.outcome_text import outcome
from approvals.people import contact_of, is_owner
from approvals.risk import Risk
from approvals.rule_card import DRAFT_LIFE
from approvals.states import State
from approvals.tap_result import Press, TapAnswer, TapResult, refuse, short
from butler.contract.speech import phrase, say
from butler.store.queries import audit, buttons, rules, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.rules import RuleRow, RuleState
from butler.tool_invoker import UnknownToolError

ALWAYS = "always"
"""The verb of the button."""
FIRST_LIFE = timedelta(days=30)
FIRST_USES = 10
"""A rule for one use would cost more taps than it saves; ten identical acts are still easily reviewed."""
_NO_RULE = phrase("No rule can cover this: not everybody it reaches is known to you, or somebody else chose a part.")
_PROPOSED = phrase(
    "Look at the rule on the card below: it is not saved yet, and this card still waits for its own yes."
)


def narrowest(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> RuleRow | None:
    """Draft the narrowest rule that lets exactly this call pass; None if no rule ever can."""
    call = standing_rules.call_of_row(context, row)
    rule = RuleRow(
        rule_id=uuid.uuid4().hex,
        number=rules.next_number(connection),
        revision=1,
        state=RuleState.DRAFT,
        tool=call.tool,
        account=call.account,
        chat=call.chat,
        recipients=call.recipients,
        pinned=dict(call.args),
        expires_at=now + FIRST_LIFE,
        max_uses=FIRST_USES,
        made_from=row.approval_id,
        created_at=now,
        updated_at=now,
    )
    in_force = replace(rule, state=RuleState.ACTIVE)
    possible = row.risk != Risk.HIGHEST and not _lists(context, row.tool) and knows_all(context, connection, rule)
    return rule if possible and standing_rules.allows(in_force, call, now) else None


def _lists(context: Context, tool: str) -> bool:
    """Return whether a tool acts on items listed for one card: each list differs, and has to be shown."""
    try:
        return context.invoker.spec(tool).lists
    except UnknownToolError:
        return False


def is_offered(context: Context, connection: sa.Connection, row: ApprovalRow, now: datetime) -> bool:
    """Return whether a card has the button: if a rule can let such a call pass."""
    return row.state == State.PENDING and narrowest(context, connection, row, now) is not None


def knows_all(context: Context, connection: sa.Connection, rule: RuleRow) -> bool:
    """Return whether everybody that a rule reaches is the owner or a confirmed contact."""
    return all(is_owner(context.owner, a) or contact_of(connection, a) is not None for a in rule.recipients)


def noted(rule: RuleRow) -> dict[str, Any]:
    """Return the content of a rule, for the audit log."""
    data = asdict(rule) | {"expires_at": rule.expires_at.isoformat() if rule.expires_at else None}
    return {name: data[name] for name in _SAID}


_SAID = (
    "number", "revision", "tool", "account", "chat", "recipients", "pinned", "expires_at", "max_uses", "made_from",
)  # fmt: skip


class RuleProposals:
    """Handles taps on the button."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def press(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Store a draft and have its card sent; or return why there is none."""
        tap, button, row, now = press.tap, press.button, press.approval, press.now
        if row is None:
            return refuse(connection, tap, TapResult.UNKNOWN, button.subject, now)
        if button.revision != row.revision:
            return refuse(connection, tap, TapResult.STALE, row.approval_id, now)
        if row.state != State.PENDING or now >= row.expires_at:
            what = outcome(self._context, row, now)
            text = " ".join(filter(None, (say("This no longer waits, so no rule is proposed."), what)))
            return refuse(connection, tap, TapResult.TOO_LATE, row.approval_id, now, text)
        return self._propose(connection, press, row)

    def _propose(self, connection: sa.Connection, press: Press, row: ApprovalRow) -> TapAnswer:
        tap, now = press.tap, press.now
        if (draft := rules.draft_of(connection, row.approval_id)) is not None:
            show(connection, draft, now)
            return TapAnswer(
                TapResult.NOTED, say("A rule is proposed already, on a card of its own below."), row.approval_id
            )
        rule = narrowest(self._context, connection, row, now)
        if rule is None:
            text = say(_NO_RULE)
            return refuse(connection, tap, TapResult.REFUSED, row.approval_id, now, text)
        if not buttons.use(connection, press.button.nonce_sha256, now):
            text = say("You have tapped this before. Nothing was saved.")
            return refuse(connection, tap, TapResult.TOO_LATE, row.approval_id, now, text)
        propose(connection, rule, tap.sender, now)
        text = say(_PROPOSED)
        return TapAnswer(TapResult.NOTED, short(text), row.approval_id)


def propose(connection: sa.Connection, rule: RuleRow, actor: str, now: datetime) -> None:
    """Store a draft, which is dropped after `DRAFT_LIFE`."""
    rules.insert(connection, rule)
    audit.append(connection, "rule.proposed", rule.rule_id, actor, noted(rule), now)
    show(connection, rule, now)
    work.add(connection, rules.END_RULE, rule.rule_id, now=now, run_at=now + DRAFT_LIFE)


def show(connection: sa.Connection, rule: RuleRow, now: datetime) -> None:
    """Queue the drawing of a rule's card, in its turn among the messages of its chat."""
    work.cancel(connection, rules.SHOW_RULE, rule.rule_id)
    work.add(connection, rules.SHOW_RULE, rule.rule_id, now=now, lane=f"out:{rule.chat}")
