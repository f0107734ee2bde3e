"""Reads some orders out of the owner's words without a model, whichever planner plans the rest.

Only the owner's own words make a rule for an automation: what a language model planned carries its label and would be
refused. And plain words about a card that waits ("deny all", "don't send it") need no model.
"""

from butler.orchestrator.planning.card_words import may_be_about_a_card
from butler.orchestrator.planning.plan_types import (
    AboutCards,
    CardAct,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
)
from butler.provenance import MODEL_PLAN
from butler.store.queries.rules import REPEAT

LONGEST = 500
"""Characters; a longer text is a letter, not an order."""
SURE = 0.95
"""The probability from which words are about a card."""


WORDS = frozenset({"text", "reported", "subject", "title"})
"""Slots for words of a card: where they go, such as in front of the text, is said around them in many ways."""


class OrderPlanner:
    """Implements `Planner`: asks the planner without a model first, and uses its output only if it is such an order."""

    def __init__(self, planner: Planner, reading: Planner) -> None:
        self._planner, self._reading = planner, reading

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan one request."""
        if not request.facts and len(request.words.value) <= LONGEST:
            read = await self._reading.plan(request)
            if isinstance(read, Planned) and len(read.steps) == 1 and REPEAT in read.steps[0].args:
                return read
            if isinstance(read, AboutCards) and request.card_waits and _is_meant(read, request):
                return read
        return await self._planner.plan(request)


def _is_meant(read: AboutCards, request: PlannerInput) -> bool:
    """Return whether words are surely about a card, and no change of what a model has just said."""
    answered = bool(request.history) and MODEL_PLAN in request.history[-1].origins
    worded = any(slot in WORDS for slot, _ in read.values)
    if read.confidence < SURE or (read.act is CardAct.CHANGE and (answered or worded)):
        return False
    if read.act is CardAct.DENY and not (read.every or read.named or _just_came(request)):
        return False
    return may_be_about_a_card(request.words.value, read)


def _just_came(request: PlannerInput) -> bool:
    """Return whether one card waits at most, and the owner has said nothing since: a bare no can only mean that."""
    said = [message.timestamp for message in request.history if message.role == "user"]
    return len(request.cards) <= 1 and all(card.asked_at >= at for card in request.cards for at in said)
