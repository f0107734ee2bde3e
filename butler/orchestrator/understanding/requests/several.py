"""Handles several requests in one message: finds them, and makes one plan of all of them."""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from butler.orchestrator.embedded import calls
from butler.orchestrator.planning.plan_types import AboutCards, Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding import act_words
from butler.orchestrator.understanding.people.who import is_pronoun
from butler.orchestrator.understanding.requests.belonging import each_list, joined
from butler.orchestrator.understanding.requests.carrying import WRITES, carried, is_short, with_slots
from butler.orchestrator.understanding.requests.request_words import group
from butler.orchestrator.understanding.things.pointing import pointed
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

LISTS = frozenset(
    {"mail.search", "calendar.list", "card.list", "chat.list", "file.search", "reminder.list", "note.search"}
)
"""Requests whose answer is a list, whose first item is unknown beforehand."""
OPENED = frozenset({"mail.read", "file.read", "web.read"})
"""Intents that read something, whole or for a question."""
WITH_A_NOTE = frozenset({"mail.forward", "mail.invite"})
"""Intents whose recipient may be told something with them."""
MEMORY = "memory.ask"
WHAT_IS_KNOWN = re.compile(rf"\b{group('what')}\b.*{act_words.words('known').pattern}", re.IGNORECASE)
"""Words that only repeat a question to memory, such as `what do you know`."""
NOTED, PEOPLE = frozenset({"text", "reported", "asked"}), frozenset({"to", "from"})
SENDING = frozenset(
    {"user_telegram_send_message", "user_telegram_reply_to_message", "user_email_send_message"}
    | {"user_email_reply_to_thread"}
)
TEXTS = ("text", "body")
ENDS = (".", "!", "?", "…")
ASIDES = ("chat.", "answer.yes", "answer.no")


def requests_of(found: Sequence[Request], now: datetime) -> list[Request]:
    """Return the requests of a message without greetings, thanks and a yes, unless it holds nothing else.

    Args:
        found: The requests as they were read.
        now: Local and aware.
    """
    parts = [one for one in found if not one.intent.startswith(ASIDES)] or list(found)
    return carried(opened_once(each_list(joined(parts))), now)


def opened_once(parts: Sequence[Request]) -> list[Request]:
    """Join requests that open something and ask about it: `open the attachment and tell me what it costs`.

    Words to the recipient of a forwarded mail become a note with it: `forward it to Carol and tell her it's urgent`. So
    do words to whoever invited the owner: `accept the invitation from Ola and tell her I'll be late`. A
    question of what is known `about it` belongs to the question to memory before it.
    """
    found: list[Request] = []
    for one in parts:
        rest = tuple(slot for slot in one.slots if not (slot.slot == "ref" and is_short(slot)))
        if found and found[-1].intent == one.intent == "file.read":
            # A topic after an opened file is a question about it.
            rest = tuple(replace(slot, slot="query") if slot.slot == "topic" else slot for slot in rest)
        asks = all(slot.slot == "query" for slot in rest)
        notes = all(slot.slot in NOTED or (slot.slot in PEOPLE and is_pronoun(slot.text)) for slot in rest) and rest
        if found and found[-1].intent == one.intent == MEMORY:
            found[-1] = _one_question(found[-1], one)
        elif found and found[-1].intent == MEMORY and not rest and WHAT_IS_KNOWN.search(one.text):
            continue
        elif found and {found[-1].intent, one.intent} <= OPENED and asks:
            found[-1] = with_slots(found[-1], one, rest)
        elif found and found[-1].intent in WITH_A_NOTE and one.intent in WRITES and notes:
            found[-1] = with_slots(found[-1], one, tuple(slot for slot in rest if slot.slot in NOTED))
        else:
            found.append(one)
    return found


def _one_question(first: Request, later: Request) -> Request:
    """Return two questions to memory as one: `what's the notice period, and from when is it counted`."""
    text = f"{first.text.rstrip()} {later.text.strip()}"
    return replace(first, text=text, slots=(SlotWords("query", text, 0, len(text)),))


def unlisted(found: Sequence[Request]) -> int | None:
    """Return the index of the request whose list a later one counts in: `find invoices and forward the first one`."""
    for at, one in enumerate(found):
        counted = any(pointed(words, one.language or "en").numbers for words in one.words("ref"))
        lists = [n for n in range(at) if found[n].intent in LISTS and flags_of(found[n].intent) == flags_of(one.intent)]
        if counted and lists:
            return lists[-1]
    return None


def together(outputs: Sequence[PlannerOutput]) -> PlannerOutput:
    """Return one output for a message: all steps in order, or only the question if one has to be asked.

    Acts on a card come first, and the other plans follow.
    """
    if len(outputs) == 1:
        return outputs[0]
    plans: list[Planned] = [one for one in outputs if isinstance(one, Planned)]
    asked = next((one for one in outputs if isinstance(one, Unclear)), None)
    if asked is not None:
        return asked
    if isinstance(to_card := outputs[0], AboutCards) and len(plans) == len(outputs) - 1:
        return replace(to_card, then=_one_plan(plans))
    return _one_plan(plans) if len(plans) == len(outputs) else outputs[0]


def _one_plan(plans: Sequence[Planned]) -> Planned:
    """Return one plan with all steps in order, without repetitions."""
    plan = plans[0]
    for one in plans[1:]:
        if _does(one) == _does(plan):
            continue
        longer = _one_text(plan, one)
        plan = longer or calls.plan(*plan.steps, *calls.moved(one, len(plan.steps)))
    return plan


def _does(plan: Planned) -> list[object]:
    return [(step.tool_call, step.args, step.not_before) for step in plan.steps]


def _one_text(plan: Planned, later: Planned) -> Planned | None:
    """Return one message if both write to the same people: `thank her and tell her I come`; else None."""
    if len(later.steps) != 1 or not plan.steps:
        return None
    last, more = plan.steps[-1], later.steps[0]
    told = next((name for name in TEXTS if isinstance(last.args.get(name), str)), "")
    same = {name: value for name, value in last.args.items() if name not in {told, "subject"}}
    if (
        not told
        or last.tool_call not in SENDING
        or (last.tool_call, last.not_before, same)
        != (more.tool_call, more.not_before, {n: v for n, v in more.args.items() if n not in {told, "subject"}})
    ):
        return None
    first = last.args[told].rstrip()
    joined = f"{first}{'' if first.endswith(ENDS) else '.'} {more.args[told]}"
    step = last.model_copy(update={"args": {**last.args, told: joined}})
    return calls.plan(*plan.steps[:-1], step)
