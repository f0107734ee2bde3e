"""How likely each reading of a request is, given what was said and shown before it."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.understanding.act_words import says
from butler.orchestrator.understanding.context import FLAG, context_of
from butler.orchestrator.understanding.reminders.reply import of_something_new
from butler.orchestrator.understanding.requests.left_out import touches
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
"""The intents that are about what is of a kind."""
ANSWERS = ("answer.", "choose")
ANSWERS_TO_A_CARD = {"answer.yes": "approve.all", "answer.no": "approve.deny", "answer.value": "approve.change"}
"""What is said behind a card is for the card."""
CHANGE = "approve.change"
OF_CARDS = frozenset({"approve.change", "approve.all"})
SHOWN, REPLIED, ASKED_FOR, UNASKED = 4.0, 4.0, 6.0, 0.02
PREFERENCE, OF_THE_CARD = "preference.set", 0.1
"""How likely `less formal` is said of all answers where a card waits."""
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
"""Those of these that need no such thing."""
OF_MANY, OF_NO_MAILS = frozenset({"mail.archive", "mail.trash"}), 0.1
"""How likely whole inboxes are put away, where neither mails were shown nor any are described: `clean my inbox`."""
ALERTS = 0.3
MEETINGS = frozenset(
    folded(
        "meetings appointments events termine terminen besprechungen rendez-vous rdv réunions citas reuniones"
    ).split()
)
"""Several events, whose reminders are alerts of the calendar."""
OF_OTHERS = 0.05
"""How likely words that name nothing are about things of another kind than was shown."""
WITHOUT_A_SLOT = 0.5
"""How likely a reading is that does not take all that was marked."""
OTHERWISE = 0.1
"""The probability of all that is no answer from which on that may be meant."""
NAMING = frozenset({"topic", "from", "title", "with", "filter", "text", "reported", "subject", "list", "board", "age"})
"""Slots that say which thing is meant."""
NO_CARD = 0.02
"""How likely words are about a card where none waits."""
SHORTEST = 4
"""Letters of a word that tells a thing from others."""
NEAR = 0.4
"""How near an intent that it must not be mistaken for may come to the likeliest."""
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
"""Intents whose builders see to each other's requests, so that a doubt between them is none."""
LOOKING = frozenset(
    {"mail.search", "mail.read", "mail.count", "mail.senders", "mail.threads", "chat.read", "chat.list"}
    | {"calendar.list", "calendar.free", "calendar.calendars", "card.list", "card.read", "card.boards"}
    | {"file.list", "file.search", "file.read", "web.read", "memory.ask", "memory.list", "note.search"}
    | {"reminder.list", "automation.list", "digest.now", "server.metrics", "server.logs"}
)
"""Intents by which nothing is done: where two of them are likely, nobody minds if the likelier one is looked at."""
QUESTIONS = frozenset({"memory.ask", "note.search", "file.search", "decline.knowledge"})
"""What no order is: whoever wants something done is not answered from what was read."""
ORDERED = 0.25
"""The probability that something is to be done from which on a request is an order."""
ORDERS = frozenset(f"decline.{what}" for what in ("booking", "home", "music", "phone", "create"))
"""Orders that Butler cannot carry out."""
TALK = ("chat.", "answer.", "command.", "approve.", "decline.", "refine", "choose", "more", "unclear", "undo")

NONE: frozenset[str] = frozenset()
NOTHING = ("unclear", 0.01)
"""What is left where the intents of a request went with their module."""


def weighed(request: Request, asked: PlannerInput) -> Request:
    """The request with its readings in the order of their likelihood now; the probabilities of all add up to 1."""
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
    if _alerts_of_events(request, weights):
        weights["calendar.remind"] += weights.pop("reminder.remove")
    for intent in filter(touches, list(weights) if _speaks_of_card(request, asked, context) else ()):
        weights[CHANGE] = weights.get(CHANGE, 0.0) + weights.pop(intent)
    for answer, of_the_card in ANSWERS_TO_A_CARD.items() if _is_to_a_card(asked, context) else ():
        weights[of_the_card] = weights.get(of_the_card, 0.0) + weights.pop(answer, 0.0)
    total = sum(weights.values()) + max(0.0, 1 - sum(share for _, share in request.readings))
    order = sorted(weights, key=lambda intent: -weights[intent])
    return replace(request, readings=tuple((intent, weights[intent] / total) for intent in order))


def _alerts_of_events(request: Request, weights: Mapping[str, float]) -> bool:
    """Whether reminders are those of several events: `turn off the reminders for all meetings`."""
    words = {folded(word.strip(".,;:!?")) for word in request.text.split()}
    return "reminder.remove" in weights and weights.get("calendar.remind", 0.0) >= ALERTS and bool(words & MEETINGS)


def _speaks_of_card(request: Request, asked: PlannerInput, context: Sequence[str]) -> bool:
    """Whether what is named stands in the card that waits: `take the dinner out`, of a mail that says so."""
    last = asked.history[-1] if asked.history else None
    if not _is_to_a_card(asked, context) or last is None or last.role != "assistant":
        return False
    if says("nouns", request.text) or any(one.slot != "topic" for one in request.slots):
        return False
    told = folded(last.content)
    named = [word for words in request.words("topic") for word in folded(words).split() if len(word) >= SHORTEST]
    return bool(named) and all(word in told for word in named)


def _about_others(request: Request, asked: PlannerInput) -> frozenset[str]:
    """The readings by which something is done to things of a kind that was not shown, where none is named: `bin it`."""
    kinds = {one.kind for one in asked.replied_to} or ({asked.last_shown.kind} if asked.last_shown else set())
    flags = {FLAG[kind] for kind in kinds if kind in FLAG} - {APPROVAL}
    if not flags or any(one.slot in NAMING for one in request.slots):
        return NONE
    theirs = (name for name, _ in request.readings if name.startswith(OF_ONE_KIND) and name not in OF_SEVERAL)
    return frozenset(name for name in theirs if not flags & {*flags_of(name)})


def _is_to_a_card(asked: PlannerInput, context: Sequence[str]) -> bool:
    """Whether an answer is for the card that waits, and not for a question that was asked since."""
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
    """The request where it answers nothing that was asked; unchanged where nothing else is near."""
    others = tuple(one for one in request.readings if not one[0].startswith(ANSWERS))
    total = sum(share for _, share in others)
    if not request.intent.startswith(ANSWERS) or total < OTHERWISE:
        return request
    return replace(request, readings=tuple((intent, share / total) for intent, share in others))


def is_order(request: Request) -> bool:
    """Whether something is likely to be done, and not only looked for."""
    acts = [
        share
        for name, share in request.readings
        if name in ORDERS or (name not in LOOKING and not name.startswith(TALK))
    ]
    return sum(acts) >= ORDERED


def sureness(request: Request) -> float:
    """The probability of the likeliest reading, with those that come to the same."""
    intent, share = request.readings[0]
    alike = frozenset[str]().union(*(group for group in ALIKE if intent in group))
    never = intents()[intent].never - alike - (LOOKING if intent in LOOKING else NONE)
    if intent in QUESTIONS and is_order(request):
        return 0.0
    if any(name in never and other > share * NEAR for name, other in request.readings[1:]):
        return 0.0
    return share + sum(other for name, other in request.readings[1:] if name in alike)
