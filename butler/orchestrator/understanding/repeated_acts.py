"""Acts on many mails that are done again and again: `every Sunday night archive newsletters older than a week`."""

import re
from dataclasses import replace
from typing import Any

from butler.contract.bulk_repeat import Weekday
from butler.contract.schedules import Every, RecurrenceRule
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.many_acts import DESCRIBED
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding import action_words as words
from butler.orchestrator.understanding.mail import UNREAD
from butler.orchestrator.understanding.mail_bulk import PROMOTIONS, READ, filtered
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.trigger_words import FROM
from butler.store.queries.rules import REPEAT
from butler.understanding.reader import SlotWords
from butler.understanding.times.parse import length_of

STATES = (re.compile(rf"\w*(?:{PROMOTIONS.pattern})\w*", re.IGNORECASE), UNREAD, READ)


def repeated(act: str, rule: RecurrenceRule, said: Said) -> Planned | None:
    """The act with how often it is done; None where it is no act on many mails, or more is said than can be read."""
    action = next((name for name, verb in words.ACTS if re.search(rf"(?<!\w)(?:{verb})(?!\w)", act, re.IGNORECASE)), "")
    tool = f"user_email_{action}"
    often = _often(rule)
    if not action or often is None or not _can_be(tool, said):
        return None
    verb = dict(words.ACTS)[action]
    slots = _slots(re.sub(rf"(?<!\w)(?:{verb})(?!\w)", " ", act, flags=re.IGNORECASE), said)
    if slots is None:
        return None
    wanted = filtered(replace(said, request=replace(said.request, slots=slots)))
    if not wanted.says_which():
        return None
    return calls.plan(calls.call(tool, say(DESCRIBED[action]), **wanted.args(), repeat=often))


def _can_be(tool: str, said: Said) -> bool:
    spec = next((one for one in said.scene.request.tools if one.tool_name == tool), None)
    return spec is not None and REPEAT in spec.args.model_fields


def _often(rule: RecurrenceRule) -> dict[str, Any] | None:
    """The rule as acts on many take it; None where they cannot be done so often."""
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
    """Whose mails, how old and in which state, as a request for them has it; None where more is said."""
    found: list[SlotWords] = []
    if match := words.OLDER.search(rest):
        age = bare(match[1])
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
