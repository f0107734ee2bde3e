"""How likely each reading of a request is, given what was said and shown before it."""

from dataclasses import replace

from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.understanding.reader import Request
from butler.understanding.tables import intents

OF_KIND = {
    ReferentKind.MAIL: ("mail.",), ReferentKind.MESSAGE: ("message.", "chat."), ReferentKind.REMINDER: ("reminder.",),
    ReferentKind.EVENT: ("calendar.",), ReferentKind.CARD: ("card.",), ReferentKind.BOARD: ("card.",),
    ReferentKind.FILE: ("file.",), ReferentKind.PAGE: ("web.",), ReferentKind.NOTE: ("note.",),
    ReferentKind.SOURCE: ("memory.",), ReferentKind.APPROVAL: ("approve.",),
}  # fmt: skip
"""The intents that are about what is of a kind."""
ANSWERS = ("answer.", "choose")
SHOWN, REPLIED, ASKED, UNASKED = 2.0, 4.0, 3.0, 0.05
NEAR = 0.4
"""How near an intent that it must not be mistaken for may come to the likeliest."""
ALIKE = (
    frozenset({"mail.reply", "message.reply"}),
    frozenset({"mail.send", "message.send"}),
    frozenset({"mail.search", "mail.read", "mail.count"}),
    frozenset({"calendar.list", "calendar.free"}),
    frozenset({"note.search", "memory.ask"}),
    frozenset({"calendar.move", "calendar.change"}),
    frozenset({"file.search", "file.read"}),
    frozenset({"approve.deny", "undo", "answer.no"}),
)
"""Intents whose builders see to each other's requests, so that a doubt between them is none."""


NONE: frozenset[str] = frozenset()
NOTHING = ("unclear", 0.01)
"""What is left where the intents of a request went with their module."""


def weighed(request: Request, asked: PlannerInput) -> Request:
    """The request with its readings in the order of their likelihood now; the probabilities of all add up to 1."""
    known = [one for one in request.readings if one[0] in intents()] or [NOTHING]
    weights = {intent: share * _weight(intent, asked) for intent, share in known}
    total = sum(weights.values()) + max(0.0, 1 - sum(share for _, share in request.readings))
    order = sorted(weights, key=lambda intent: -weights[intent])
    return replace(request, readings=tuple((intent, weights[intent] / total) for intent in order))


def _weight(intent: str, asked: PlannerInput) -> float:
    last = asked.history[-1] if asked.history else None
    if intent.startswith(ANSWERS):
        if last is None or last.role != "assistant":
            return UNASKED
        return ASKED if "?" in last.content else 1.0
    replied = {one.kind for one in asked.replied_to}
    if any(intent.startswith(OF_KIND.get(kind, ())) for kind in replied):
        return REPLIED
    shown = asked.last_shown
    if shown is not None and intent.startswith(OF_KIND.get(shown.kind, ())):
        return SHOWN
    return 1.0


def sureness(request: Request) -> float:
    """The probability of the likeliest reading, with those that come to the same."""
    intent, share = request.readings[0]
    alike = next((group for group in ALIKE if intent in group), NONE)
    never = intents()[intent].never - alike
    if any(name in never and other > share * NEAR for name, other in request.readings[1:]):
        return 0.0
    return share + sum(other for name, other in request.readings[1:] if name in alike)
