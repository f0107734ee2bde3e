"""The planner without a model as the product has it, with one reader for all tests, as weights take time to load."""

from functools import cache

from butler.orchestrator.planning.factory import planner_without_model
from butler.orchestrator.planning.plan_types import Planner


@cache
def reading_planner() -> Planner:
    """The trained reader's planner."""
    return planner_without_model()
