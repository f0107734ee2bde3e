"""Recognizes a stop by its words alone, so that it takes effect at once and is never misread.

Words that lift a pause, such as `go on again`, do so only if there is nothing else to go on with.
"""

from butler.orchestrator.planning.plan_types import (
    AboutCards,
    CardAct,
    Command,
    NotUnderstood,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.spoken import spoken
from butler.orchestrator.understanding.context import was_asked


class StopPlanner:
    """Implements `Planner` around another planner, which plans everything but a stop."""

    def __init__(self, planner: Planner) -> None:
        self._planner = planner

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan one request. Where a card waits, `cancel all` may also mean that nothing on the cards is to be done."""
        command = spoken(request.words.value, request.butler_name)
        stop = command is Command.PAUSE
        if stop and not request.card_waits:
            return Command.PAUSE
        found = await self._planner.plan(request)
        if command is Command.RESUME and isinstance(found, Unclear | NotUnderstood) and not was_asked(request):
            return Command.RESUME
        denies = isinstance(found, AboutCards) and found.act is CardAct.DENY
        return Command.PAUSE if stop and not denies else found
