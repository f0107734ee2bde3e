"""A butler whose plans may hold its own commands, with a model's plans or anybody's."""

from typing import Any

from butler.command_calls import CommandCalls
from butler.contract.agents import PlanStep, When
from butler.contract.provenance import Origin
from butler.inbound import InboundHandler
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.planning.plan_types import Command, Planned
from butler.provenance import MODEL_PLAN
from butler.quiet_hours import QuietHoursInForce
from butler.registry import Registry
from butler.sink import INBOUND
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.trace import TraceService
from config.approvals import QuietHours, parse_quiet_hours
from config.settings import ButlerSettings
from modules.butler.module import ButlerModule, ButlerModuleSettings
from tests.orchestrator.builders import EVE, ZONE
from tests.orchestrator.harness import Harness, step
from tests.support.context import make_context

MODEL = frozenset({MODEL_PLAN})
READ = frozenset({MODEL_PLAN, EVE})
"""The labels of a model's plan, before and after it has seen what others wrote."""
SETTINGS: QuietHours = parse_quiet_hours("22:00-07:00")


class OwnHarness(Harness):
    """The butler, with the module of its own commands."""

    configured: QuietHours | None = SETTINGS
    quiet: QuietHoursInForce

    def _tools(self) -> Registry:
        registry, own = super()._tools(), Registry()
        self.quiet = QuietHoursInForce(self.configured)
        self.own = CommandCalls(self.store, self.clock, self.quiet, lambda: None, ButlerSettings(name="Jeeves"))
        own.add_module(ButlerModule(ButlerModuleSettings(), make_context(commands=self.own)))
        registry._tools |= own._tools
        registry._modules |= own._modules
        return registry

    def start(self) -> None:
        super().start()
        inbound: Any = self.handlers[INBOUND]
        handler = inbound.__self__
        assert isinstance(handler, InboundHandler)
        self.own.open(handler)
        self.handlers |= self.quiet.handlers(self.store, self.approvals.quiet_changed)

    def acts(self) -> dict[Command, Act]:
        return {Command.WHY: TraceService(self.approvals.shown_at, ZONE).tell}

    async def waiting(self) -> list[ApprovalRow]:
        """The cards that wait."""
        return await self.store.read(lambda c: approvals.in_state(c, "pending"))


def own(number: int, action: str, *after: int, **args: Any) -> PlanStep:
    """A step with one of the butler's own tools."""
    return step(number, f"bot_butler_{action}", *after, **args)


def by_model(*steps: PlanStep, labels: frozenset[Origin] = MODEL) -> Planned:
    """A model's plan."""
    return Planned(tuple(steps), labels)


def on_condition(one: PlanStep, of: int) -> PlanStep:
    """The step, only if an earlier one found something."""
    return one.model_copy(update={"when": When(step_id=of, fact="count", is_="not_empty"), "depends_on": [of]})
