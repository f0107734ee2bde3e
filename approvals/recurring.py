"""Recurring rules: what they let happen when they are due, which is their own order and nothing else, and their words.

Such a rule lets nothing pass that is asked for, in whatever words. When it is due, its order comes with a fresh list of
what there is then; every other argument is as it was shown, but for the dates, which have moved on by as many days.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from approvals.preview import NoWordsError, bare_preview, preview_of
from approvals.standing_rules import ABSENT, Call, is_over
from approvals.visible import visible_line
from butler.contract.bulk_repeat import Recurrence
from butler.contract.errors import UnknownToolError
from butler.contract.speech import say, say_date, say_number
from butler.contract.tools import ACCOUNT, ToolInvoker
from butler.store.queries.rules import REPEAT, RuleRow, RuleState

SNAPSHOT = "snapshot"
"""The argument that says what there is: which things, and how many."""


def recurrence_of(rule: RuleRow) -> Recurrence:
    """When a recurring rule does something, and of how many."""
    return Recurrence.model_validate_json(rule.pinned[REPEAT])


def args_on(rule: RuleRow, day: date) -> dict[str, Any]:
    """The arguments of a recurring rule's order on a day, before it is listed; those that say nothing are left out."""
    kept = {name: json.loads(value) for name, value in rule.pinned.items() if name != REPEAT}
    return recurrence_of(rule).moved(kept, day) | ({ACCOUNT: rule.account} if rule.account else {})


def covers_order(rule: RuleRow, call: Call, now: datetime) -> bool:
    """Whether a call is the order of a recurring rule that is in force, for no more than it allows."""
    if not rule.repeats or rule.state != RuleState.ACTIVE or is_over(rule, now):
        return False
    same = (rule.tool, rule.account, rule.chat) == (call.tool, call.account, call.chat)
    if not same or call.tainted or set(call.recipients) - set(rule.recipients):
        return False
    recurrence = recurrence_of(rule)
    if _found(call) > recurrence.most:
        return False
    day = _day_of(rule, recurrence, call) or recurrence.since
    expected = {name: json.loads(value) for name, value in rule.pinned.items() if name != REPEAT}
    given = {name: json.loads(value) for name, value in call.args.items() if name not in {SNAPSHOT, REPEAT}}
    return given == recurrence.moved(expected, day) and call.args.get(REPEAT, ABSENT) == ABSENT


def _found(call: Call) -> int:
    """How many things a call is about; more than any rule allows where it does not say."""
    listed: Mapping[str, Any] | None = json.loads(call.args.get(SNAPSHOT, ABSENT))
    return int(listed["count"]) if listed else 10**9


def _day_of(rule: RuleRow, recurrence: Recurrence, call: Call) -> date | None:
    """The day that a call's dates are of, which is none before the rule's own; None where it has no dates."""
    for name in recurrence.moving:
        was, now = json.loads(rule.pinned[name]), json.loads(call.args.get(name, ABSENT))
        if now is None:
            return None
        later = date.fromisoformat(now[:10]) - date.fromisoformat(was[:10])
        return max(recurrence.since + later, recurrence.since)
    return None


def recurring_words(invoker: ToolInvoker, rule: RuleRow) -> str:
    """What a recurring rule does, in one line."""
    recurrence = recurrence_of(rule)
    return say(
        "{what}; {days}, {most} at most each time, to the end of {day}",
        what="; ".join(map(visible_line, _order(invoker, rule, recurrence))),
        days=recurrence.words(),
        most=say_number(recurrence.most),
        day=say_date(recurrence.until),
    )


def _order(invoker: ToolInvoker, rule: RuleRow, recurrence: Recurrence) -> Iterator[str]:
    """What is done, and to which; dates as what they come to each time."""
    args = args_on(rule, recurrence.since)
    try:
        spec = invoker.spec(rule.tool)
        shown = preview_of(spec, spec.args.model_validate(args).model_copy(update=dict.fromkeys(recurrence.moving)))
    except (UnknownToolError, NoWordsError, ValueError):
        shown = bare_preview(rule.tool, {name: value for name, value in args.items() if name not in recurrence.moving})
    yield shown.effect
    yield from (f"{label}: {value}" for label, value in shown.facts)
    yield from recurrence.ages(args)
