"""Delays what a plan sends, and words its time as a request does."""

from dataclasses import replace
from datetime import datetime

from approvals.outcome_text import sends
from butler.contract.wall_time import moment
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned


def put_off(plan: Planned, at: datetime, scene: Scene) -> Planned:
    """Return the plan with its sending steps waiting for this local time."""
    due = moment(at, scene.request.zone)
    steps = (step.model_copy(update={"not_before": due}) if sends(step.tool_call) else step for step in plan.steps)
    return replace(plan, steps=tuple(steps))


def said_in_words(at: datetime) -> str:
    """Return a local time as a request says it."""
    return f"on {at:%Y-%m-%d} at {at:%H:%M}"
