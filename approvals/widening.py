"""Widens a proposed rule before it is saved: each step is one button, and allows one thing more."""

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.arguments import part_of
from approvals.context import Context
from approvals.rule_proposals import FIRST_LIFE, narrowest
from butler.contract.speech import say
from butler.contract.tools import ArgRole
from butler.store.queries import rules
from butler.store.queries.rules import RuleRow
from butler.tool_invoker import UnknownToolError

ANY, UNTIL, USES, NARROW, SAVE, DROP = "any", "until", "uses", "narrow", "save", "drop"
WIDENING = (ANY, UNTIL, USES, NARROW)
LONGER = ("90", "")
"""Longer lifetimes of the rule in days, the shorter first; empty for no end."""
OFTENER = ("100", "")
"""Larger numbers of uses; empty for no limit."""


@dataclass(frozen=True, slots=True)
class Option:
    """A button of a proposal: its verb and argument, and its label."""

    verb: str
    label: str
    argument: str = ""


def options(context: Context, connection: sa.Connection, rule: RuleRow, now: datetime) -> Iterator[tuple[Option, ...]]:
    """Yield the lines of a draft's buttons; the last line saves or drops it."""
    lines = (
        [Option(ANY, say("Any {part}", part=part_of(name)), name) for name in _texts(context, rule)],
        [Option(UNTIL, say("For {days} days", days=days) if days else say("Without end"), days) for days in LONGER],
        [
            Option(USES, say("Up to {count} times", count=uses) if uses else say("As often as asked"), uses)
            for uses in OFTENER
        ],
        [Option(NARROW, say("Back to the narrowest"))],
    )
    for line in lines:
        possible = (option for option in line if changed(context, connection, rule, option.verb, option.argument, now))
        if found := tuple(possible):
            yield found
    yield Option(SAVE, say("Save rule")), Option(DROP, say("Drop"))


def changed(
    context: Context, connection: sa.Connection, rule: RuleRow, verb: str, argument: str, now: datetime
) -> RuleRow | None:
    """Return a draft after one step; None if that step is not possible (any more)."""
    if verb == ANY:
        if argument not in _texts(context, rule):
            return None
        return replace(rule, pinned={name: value for name, value in rule.pinned.items() if name != argument})
    if verb == UNTIL:
        end = rule.created_at + timedelta(days=int(argument)) if argument else None
        longer = rule.expires_at is not None and (end is None or end > rule.expires_at)
        return replace(rule, expires_at=end) if longer else None
    if verb == USES:
        uses = int(argument) if argument else None
        oftener = rule.max_uses is not None and (uses is None or uses > rule.max_uses)
        return replace(rule, max_uses=uses) if oftener else None
    return _narrowed(context, connection, rule, now)


def _texts(context: Context, rule: RuleRow) -> list[str]:
    """Return the pinned arguments that can be set free: texts, never a choice of whom or what."""
    try:
        roles = context.invoker.metadata(rule.tool).args
    except UnknownToolError:
        return []
    return [
        name
        for name, value in sorted(rule.pinned.items())
        if name in roles and roles[name] is ArgRole.CONTENT and isinstance(json.loads(value), str)
    ]


def _narrowed(context: Context, connection: sa.Connection, rule: RuleRow, now: datetime) -> RuleRow | None:
    """Return the draft as narrow as its approval now allows; None if it is so already, or no rule is possible."""
    narrow = narrowest(context, connection, rules.origin(connection, rule), now)
    if narrow is None:
        return None
    again = replace(
        rule,
        recipients=narrow.recipients,
        pinned=narrow.pinned,
        expires_at=rule.created_at + FIRST_LIFE,
        max_uses=narrow.max_uses,
    )
    return again if again != rule else None
