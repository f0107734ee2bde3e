"""Builds repeated acts on many mails: `every Sunday night archive newsletters older than a week`."""

import re
from dataclasses import replace
from typing import Any

from butler.contract.bulk_repeat import Weekday
from butler.contract.schedules import Every, RecurrenceRule
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding import act_words
from butler.orchestrator.understanding.automations import action_words as words
from butler.orchestrator.understanding.mail.acts import DESCRIBED
from butler.orchestrator.understanding.mail.builders import UNREAD
from butler.orchestrator.understanding.mail.bulk import PROMOTIONS, READ, filtered
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.trigger_words import FROM
from butler.store.queries.rules import REPEAT
from butler.understanding.marked import SlotWords
from butler.understanding.times.parse import length_of

A_NUMBER = re.compile(r"\d{1,6}")
LIMIT = re.compile(
    rf"[\s,;(]*(?:{words.group('but')}\s+)?(?:{act_words.words('at_most').pattern}\s+({A_NUMBER.pattern})"
    rf"|({A_NUMBER.pattern})\s+{act_words.words('at_most').pattern})(?:\s+{words.group('of_mails')})?"
    rf"(?:\s+{act_words.words('each_time').pattern})?\s*\)?(?=\s*(?:[.,;!?]|$))",
    re.IGNORECASE,
)
"""A limit such as `at most 100 each time`; beyond it, the owner is asked."""
OLD = re.compile(rf"\s+{words.group('old')}$", re.IGNORECASE)
STATES = (re.compile(rf"\w*(?:{PROMOTIONS.pattern})\w*", re.IGNORECASE), UNREAD, READ)


def repeated(act: str, rule: RecurrenceRule, said: Said) -> Planned | None:
    """Return the plan for a repeated act; None if it is no act on many mails, or not all words are understood."""
    action, said_with = next(((name, taken) for name, tells, taken in words.ACTS if _of(tells).search(act)), ("", ""))
    tool = f"user_email_{action}"
    often = _often(rule)
    if not action or often is None or not _can_be(tool, said):
        return None
    limit = LIMIT.search(act) or LIMIT.search(said.request.text)
    most = {"most": int(limit[1] or limit[2])} if limit is not None else {}
    slots = _slots(_of(said_with).sub(" ", LIMIT.sub(" ", act)), said)
    if slots is None:
        return None
    wanted = filtered(replace(said, request=replace(said.request, slots=slots)))
    if not wanted.says_which():
        return None
    return calls.plan(calls.call(tool, say(DESCRIBED[action]), **wanted.args(), repeat=often | most))


def _of(words_of_it: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)(?:{words_of_it})(?!\w)", re.IGNORECASE)


def _can_be(tool: str, said: Said) -> bool:
    spec = next((one for one in said.scene.request.tools if one.tool_name == tool), None)
    return spec is not None and REPEAT in spec.args.model_fields


def _often(rule: RecurrenceRule) -> dict[str, Any] | None:
    """Return the rule as bulk acts take it; None if they cannot repeat so."""
    if (
        rule.every is None
        or rule.every not in {Every.DAY, Every.WEEK, Every.MONTH}
        or rule.interval > 1
        or rule.nth
        or rule.times
    ):
        return None
    if rule.within is not None or len(rule.at) > 1 or (rule.every is Every.DAY and rule.on):
        return None
    at = rule.at[0] if rule.at else rule.start.time()
    said: dict[str, Any] = {"every": rule.every.value}
    if rule.every is Every.WEEK:
        said["on"] = [day.value for day in rule.on or (tuple(Weekday)[rule.start.weekday()],)]
    if rule.every is Every.MONTH:
        said["day"] = rule.day or rule.start.day
    return said | {"at": f"{at:%H:%M}"} | ({"until": rule.until.isoformat()} if rule.until else {})


def _slots(rest: str, said: Said) -> tuple[SlotWords, ...] | None:
    """Return the slots for sender, age and state of the mails; None if there are further words."""
    found: list[SlotWords] = []
    if match := words.OLDER.search(rest):
        age = OLD.sub("", bare(match[1]))
        if length_of(age, said.language, said.scene.now()) is None:
            return None
        found.append(SlotWords("age", age, 0, 0))
        rest = rest[: match.start()]
    if match := FROM.search(rest):
        whose = bare(match[1])
        rest = rest[: match.start()]
        if any(pattern.search(whose) for pattern in STATES):
            rest = f"{rest} {whose}"
        else:
            found.append(SlotWords("from", whose, 0, 0))
    for pattern, state in zip(STATES, ("promotions", "", ""), strict=True):
        if match := pattern.search(rest):
            found.append(SlotWords("filter", state or match[0], 0, 0))
            rest = rest[: match.start()] + " " + rest[match.end() :]
    return None if any(letter.isalnum() for letter in words.MAILS.sub(" ", rest)) else tuple(found)
