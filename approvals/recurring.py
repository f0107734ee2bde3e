"""Recurring rules: each allows only its own order, when it is due; and the words for them.

Such a rule allows no call that anybody requests, in whatever words. When it is due, its order comes with a fresh
listing; every other argument is as it was shown, except for the dates, which move on by the same number of days.
"""

import json
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from approvals.preview import NoWordsError, bare_preview, preview_of
from approvals.standing_rules import ABSENT, Call, is_over
from approvals.visible import visible_line
from butler.contract.bulk_repeat import Recurrence
from butler.contract.speech import say, say_date, say_number
from butler.store.queries.rules import REPEAT, RuleRow, RuleState
from butler.tool_invoker import ACCOUNT, ToolInvoker, UnknownToolError

SNAPSHOT = "snapshot"
"""The argument that holds the listing: which items, and how many."""


def recurrence_of(rule: RuleRow) -> Recurrence:
    """Return when a recurring rule acts, and on how many items."""
    return Recurrence.model_validate_json(rule.pinned[REPEAT])


def args_on(rule: RuleRow, day: date) -> dict[str, Any]:
    """Return the arguments of a recurring rule's order on a day, without the listing."""
    kept = {name: json.loads(value) for name, value in rule.pinned.items() if name != REPEAT}
    return recurrence_of(rule).moved(kept, day) | ({ACCOUNT: rule.account} if rule.account else {})


def covers_order(rule: RuleRow, call: Call, now: datetime) -> bool:
    """Return whether a call is the order of a recurring rule in force, within what the rule allows."""
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
    """Return how many items a call is about; if it does not say, more than any rule allows."""
    listed: Mapping[str, Any] | None = json.loads(call.args.get(SNAPSHOT, ABSENT))
    return int(listed["count"]) if listed else 10**9


def _day_of(rule: RuleRow, recurrence: Recurrence, call: Call) -> date | None:
    """Return the day that a call's dates belong to, at the earliest the rule's first; None if it has no dates."""
    for name in recurrence.moving:
        was, now = json.loads(rule.pinned[name]), json.loads(call.args.get(name, ABSENT))
        if now is None:
            return None
        later = date.fromisoformat(now[:10]) - date.fromisoformat(was[:10])
        return max(recurrence.since + later, recurrence.since)
    return None


def recurring_words(invoker: ToolInvoker, rule: RuleRow) -> str:
    """Return in one line what a recurring rule does."""
    recurrence = recurrence_of(rule)
    return say(
        "{what}; {days}, {most} at most each time, to the end of {day}",
        what="; ".join(map(visible_line, _order(invoker, rule, recurrence))),
        days=recurrence.words(),
        most=say_number(recurrence.most),
        day=say_date(recurrence.until),
    )


def _order(invoker: ToolInvoker, rule: RuleRow, recurrence: Recurrence) -> Iterator[str]:
    """Yield what is done, and to which items; dates are in relative form."""
    args = args_on(rule, recurrence.since)
    try:
        spec = invoker.spec(rule.tool)
        shown = preview_of(spec, spec.args.model_validate(args).model_copy(update=dict.fromkeys(recurrence.moving)))
    except (UnknownToolError, NoWordsError, ValueError):
        shown = bare_preview(
            rule.tool, {name: value for name, value in args.items() if name not in recurrence.moving}, rule.tool
        )
    yield shown.effect
    yield from (f"{label}: {value}" for label, value in shown.facts)
    yield from recurrence.ages(args)
