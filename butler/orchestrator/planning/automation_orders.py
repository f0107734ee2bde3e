"""Orders for again and again are read out of the owner's words by the grammar, whichever planner reads all else.

Only the owner's own words make a rule. What a language model planned carries its label, and would be refused.
"""

from butler.orchestrator.planning.plan_types import Planned, Planner, PlannerInput, PlannerOutput
from butler.store.queries.rules import REPEAT

LONGEST = 500
"""Characters; what is longer is a letter, and no such order."""


class OwnRules:
    """Meets `Planner`: the planner without a model is asked first, and believed only where it finds such an order."""

    def __init__(self, planner: Planner, grammar: Planner) -> None:
        self._planner, self._grammar = planner, grammar

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """The plan for one request."""
        if not request.facts and len(request.words.value) <= LONGEST:
            read = await self._grammar.plan(request)
            if isinstance(read, Planned) and len(read.steps) == 1 and REPEAT in read.steps[0].args:
                return read
        return await self._planner.plan(request)
