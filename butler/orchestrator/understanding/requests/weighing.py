"""Weighs the readings of a request by what was said and shown before it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.context import FLAG, context_of
from butler.orchestrator.understanding.reminders.reply import of_something_new
from butler.orchestrator.understanding.requests.left_out import touches
from butler.orchestrator.understanding.requests.request_words import group, whole
from butler.orchestrator.understanding.things.named import REMINDERS, SEVERAL_EVENTS
from butler.understanding.context import APPROVAL, ASKED, flags_of
from butler.understanding.reader import Request
from butler.understanding.tables import intents
from butler.understanding.times.lexicon import folded

OF_KIND = {
    ReferentKind.MAIL: ("mail.", "memory.ask"), ReferentKind.MESSAGE: ("message.", "chat."),
    ReferentKind.REMINDER: ("reminder.",), ReferentKind.EVENT: ("calendar.", "mail.invite"),
    ReferentKind.CARD: ("card.",), ReferentKind.BOARD: ("card.",), ReferentKind.FILE: ("file.",),
    ReferentKind.PAGE: ("web.",),
    ReferentKind.NOTE: ("note.", "memory.forget"), ReferentKind.SOURCE: ("memory.",),
    ReferentKind.APPROVAL: ("approve.",),
}  # fmt: skip
"""Intents by the kind of things that they are about."""
ANSWERS = ("answer.", "choose")
ANSWERS_TO_A_CARD = {"answer.yes": "approve.all", "answer.no": "approve.deny", "answer.value": "approve.change"}
"""Answers after a card, and the intents for the card that they mean."""
CHANGE = "approve.change"
OF_CARDS = frozenset({"approve.change", "approve.all"})
SHOWN, REPLIED, ASKED_FOR, UNASKED = 4.0, 4.0, 6.0, 0.02
PREFERENCE, OF_THE_CARD = "preference.set", 0.1
"""The weight of a preference such as `less formal` for all answers while a card waits."""
OF_ONE_KIND = ("reminder.", "card.", "automation.", "calendar.", "mail.", "message.edit", "message.delete")
OF_SEVERAL = frozenset(
    {
        f"mail.{what}"
        for what in ("send", "draft", "reply", "forward", "search", "count", "senders", "threads", "invite")
    }
    | {f"calendar.{what}" for what in ("create", "list", "free", "decline", "calendars", "read", "remind")}
    | {f"{kind}.{what}" for kind in ("card", "reminder", "automation") for what in ("create", "list")}
    | {"mail.read", "card.boards", "card.new_list", "reminder.travel"}
)
"""Intents of these families that need no existing thing."""
OF_MANY, OF_NO_MAILS = frozenset({"mail.archive", "mail.trash"}), 0.1
"""The weight of clearing whole inboxes, if no mails were shown or described: `clean my inbox`."""
ALERTS = 0.1
OF_OTHERS = 0.05
"""The weight of acting on another kind of things than was shown, if the words name nothing."""
WITHOUT_A_SLOT = 0.5
"""The weight of a reading that does not take all marked slots."""
OTHERWISE = 0.1
"""The least total probability of other readings for them to replace an answer."""
NAMING = frozenset({"topic", "from", "title", "with", "filter", "text", "reported", "subject", "list", "board", "age"})
"""Slots that identify a thing."""
NO_CARD = 0.02
"""The weight of intents about a card if none waits."""
SHORTEST = 4
"""The least number of letters of an identifying word."""
NEAR = 0.4
"""The share of the likeliest reading's probability from which on a dangerous confusion counts as doubt."""
ALIKE = (
    frozenset({"mail.reply", "message.reply"}),
    frozenset({"mail.send", "message.send"}),
    frozenset({"message.reply", "message.send"}),
    frozenset({"mail.search", "mail.read", "mail.count"}),
    frozenset({"calendar.list", "calendar.free"}),
    frozenset({"note.search", "memory.ask"}),
    frozenset({"calendar.move", "calendar.change"}),
    frozenset({"approve.list", "watch.list"}),
    frozenset({"reminder.create", "calendar.remind"}),
    frozenset({"reminder.change", "reminder.snooze"}),
    frozenset({"file.search", "file.read"}),
    frozenset({"mail.read", "file.read"}),
    frozenset({"memory.ask", "file.read"}),
    frozenset({"approve.deny", "undo", "answer.no"}),
    frozenset({"mail.invite", "calendar.decline"}),
    frozenset({"card.list", "card.read"}),
    frozenset({"tools.help", "command.help"}),
)
"""Intents whose builders handle each other's requests, so that a doubt between them does not matter."""
LOOKING = frozenset(
    {"mail.search", "mail.read", "mail.count", "mail.senders", "mail.threads", "chat.read", "chat.list"}
    | {"calendar.list", "calendar.free", "calendar.calendars", "card.list", "card.read", "card.boards"}
    | {"file.list", "file.search", "file.read", "web.read", "memory.ask", "memory.list", "note.search"}
    | {"reminder.list", "automation.list", "digest.now", "server.metrics", "server.logs"}
)
"""Intents that only look: between two likely ones, taking the likelier one does no harm."""
QUESTIONS = frozenset({"memory.ask", "note.search", "file.search", "decline.knowledge"})
"""Questions; an order is never answered from what was read."""
ORDERED = 0.25
"""The probability of acting intents from which on a request is an order."""
ORDERS = frozenset(f"decline.{what}" for what in ("booking", "home", "music", "phone", "create"))
"""Orders that Butler cannot carry out."""
TALK = ("chat.", "answer.", "command.", "approve.", "decline.", "refine", "choose", "more", "unclear", "undo")
MOVE_CARD = "user_trello_move_card"
CARD_NOUN = re.compile(rf"{group('card')}$")
"""The end of a word for a card, which may be a compound: `Visumkarte`."""

