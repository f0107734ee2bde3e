"""The planner without a model, where the owner set it as the last fallback: it plans what no model would answer."""

import structlog

from butler.agents.errors import ModelRefusedError, TurnLimitError
from butler.agents.fallbacks import EMBEDDED, Answering
from butler.contract.errors import ModelOutputError, ModelUnavailableError
from butler.orchestrator.planning.plan_types import Planner, PlannerInput, PlannerOutput

log = structlog.get_logger(__name__)


class FallbackPlanner:
    """Meets `Planner`. A refusal and the turn's own limits are answers, and nobody else is asked then."""

    def __init__(self, planner: Planner, embedded: Planner, answering: Answering) -> None:
        self._planner, self._embedded, self._answering = planner, embedded, answering

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        try:
            return await self._planner.plan(request)
        except (ModelRefusedError, TurnLimitError):
            raise
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("planned_without_a_model", kind=type(error).__name__)
            await self._answering.by(EMBEDDED, error.detail)
            return await self._embedded.plan(request)
