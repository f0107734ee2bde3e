"""Asks about acts that hang on what no event tells, such as the weather: `whenever it rains, tell Anna …`.

The patterns are in `unseen.toml`. Without the question, the condition would be dropped, or looked for in mails.
"""

import re
from collections.abc import Sequence
from functools import cache

from butler.contract.speech import say
from butler.contract.tables import table
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.requests.conditions import SENDS
from butler.orchestrator.understanding.requests.left_out_words import masked
from butler.orchestrator.understanding.requests.only_if import ONLY_IF, acts_at_once
from butler.understanding.reader import Request
from butler.understanding.stored_words import group_in

FILE = ("butler.orchestrator.understanding.requests", "unseen")
REMINDER = "reminder.create"
ACTS = SENDS | {"automation.create", REMINDER}
SAID = frozenset({"text", "reported", "asked", "title", "subject", "query", "action", "topic"})
"""Slots with words for others, or for what an act is about."""


def unseen(found: Sequence[Request]) -> Unclear | None:
    """Return the question about a condition that nothing tells Butler of; None if no act has one.

    Args:
        found: The requests of a message.
    """
    if not any(one.intent in ACTS or acts_at_once(one.intent) for one in found):
        return None
    reminds = all(one.intent == REMINDER for one in found)
    words = next(filter(None, (_condition(one, reminds=reminds) for one in found)), "")
    return Unclear(say(ONLY_IF, words=words)) if words else None


def _condition(one: Request, *, reminds: bool) -> str:
    """Return the words of such a condition; empty if there is none."""
    said = masked(one.text, [slot for slot in one.slots if slot.slot in SAID])
    kinds = ("outside",) if reminds else ("outside", "whereabouts")
    match = next(filter(None, (_told_by_nothing(kind).search(said) for kind in kinds)), None)
    return one.text[match.start() : match.end()] if match is not None else ""


@cache
def _told_by_nothing(kind: str) -> re.Pattern[str]:
    ways = (
        rf"{group_in(*FILE, 'when', language)}\s*{group_in(*FILE, kind, language)}" for language in table(*FILE)["when"]
    )
    return re.compile(rf"(?<![\w'’-])(?:{'|'.join(ways)})(?!\w)", re.IGNORECASE)