NONE: frozenset[str] = frozenset()
NOTHING = ("unclear", 0.01)
"""The reading that remains if the modules of all intents are missing."""


@dataclass(frozen=True, slots=True)
class Meant:
    """A reading that is meant although another is likelier, where the request has certain words and slots."""

    intent: str
    share: float
    words: re.Pattern[str]
    with_slots: frozenset[str] = frozenset()
    without: frozenset[str] = frozenset()

    def fits(self, request: Request) -> bool:
        """Return whether the request has the words and slots."""
        slots = {one.slot for one in request.slots}
        return self.with_slots <= slots and not self.without & slots and self.words.search(request.text) is not None


ANY = re.compile("")
TOLD_NOT_TO = whole("told_not_to")
"""What the owner wants to be told not to do: `tell me not to smoke`."""
MEANT = (
    ("calendar.decline", Meant("reminder.create", 0.02, TOLD_NOT_TO)),
    ("reminder.remove", Meant("reminder.create", 0.1, TOLD_NOT_TO)),
    ("automation.create", Meant("digest.time", 0.2, ANY, frozenset({"every"}), frozenset({"action", "trigger"}))),
    ("calendar.list", Meant("calendar.free", 0.05, whole("free"),
                            without=frozenset({"topic", "with"}))),
    ("note.create", Meant("web.read", 0.2, ANY, frozenset({"url"}), frozenset({"text"}))),
)  # fmt: skip
"""Readings by the likelier ones."""


def weighed(request: Request, asked: PlannerInput) -> Request:
    """Return the request with its readings weighed and in order; all probabilities add up to 1."""
    known = of_something_new(dict(request.readings), request, asked)
    known = {intent: share for intent, share in known.items() if intent in intents()} or dict([NOTHING])
    context = context_of(asked)
    of_others, slots = _about_others(request, asked), {one.slot for one in request.slots}
    weights = {
        intent: share
        * _weight(intent, asked, context)
        * (OF_OTHERS if intent in of_others else 1.0)
        * (1.0 if slots <= set(intents()[intent].slots) else WITHOUT_A_SLOT)
        * (OF_NO_MAILS if intent in OF_MANY and not slots and not context else 1.0)
        for intent, share in known.items()
    }
    for likely, meant in MEANT:
        if (
            likely in weights
            and weights.get(meant.intent, 0.0) >= meant.share
            and request.intent == likely
            and meant.fits(request)
        ):
            weights[meant.intent] += weights.pop(likely)
    if _may_be_a_card(request, asked):
        both = weights["reminder.done"] + weights.get("card.move", 0.0)
        weights |= {"reminder.done": both / 2, "card.move": both / 2}
    if _alerts_of_events(request, weights):
        weights["calendar.remind"] += weights.pop("reminder.remove")
    for intent in filter(touches, list(weights) if _speaks_of_card(request, asked, context) else ()):
        weights[CHANGE] = weights.get(CHANGE, 0.0) + weights.pop(intent)
    for answer, of_the_card in ANSWERS_TO_A_CARD.items() if _is_to_a_card(asked, context) else ():
        weights[of_the_card] = weights.get(of_the_card, 0.0) + weights.pop(answer, 0.0)
    total = sum(weights.values()) + max(0.0, 1 - sum(share for _, share in request.readings))
    order = sorted(weights, key=lambda intent: -weights[intent])
    return replace(request, readings=tuple((intent, weights[intent] / total) for intent in order))


