"""Handles a new pairing after an account was lost or stolen: takes back what the old one could have started, once."""

from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from approvals import rule_actions, rule_list_messages
from approvals.address import plain_address
from approvals.card import shown_of
from approvals.context import Context
from approvals.pause import COMMAND_LINE
from approvals.pin import drop_challenge
from approvals.states import State
from approvals.summary_lines import doing
from approvals.transition import redraw
from approvals.withdraw import withdraw
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import say
from butler.store.queries import approvals, audit, cursors, rules
from butler.store.queries.rules import RuleState

WITHDRAWN = "withdrawn"
"""The fact that records what was taken back until it is reported to the owner on the new account."""
PAIRED_ANEW = Reason(ReasonCode.PAIRED_ANEW)
SHOWN = 20
"""The most acts that are listed one by one."""


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What was taken back: approvals by id, rules by number."""

    approvals: list[str] = field(default_factory=list[str])
    rules: list[int] = field(default_factory=list[int])


def hand_over(connection: sa.Connection, now: datetime) -> tuple[int, int]:
    """Take back every card, every act without effect so far, and every standing rule; return their numbers.

    Acts that have begun go on and are shown to the new account, as are those with an unknown outcome.
    """
    rows = approvals.in_state(connection, State.PENDING, State.APPROVED, State.EXECUTING, State.UNKNOWN)
    taken: list[str] = []
    for row in rows:
        if row.state != State.UNKNOWN and withdraw(connection, [row], PAIRED_ANEW, actor=COMMAND_LINE, now=now):
            taken.append(row.approval_id)
        else:
            approvals.send_home(connection, row.approval_id)
            redraw(connection, replace(row, chat="", card_refs=(), batch_id=None), now=now)
    rule_list_messages.forget(connection, now)  # These are in a chat that may now be somebody else's.
    active = rules.in_state(connection, RuleState.ACTIVE)
    numbers = [rule.number for rule in active if rule_actions.disable(connection, rule, actor=COMMAND_LINE, now=now)]
    drop_challenge(connection, now)
    earlier = _untold(connection)
    told_later = Withdrawn([*earlier.approvals, *taken], [*earlier.rules, *numbers])
    cursors.put_fact(connection, WITHDRAWN, asdict(told_later), now)
    data = {"approvals": len(taken), "rules": numbers}
    audit.append(connection, "pairing.handed_over", "owner", COMMAND_LINE, data, now)
    return len(taken), len(numbers)


def withdrawn_words(context: Context, connection: sa.Connection, now: datetime) -> str:
    """Return the report of what was taken back, for the new account, once; empty if there is nothing to report."""
    if cursors.fact(connection, WITHDRAWN) is None:
        return ""
    untold = _untold(connection)
    cursors.put_fact(connection, WITHDRAWN, None, now)
    ids, numbers = untold.approvals, untold.rules
    lines = [say("Butler is paired with this account now. All buttons in the old chat are dead.")]
    if ids:
        lines.append(say("Withdrawn, and not done: {count}.", count=len(ids)))
    else:
        lines.append(say("Nothing was waiting or under way."))
    lines += [_line(context, connection, approval_id) for approval_id in ids[:SHOWN]]
    if len(ids) > SHOWN:
        lines.append(
            say("• and {count} more, see {command}", count=len(ids) - SHOWN, command="`butler approvals --all`")
        )
    if numbers:
        named = ", ".join(map(str, numbers))
        lines.append(
            say("Standing rules put out of force: {numbers}. /rules shows them, and can put them back.", numbers=named)
        )
    return "\n".join(lines)


def _untold(connection: sa.Connection) -> Withdrawn:
    fact: dict[str, Any] | None = cursors.fact(connection, WITHDRAWN)
    return Withdrawn(**fact) if fact else Withdrawn()


def _line(context: Context, connection: sa.Connection, approval_id: str) -> str:
    row = approvals.get(connection, approval_id)
    if row is None:
        return say("• something that is gone")
    preview = shown_of(context.invoker, row)
    to = ", ".join(plain_address(recipient.address) for recipient in preview.recipients)
    towards = say(" – to {people}", people=to) if to else ""
    return f"• {doing(context.invoker, row, preview)}{towards}"
