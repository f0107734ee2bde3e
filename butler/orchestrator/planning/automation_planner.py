"""Reads orders for automations out of the owner's words without a model, whichever planner plans the rest.

Only the owner's own words make a rule; what a language model planned carries its label and would be refused.
"""

from butler.orchestrator.planning.plan_types import Planned, Planner, PlannerInput, PlannerOutput
from butler.store.queries.rules import REPEAT

LONGEST = 500
"""Characters; a longer text is a letter, not an order."""


class AutomationPlanner:
    """Implements `Planner`: asks the planner without a model first, and uses its plan only if it is such an order."""

    def __init__(self, planner: Planner, reading: Planner) -> None:
        self._planner, self._reading = planner, reading

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan one request."""
        if not request.facts and len(request.words.value) <= LONGEST:
            read = await self._reading.plan(request)
            if isinstance(read, Planned) and len(read.steps) == 1 and REPEAT in read.steps[0].args:
                return read
        return await self._planner.plan(request)
