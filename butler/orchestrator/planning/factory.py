"""Puts the planner together: with a model or embedded, with its fallback and the experts around it."""

from butler.agents.embedding.embedder import Embedder
from butler.agents.fallbacks import FallbackLlm
from butler.agents.llm import Llm
from butler.agents.redacting import Redact
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.embedded.router import Router
from butler.orchestrator.experts.expert import Experts
from butler.orchestrator.experts.planner import ExpertPlanner
from butler.orchestrator.planning.account_planner import AccountPlanner
from butler.orchestrator.planning.automation_planner import AutomationPlanner
from butler.orchestrator.planning.fallback_planner import FallbackPlanner
from butler.orchestrator.planning.plan_types import Planner
from butler.orchestrator.understanding.planner import ReadingPlanner
from butler.understanding.reader import RequestReader


def planner_without_model(embedder: Embedder) -> Planner:
    """Rules, and what they do not know by the trained reader, where it can be loaded on this machine."""
    rules = EmbeddedPlanner(Router(embedder))
    return ReadingPlanner(RequestReader(), rules) if RequestReader.can_load() else rules


def make_planner(llm: Llm | None, embedder: Embedder, experts: Experts, redact: Redact | None = None) -> Planner:
    """Build a planner with this model, or the embedded one, held to the tools of the expert that it plans for.

    `redact` removes from the owner's words what the model must not see.
    """
    embedded = AccountPlanner(planner_without_model(embedder))
    if llm is None:
        return ExpertPlanner(embedded, experts, by_topic=False)
    from butler.orchestrator.planning.model_planner import ModelPlanner  # noqa: PLC0415 - only models need it

    planner: Planner = ModelPlanner(llm, redact)
    if isinstance(llm, FallbackLlm) and llm.embedded_last:
        planner = FallbackPlanner(planner, embedded, llm.answering)
    return ExpertPlanner(AutomationPlanner(planner, EmbeddedPlanner()), experts, by_topic=True)
