"""Builds and wires all objects, and is the only place that does; `butler.daemon` runs them."""

from dataclasses import dataclass

from approvals.service import Approvals
from butler.agents.factory import AgentServices
from butler.automations.reading import written_ones
from butler.automations.service import AutomationService
from butler.background_tasks import AddressBooks
from butler.composition import features as made
from butler.composition.channels import configured_modules, registered, ways_to_owner
from butler.composition.core import build_core, module_context
from butler.composition.feature import Feature, register
from butler.composition.planning import make_planning
from butler.contract.card import OwnerChannel
from butler.contract.module import Module
from butler.contract.ports import Clock
from butler.digests.service import DigestDependencies
from butler.engine import LocalEngine
from butler.health.service import HealthService
from butler.hooks.service import HookService
from butler.ingestion import Ingestion
from butler.logs import Redactor, secret_values
from butler.maintenance.retention import Retention
from butler.metrics import Metrics
from butler.offline import refuse_idle_patterns
from butler.orchestrator.planning.plan_types import Planner
from butler.owner import Owner
from butler.owner_alerts import OwnerAlerts
from butler.refused_tools import Refusals
from butler.registry import Registry
from butler.secret_names import variables
from butler.services import Services, Tell
from butler.sign_ins import SignIns
from butler.status import StatusAnswers
from butler.store.store import Store
from butler.supervisor import Supervisor
from config.load import Loaded


@dataclass(frozen=True, slots=True)
class App:
    """All objects of the daemon, wired together."""

    loaded: Loaded
    store: Store
    clock: Clock
    engine: LocalEngine
    registry: Registry
    modules: tuple[Module, ...]
    channel: OwnerChannel
    owner: Owner
    approvals: Approvals
    supervisor: Supervisor
    metrics: Metrics
    books: AddressBooks
    agents: AgentServices
    ingestion: Ingestion
    health: HealthService
    hooks: HookService
    day: DigestDependencies
    retention: Retention
    tell: Tell


async def build(
    loaded: Loaded,
    store: Store,
    *,
    clock: Clock,
    redactor: Redactor,
    metrics: Metrics,
    planner: Planner | None = None,
) -> App:
    """Wire everything; nothing connects yet. Raises `ConfigError`."""
    settings = loaded.settings
    core = await build_core(loaded, store, clock, redactor, metrics)
    engine, agents = core.engine, core.agents
    modules = configured_modules(loaded, module_context(core))
    redactor.add(secret_values(loaded.secrets, [name for module in modules for name in variables(module.settings)]))

    ways = ways_to_owner(modules, loaded)
    troubles = OwnerAlerts(store, clock, ways.channel, engine.wake)
    refusals = Refusals(store, clock, troubles.tell)
    registry = core.answers.of(registered(modules, agents.connector, core.bulk.adapters, refusals.keep))
    await take_written(loaded, registry, core.automations)
    await refusals.keep(*registry.refusals)
    services = Services(
        store=store,
        clock=clock,
        zone=core.zone,
        wake=engine.wake,
        owner=core.owner,
        channel=ways.channel,
        tools=registry,
        settings=settings,
        tell=troubles.tell,
    )

    supervisor = Supervisor([s for module in modules for s in module.sources()], troubles.tell, clock, own=ways.first)
    approvals = made.make_approvals(services, core, ways, supervisor)
    health = HealthService(services, loaded.data_dir, engine, supervisor.health, ways)
    day = core.days.opened(services, approvals, agents.memory)
    hooks = HookService(services, (one for module in modules for one in module.hooks()), day.quiet, metrics.hook)
    retention = made.make_retention(services, core)
    books = AddressBooks(store, clock, modules)
    planning = make_planning(services, core, planner)
    answers = StatusAnswers(
        *(approvals, clock, supervisor.health, settings.butler.name, planning.experts),
        standing=health.standing.lines,
        quiet=core.quiet,
    )

    # The engine calls the listeners of events, of a clock set back and of dead letters in this order.
    features = [
        Feature(on_dead_letter=(troubles.dead_letter,)),
        made.bulk_feature(services, core, approvals),
        made.reminders_feature(services, core, (approvals.schedule_weekly, approvals.travelled, day.travelled)),
        made.quiet_feature(core, (approvals.quiet_changed, day.quiet_changed)),
        made.automations_feature(core),
        made.day_feature(day),
        made.hooks_feature(hooks),
        made.retention_feature(retention),
        made.approvals_feature(services, approvals),
        made.agenda_feature(services),
        made.sign_ins_feature(core, SignIns(modules, registry, supervisor, troubles)),
        made.delivery_feature(services, core, ways.second),
        made.plans_feature(services, core, approvals, planning),
    ]
    inbound = made.inbound_feature(services, core, approvals, planning, books.read_once, answers, features)
    register(engine, store, [*features, inbound])
    return App(
        *(loaded, store, clock, engine, registry, modules, ways.channel, core.owner, approvals, supervisor, metrics),
        books=books,
        agents=agents,
        ingestion=Ingestion(store, clock, agents.memory, settings.memory, core.zone),
        health=health,
        hooks=hooks,
        day=day,
        retention=retention,
        tell=troubles.tell,
    )


async def take_written(loaded: Loaded, registry: Registry, automations: AutomationService) -> None:
    """Check the patterns of tools in the settings, and store the settings' automations. Raises `ConfigError`."""
    refuse_idle_patterns(loaded.settings, loaded.path, registry.specs())
    await automations.keep_written(written_ones(loaded, registry.specs()))
