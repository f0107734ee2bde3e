"""Steps that have ended, and the words that their own modules find for them."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.agents import PlanStep
from butler.contract.found_items import items
from butler.contract.rendering import Person, PlanContext, StepResult
from butler.orchestrator.replies.plan_replies import Reply, reply
from tests.support.registered import registered

ZONE = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 3, 6, 21, 0, tzinfo=UTC)
TOOLS = registered()


def shown(tool: str, data: dict[str, Any] | None, *, number: int = 1, **args: Any) -> StepResult:
    """A step that found this; one without data was not needed."""
    outcome = {"ok": True, "data": data} if data is not None else {"ok": False, "code": "NOT_NEEDED", "message": "x"}
    handles = tuple(f"x-{n}" for n in range(1, len(items(data or {})) + 1))
    step = PlanStep(step_id=number, description="Do it", tool_call=tool, args=args, outcome=outcome, status="completed")
    return StepResult(step, TOOLS.spec(tool), handles, renderer=TOOLS.renderer(tool))


def of(tool: str, data: dict[str, Any], **args: Any) -> Reply:
    """The reply to one step."""
    said = reply((shown(tool, data, **args),), ZONE)
    assert said is not None
    return said


def context(tools: frozenset[str] = frozenset(), people: tuple[Person, ...] = ()) -> PlanContext:
    """What is known beside the steps of a plan; nothing is refused."""
    return PlanContext(ZONE, NOW, tools, {}, people)