def _may_be_a_card(request: Request, asked: PlannerInput) -> bool:
    """Return whether what is done may be a card of the owner's boards too: `mark the visa card done`."""
    boards = "card.move" in intents() and any(tool.tool_name == MOVE_CARD for tool in asked.tools)
    shown = [one.kind for one in (*asked.replied_to, asked.last_shown) if one is not None]
    if not boards or request.intent != "reminder.done" or ReferentKind.REMINDER in shown:
        return False
    words = {folded(word.strip(".,;:!?")) for word in request.text.split()}
    named = any(CARD_NOUN.search(word) for word in words) and words.isdisjoint(REMINDERS)
    return named and says("finished", request.text)


def _alerts_of_events(request: Request, weights: Mapping[str, float]) -> bool:
    """Return whether reminders are alerts of several events: `turn off the reminders for all meetings`."""
    words = {folded(word.strip(".,;:!?")) for word in request.text.split()}
    return (
        "reminder.remove" in weights
        and weights.get("calendar.remind", 0.0) >= ALERTS
        and not words.isdisjoint(map(folded, SEVERAL_EVENTS))
    )


def _speaks_of_card(request: Request, asked: PlannerInput, context: Sequence[str]) -> bool:
    """Return whether the words name something in the waiting card: `take the dinner out`, about a mail on it."""
    last = asked.history[-1] if asked.history else None
    if not _is_to_a_card(asked, context) or last is None or last.role != "assistant":
        return False
    if says("nouns", request.text) or any(one.slot != "topic" for one in request.slots):
        return False
    told = folded(last.content)
    named = [word for words in request.words("topic") for word in folded(words).split() if len(word) >= SHORTEST]
    return bool(named) and all(word in told for word in named)


def _about_others(request: Request, asked: PlannerInput) -> frozenset[str]:
    """Return the readings that act on another kind of things than was shown, if none is named: `bin it`."""
    kinds = {one.kind for one in asked.replied_to} or ({asked.last_shown.kind} if asked.last_shown else set())
    flags = {FLAG[kind] for kind in kinds if kind in FLAG} - {APPROVAL}
    if not flags or any(one.slot in NAMING for one in request.slots):
        return NONE
    theirs = (name for name, _ in request.readings if name.startswith(OF_ONE_KIND) and name not in OF_SEVERAL)
    return frozenset(name for name in theirs if not flags & {*flags_of(name)})


def _is_to_a_card(asked: PlannerInput, context: Sequence[str]) -> bool:
    """Return whether an answer is for the waiting card, and not for a later question."""
    shown = asked.last_shown is not None and asked.last_shown.kind is ReferentKind.APPROVAL
    return APPROVAL in context and (shown or ASKED not in context)


def _weight(intent: str, asked: PlannerInput, context: Sequence[str]) -> float:
    if intent in (OF_CARDS if APPROVAL not in context else {PREFERENCE}):
        return NO_CARD if intent in OF_CARDS else OF_THE_CARD
    last = asked.history[-1] if asked.history else None
    if intent.startswith(ANSWERS):
        if last is None or last.role != "assistant":
            return UNASKED
        return ASKED_FOR if ASKED in context else 1.0
    replied = {one.kind for one in asked.replied_to}
    if any(intent.startswith(OF_KIND.get(kind, ())) for kind in replied):
        return REPLIED
    shown = asked.last_shown
    if shown is not None and intent.startswith(OF_KIND.get(shown.kind, ())):
        return SHOWN
    return 1.0


def without_answers(request: Request) -> Request:
    """Return the request without readings as an answer; unchanged if no other reading is near."""
    others = tuple(one for one in request.readings if not one[0].startswith(ANSWERS))
    total = sum(share for _, share in others)
    if not request.intent.startswith(ANSWERS) or total < OTHERWISE:
        return request
    return replace(request, readings=tuple((intent, share / total) for intent, share in others))


def is_order(request: Request) -> bool:
    """Return whether a request likely asks to do something, not only to look."""
    acts = [
        share
        for name, share in request.readings
        if name in ORDERS or (name not in LOOKING and not name.startswith(TALK))
    ]
    return sum(acts) >= ORDERED


def sureness(request: Request) -> float:
    """Return the probability of the likeliest reading and its equivalents; 0 if a confusion would be dangerous."""
    intent, share = request.readings[0]
    alike = frozenset[str]().union(*(group for group in ALIKE if intent in group))
    never = intents()[intent].never - alike - (LOOKING if intent in LOOKING else NONE)
    if intent in QUESTIONS and is_order(request):
        return 0.0
    if any(name in never and other > share * NEAR for name, other in request.readings[1:]):
        return 0.0
    return share + sum(other for name, other in request.readings[1:] if name in alike)
