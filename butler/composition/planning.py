"""Builds the planner, and the model behind it."""

from dataclasses import dataclass
from functools import partial

from butler.agents import fallbacks
from butler.agents.daily_budget import StoreBudget
from butler.agents.llm import Llm
from butler.composition.core import Core
from butler.orchestrator.execution.runner import PlanAgents
from butler.orchestrator.experts.building import build_experts, own_folder
from butler.orchestrator.experts.expert import Experts
from butler.orchestrator.planning.factory import make_planner
from butler.orchestrator.planning.plan_types import Planner
from butler.orchestrator.replies.answers import QuestionAnswering
from butler.services import Services


@dataclass(frozen=True, slots=True)
class Planning:
    """The planner, its experts, and the model if there is one."""

    planner: Planner
    llm: Llm | None
    experts: Experts


def make_planning(services: Services, core: Core, planner: Planner | None) -> Planning:
    """Build the planner that `[llm]` and `[experts]` name, or use this one. Raise `ConfigError` or `ExpertError`."""
    settings, agents = services.settings, core.agents
    experts = build_experts(own_folder(settings.experts.folder, core.loaded.path))
    if planner is not None:
        return Planning(planner, None, experts)
    budget = StoreBudget(services.store, services.clock, services.zone, settings.llm, services.tell)
    llm = fallbacks.make_llm(settings.llm, core.loaded.secrets, budget, services.tell)
    return Planning(make_planner(llm, experts, agents.redact, agents.embed, settings.llm.most_tools), llm, experts)


def plan_agents(services: Services, core: Core, planning: Planning) -> PlanAgents:
    """Return the agents of a running plan."""
    settings, agents, llm = services.settings, core.agents, planning.llm
    answering = QuestionAnswering(
        services.tools,
        services.zone,
        services.clock,
        tailor=agents.make_tailor(llm),
        memory=agents.memory,
        guard=agents.guard,
        language=settings.butler.language,
    )
    model = partial(fallbacks.answering_now, settings.llm, llm)
    return PlanAgents(answering, planning.planner, agents.make_reader(llm), model)
