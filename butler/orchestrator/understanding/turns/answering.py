"""Combines a request with the owner's answer to a question: `remind me tomorrow at nine`, `of what?`, `to buy milk`."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Command, NotUnderstood, Planned, PlannerOutput, Unclear
from butler.orchestrator.understanding.messages import WAYS
from butler.orchestrator.understanding.requests.carrying import PEOPLE, SENDS, TEXTS, with_day, with_slots
from butler.orchestrator.understanding.requests.several import requests_of, together
from butler.orchestrator.understanding.requests.weighing import LOOKING
from butler.orchestrator.understanding.turns.conversation import MOST_TURNS, Turns
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.tables import intents, slots_of

ANSWERS = frozenset({"answer.value", "choose"})
REFUSALS = frozenset({"answer.no", "approve.deny", "undo", "approve.change"})
REFUSED = 0.2
"""The probability of a no or another wish from which on a message is no answer."""
UNSURE = 0.55
"""The probability below which a message after a question counts as its answer."""
REPLIES = {ReferentKind.MESSAGE: "message.reply", ReferentKind.MAIL: "mail.reply"}
LIKELY = 0.05
"""The least probability of a reading that an answer may complete."""
SHORT = 6
"""The most words of a short answer without marks."""
A_WAY = 3
"""The most words of an answer that names a channel."""
GUESSES = (
    "time", "to", "text", "topic", "title", "query", "list", "label", "folder", "value", "duration", "every", "subject",
)  # fmt: skip
"""Slots that a bare answer may fill, tried in order."""
ALIKE = (
    ("to", "with", "from"),
    ("list", "board", "folder", "account"),
    ("text", "reported", "title", "topic", "subject", "value", "query"),
)
"""Groups of slots that the reader may confuse in an answer."""


def is_answer(found: Sequence[Request]) -> bool:
    """Return whether a message after a question is likely its answer, and not a no."""
    if len(found) != 1 or sum(share for intent, share in found[0].readings if intent in REFUSALS) > REFUSED:
        return False
    return found[0].intent in ANSWERS or found[0].confidence < UNSURE


def answered(answer: Request, turns: Turns) -> PlannerOutput | None:
    """Return the output for the request that was asked about, with its answer; None if the answer does not help."""
    later: list[Request] = [answer]
    for found, asked in turns.asked():
        if not found:
            return None
        if is_answer(found) and (asked or found[0].intent in ANSWERS) and len(later) < MOST_TURNS:
            later.append(found[0])
            continue
        return _with_answers(requests_of(found, turns.scene.now()), later, turns)
    return None


def _with_answers(parts: list[Request], later: Sequence[Request], turns: Turns) -> PlannerOutput | None:
    """Return the output for all requests of a message; the one that was asked about has the answers, newest first."""
    outputs = [turns.build(one) for one in parts]
    at = next((at for at, one in enumerate(outputs) if isinstance(one, Unclear)), len(parts) - 1)
    settled = isinstance(outputs[at], Planned | Command)
    names = later[0].intent in ANSWERS and bool(later[0].slots)
    if settled and not names and not _channel(later[0], parts[at]):
        return None
    said = settled and parts[at].intent in LOOKING and any(one.slot in TEXTS for one in later[0].slots)
    if said and (reply := _reply(later[0], turns)) is not None:
        return reply
    request = _asked_about(parts[at], later[-1], turns.build)
    for one in reversed(later):
        merged = _merged(request, one, turns.build, turns.scene.now())
        if merged is None:
            return None
        request = merged
    after = turns.build(request)
    if after == outputs[at] or isinstance(after, NotUnderstood):
        return None
    outputs[at] = after
    return together(outputs)


def _reply(answer: Request, turns: Turns) -> PlannerOutput | None:
    """Return an answer to a message that was only read: `what does Bob say`, `tell him yes`."""
    shown = turns.scene.request.last_shown
    intent = REPLIES.get(shown.kind) if shown is not None else None
    if intent is None:
        return None
    return turns.build(replace(answer, readings=((intent, answer.confidence),)))


def _asked_about(request: Request, answer: Request, build: Callable[[Request], PlannerOutput]) -> Request:
    """Return the request in the likeliest reading that takes the answer's slots and needs an answer."""
    kinds = {one.slot for one in answer.slots}
    unaddressed = any(map(request.words, TEXTS)) and not any(map(request.words, PEOPLE))
    says_all = any(map(answer.words, TEXTS)) and not {"topic", "ref", *TEXTS} & set(slots_of(request.intent))
    told = kinds & set(TEXTS) and request.words("to") and not set(TEXTS) & set(slots_of(request.intent))
    if ("to" in kinds and (unaddressed or says_all)) or told:
        shares = dict(request.readings)
        likelier = max(sorted(SENDS, reverse=True), key=lambda name: shares.get(name, 0.0))
        return replace(request, readings=((likelier, 1.0),))
    for intent, share in request.readings:
        takes = slots_of(intent)
        meant = request.as_(intent)
        if share >= LIKELY and kinds & set(takes) and isinstance(build(meant), Unclear):
            return meant
    return request


def _merged(
    request: Request, answer: Request, build: Callable[[Request], PlannerOutput], now: datetime
) -> Request | None:
    """Return the request with an answer's slots; a bare answer fills the first slot that changes the output."""
    before = build(request)
    for slots in _ways(answer, request, now):
        joined = with_slots(request, answer, slots)
        if (after := build(joined)) != before and not isinstance(after, NotUnderstood):
            return joined
    words = answer.text.strip()
    if len(words.split()) > SHORT and not answer.slots:
        return with_slots(request, answer, (SlotWords("text", words, 0, len(words)),))
    guesses = [
        with_slots(request, answer, (SlotWords(slot, words, 0, len(answer.text)),))
        for slot in GUESSES
        if not any(one.slot == slot for one in request.slots)
    ]
    outputs = [build(one) for one in guesses]
    done = (one for one, output in zip(guesses, outputs, strict=True) if isinstance(output, Planned | Command))
    further = (one for one, output in zip(guesses, outputs, strict=True) if output != before)
    return next(done, None) or next(further, None)


def _ways(answer: Request, request: Request, now: datetime) -> Iterator[tuple[SlotWords, ...]]:
    """Yield the slots that an answer may fill, the likeliest first."""
    if channel := _channel(answer, request):
        yield channel
    if not answer.slots:
        return
    takes = slots_of(request.intent)
    fitting = tuple(_taken(one, takes, request) for one in answer.slots)
    yield with_day(fitting, request, now)
    yield fitting
    yield answer.slots


def _channel(answer: Request, request: Request) -> tuple[SlotWords, ...]:
    """Return the channel if an answer names nothing else: `mail please`."""
    words = answer.text.strip()
    takes = request.intent in intents() and "channel" in intents()[request.intent].slots
    named = takes and len(words.split()) <= A_WAY and any(pattern.search(words) for pattern, _ in WAYS)
    return (SlotWords("channel", words, 0, len(words)),) if named else ()


def _taken(one: SlotWords, takes: Mapping[str, str], request: Request) -> SlotWords:
    """Return the words in a slot that the request takes and does not have yet."""
    if one.slot in takes:
        return one
    alike = next((group for group in ALIKE if one.slot in group), ())
    other = next((slot for slot in alike if slot in takes and not request.words(slot)), one.slot)
    return replace(one, slot=other)
