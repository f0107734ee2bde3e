"""Several requests in one message: what a later one's `it` stands for, and one plan of all of them."""

from collections.abc import Sequence
from dataclasses import replace

from butler.orchestrator.embedded import calls
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.picking import CHOOSE
from butler.orchestrator.understanding.pointing import pointed
from butler.orchestrator.understanding.who import is_pronoun
from butler.understanding.context import flags_of
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request

NAMING = frozenset({"from", "topic", "time_of", "filter", "ref"})
"""Slots that say which thing is meant."""
LONGEST_PRONOUN = 2
LISTS = frozenset(
    {"mail.search", "calendar.list", "card.list", "chat.list", "file.search", "reminder.list", "note.search"}
)
"""Requests whose answer is a list, of which nobody knows the first one before it is there."""
OPENED = frozenset({"mail.read", "file.read", "web.read"})
"""What is read whole, or for what is asked of it."""
WRITTEN = frozenset({"mail.reply", "message.reply", "message.send", "mail.send"})
NOTED, PEOPLE = frozenset({"text", "reported"}), frozenset({"to", "from"})
MAIL_ACTS = (
    "mail.archive", "mail.trash", "mail.mark_", "mail.star", "mail.unstar", "mail.label", "mail.move", "mail.forward",
    "mail.reply", "mail.unsubscribe",
)  # fmt: skip
"""What is done to the mails that were named just before, where no others are named."""
SENDING = frozenset(
    {"user_telegram_send_message", "user_telegram_reply_to_message", "user_email_send_message"}
    | {"user_email_reply_to_thread"}
)
TEXTS = ("text", "body")
ENDS = (".", "!", "?", "…")
ASIDES = ("chat.", "answer.yes", "answer.no")


def with_slots(request: Request, later: Request, slots: tuple[SlotWords, ...]) -> Request:
    """Both texts one behind the other; a slot that is said anew takes the place of what it was."""
    text = f"{request.text}\n{later.text}"
    by = len(request.text) + 1
    new = {one.slot for one in slots}
    moved = tuple(replace(one, start=one.start + by, end=one.end + by) for one in slots)
    return replace(request, text=text, slots=(*(one for one in request.slots if one.slot not in new), *moved))


def requests_of(found: Sequence[Request]) -> list[Request]:
    """What is asked for in a message: greetings, thanks and a yes beside requests are none."""
    parts = [one for one in found if not one.intent.startswith(ASIDES)] or list(found)
    return carried(opened_once(parts))


def opened_once(parts: Sequence[Request]) -> list[Request]:
    """The requests, with one for what is opened and asked about: `open the attachment and tell me what it costs`.

    What is said to whom a mail is passed on to is a note with it: `forward it to Carol and tell her it's urgent`.
    """
    found: list[Request] = []
    for one in parts:
        rest = tuple(slot for slot in one.slots if not (slot.slot == "ref" and _is_pronoun(slot)))
        if found and found[-1].intent == one.intent == "file.read":
            # Of a file that is open already, a topic is asked for.
            rest = tuple(replace(slot, slot="query") if slot.slot == "topic" else slot for slot in rest)
        asks = all(slot.slot == "query" for slot in rest)
        notes = all(slot.slot in NOTED or (slot.slot in PEOPLE and is_pronoun(slot.text)) for slot in rest) and rest
        if found and {found[-1].intent, one.intent} <= OPENED and asks:
            found[-1] = with_slots(found[-1], one, rest)
        elif found and found[-1].intent == "mail.forward" and one.intent in WRITTEN and notes:
            found[-1] = with_slots(found[-1], one, tuple(slot for slot in rest if slot.slot in NOTED))
        else:
            found.append(one)
    return found


def _is_pronoun(slot: SlotWords) -> bool:
    return len(slot.text.split()) <= LONGEST_PRONOUN


def carried(parts: Sequence[Request]) -> list[Request]:
    """The requests of one message, with what a later one's `it` stands for said in its place.

    `read carol's mail and forward it to bob`: what says which mail is meant is put with the second request, too.
    """
    found: list[Request] = []
    for at, one in enumerate(parts):
        before = parts[at - 1] if at else None
        if before is not None and before.intent == CHOOSE:
            found[-1:] = [with_slots(one, before, before.slots)]
            continue
        pronoun = [slot for slot in one.slots if slot.slot == "ref" and _is_pronoun(slot)]
        own = {slot.slot for slot in one.slots}
        unnamed = one.intent.startswith(MAIL_ACTS) and not own & NAMING
        if before is not None and (pronoun or unnamed) and flags_of(before.intent) == flags_of(one.intent):
            names = [slot for slot in before.slots if slot.slot in NAMING and slot.slot not in own - {"ref"}]
            if names or before.intent == "mail.read":
                kept = tuple(slot for slot in one.slots if slot not in pronoun)
                found.append(with_slots(replace(one, slots=kept), before, tuple(names)))
                continue
        found.append(one)
    return found


def unlisted(found: Sequence[Request]) -> int | None:
    """Which request lists what a later one counts in: `find the invoices and forward the first one`; None for none."""
    for at, one in enumerate(found):
        counted = any(pointed(words, one.language or "en").numbers for words in one.words("ref"))
        lists = [n for n in range(at) if found[n].intent in LISTS and flags_of(found[n].intent) == flags_of(one.intent)]
        if counted and lists:
            return lists[-1]
    return None


def together(outputs: Sequence[PlannerOutput]) -> PlannerOutput:
    """All of a message: steps one behind the other; where one has to be asked about, its question alone."""
    if len(outputs) == 1:
        return outputs[0]
    plans: list[Planned] = [one for one in outputs if isinstance(one, Planned)]
    asked = next((one for one in outputs if isinstance(one, Unclear)), None)
    if asked is not None or len(plans) < len(outputs):
        return asked or outputs[0]
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
    """One message where both say something to the same people: `thank her and tell her I come`; else None."""
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
