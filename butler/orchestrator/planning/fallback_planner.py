"""The planner without a model as the last fallback, if the owner set it: it plans what no model would answer."""

import structlog

from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError, TurnLimitError
from butler.agents.fallbacks import EMBEDDED, ActiveModel
from butler.orchestrator.planning.plan_types import Planner, PlannerInput, PlannerOutput

log = structlog.get_logger(__name__)


class FallbackPlanner:
    """Implements `Planner`. A refusal or a turn limit counts as an answer; no other planner is asked then."""

    def __init__(self, planner: Planner, embedded: Planner, answering: ActiveModel) -> None:
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
