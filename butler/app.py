"""The only place where objects are built and wired; `butler.daemon` has their life."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from itertools import chain
from typing import cast

import structlog

from approvals.context import Context
from approvals.pin_redactor import PinRedactor
from approvals.service import Approvals
from butler.agents import fallbacks
from butler.agents.factory import AgentServices, make_agents
from butler.automations.dispatch import EventDispatch
from butler.automations.reading import written_ones
from butler.automations.service import AutomationService
from butler.background_tasks import AddressBooks, publish_commands_anew
from butler.bulk.registry import BulkAdapters
from butler.bulk.service import BulkService
from butler.contract.card import OwnerChannel
from butler.contract.errors import ConfigError
from butler.contract.inbound import Inbound
from butler.contract.module import Module, ModuleContext
from butler.contract.ports import Budget, Clock, Llm, WorkHandler
from butler.delivery import Delivery
from butler.digests.service import DigestDependencies, DigestService
from butler.discovery import build_modules
from butler.engine import LocalEngine
from butler.event_store import StoreEvents, StorePolled
from butler.following import starting
from butler.following.starting import Starting
from butler.guardrails.redaction import masked
from butler.health.deadman import Ways
from butler.health.service import HealthService
from butler.home_zone import home_zone
from butler.hooks.service import HookService
from butler.inbound import COMMANDS, InboundDependencies, InboundHandler
from butler.ingestion import Ingestion
from butler.keeping.backups import Backups
from butler.keeping.retention import Retention
from butler.logs import Redactor, secret_values
from butler.metrics import Metrics
from butler.offline import refuse_idle_patterns
from butler.orchestrator.chat.preference_commands import SPEAKS
from butler.orchestrator.chat.reminder_actions import ReminderActions
from butler.orchestrator.chat.transcription import Hearing
from butler.orchestrator.chat.turn import Turns
from butler.orchestrator.edits.handler import EditHandler
from butler.orchestrator.execution.passwords import PasswordRedactor, Passwords
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.execution.runner import Runner
from butler.orchestrator.experts.building import build_experts, own_folder
from butler.orchestrator.mail.handler import MailHandler
from butler.orchestrator.planning.factory import make_planner
from butler.orchestrator.planning.plan_types import Command, Planner
from butler.orchestrator.replies.answers import Answering
from butler.orchestrator.replies.mail_answers import MailAnswers
from butler.orchestrator.replies.progress import PROGRESS
from butler.orchestrator.replies.reminder_message import said
from butler.owner import OWNER_CHANGED, Owner
from butler.owner_alerts import Tell, Troubles
from butler.refused_tools import Refusals
from butler.registry import Refusal, Refused, Registry, forget
from butler.reminder_repository import StoreReminders
from butler.repositories import StoreAnswers, StoreBudget, StoreNotes
from butler.schedule import Schedule, words
from butler.secret_names import secret_names, variables
from butler.sign_ins import SIGNED_IN, SignIns
from butler.sink import INBOUND, InboundRedactor, StoreCursors, StoreMirror, StoreRecords, StoreSink
from butler.status import StatusAnswers
from butler.store.blobs import FileBlobs
from butler.store.queries import approval_waits, outbox, plans
from butler.store.queries.event_starts import STARTING
from butler.store.queries.events import HAPPENED
from butler.store.store import Store
from butler.supervisor import Supervisor
from butler.tool_answers import ToolAnswers
from butler.trace import Why
from butler.vault import open_vault
from config.load import Loaded
from config.settings import OwnerSettings

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class App:
    """Everything, wired."""

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


def make_llm(loaded: Loaded, budget: Budget, announce: fallbacks.Announce = fallbacks.silently) -> Llm | None:
    """The language model that `[llm] model` names, with its fallbacks; None for the embedded planner alone.

    `announce` is told when another model answers than before.
    """
    return fallbacks.make_llm(loaded.settings.llm, loaded.secrets, budget, announce)


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
    hide_secrets(redactor, loaded, store)
    vault = open_vault(loaded, lambda value: redactor.add(secret_values({"": value}, [""])))
    zone = await home_zone(store, settings.butler.timezone)

    async def dead_letter(kind: str, subject: str, why: str) -> None:
        await troubles.dead_letter(kind, subject, why)
        await many.dead_letter(kind, subject, why)
        await hooks.dead_letter(kind, subject, why)

    engine = LocalEngine(store, clock, on_failed=dead_letter, on_clock_set=(approval_waits.set_right,))
    owner = await known_owner(store, clock, settings.owner)
    blobs = FileBlobs(loaded.data_dir / "blobs")
    agents = make_agents(loaded, store, clock, blobs, vault)
    passwords = Passwords()
    days = DigestService(store, clock, settings, zone=zone, wake=engine.wake)
    many = BulkService(store, clock, owner, blobs, zone=zone, wake=engine.wake, limits=settings.bulk)
    by_themselves = AutomationService(store, clock, owner, engine.wake, zone, days.quiet)
    reminders = StoreReminders(store, clock, zone, engine.wake)
    await reminders.settle_in()
    context = ModuleContext(
        butler_name=settings.butler.name,
        zone=zone,
        data_dir=loaded.data_dir,
        owner=owner,
        secrets=loaded.secrets,
        vault=vault,
        sink=StoreSink(store, clock, engine, metrics.came_in, redactors(store, clock, owner, passwords)),
        cursors=StoreCursors(store, clock),
        blobs=blobs,
        records=StoreRecords(store, clock),
        mirror=StoreMirror(store, clock, engine.wake),
        notes=StoreNotes(store, clock),
        reminders=reminders,
        automations=by_themselves.repository,
        envelope=(answers := ToolAnswers(redactor.clean)),
        digests=days.digests,
        waits=days.waits,
        polled=StorePolled(store, clock, engine.wake),
        event_store=StoreEvents(store, clock, engine.wake),
        answers=StoreAnswers(store, clock, owner),
        memory=agents.memory,
        documents=agents.documents,
        embed=agents.embed,
        bulk=many.launcher,
        clock=clock,
        probe=metrics,
        public_url=settings.web.public_url.rstrip("/"),
    )
    modules = configured_modules(loaded, context)
    redactor.add(secret_values(loaded.secrets, [name for module in modules for name in variables(module.settings)]))

    async def refused(refusal: Refusal) -> None:
        await refusals.keep(refusal)

    registry = answers.of(registered(modules, agents, many.adapters, refused))
    await take_written(loaded, registry, by_themselves)
    experts = build_experts(own_folder(settings.experts.folder, loaded.path))
    channel = way_to_owner(modules, loaded.secrets)
    troubles = Troubles(store, clock, channel, engine.wake)
    refusals = Refusals(store, clock, troubles.tell)
    await refusals.keep(*registry.refusals)
    ways = Ways(
        channel,
        own_source(channel, modules),
        next(filter(None, (module.second_channel() for module in modules)), None),
        next(iter(settings.owner.emails), "").lower(),
    )
    supervisor = Supervisor([s for module in modules for s in module.sources()], troubles.tell, clock, own=ways.first)
    approvals = Approvals(
        Context(
            store=store,
            invoker=registry,
            channel=channel,
            owner=owner,
            clock=clock,
            zone=zone,
            settings=settings.approvals,
            blobs=blobs,
            wake=engine.wake,
            second=ways.second,
            mail_to=ways.mail_to,
            last_heard=heard_by(ways.first, supervisor, clock),
            guard=agents.guard,
        ),
        many.press_handlers(),
    )
    llm = (
        None
        if planner
        else make_llm(loaded, StoreBudget(store, clock, zone, settings.llm, troubles.tell), troubles.tell)
    )
    health = HealthService(
        *(loaded, store, clock, engine, supervisor.health, ways),
        tell=troubles.tell,
        zone=zone,
    )
    books = AddressBooks(store, clock, modules)
    planner = planner or make_planner(llm, agents.embedder, experts, agents.redact)
    limits = TurnLimits(settings.llm.turn_rounds, settings.llm.turn_time_limit_s, settings.llm.turn_cost_limit)
    turns = Turns(
        store,
        clock,
        registry,
        planner,
        channel,
        owner,
        zone=zone,
        butler_name=settings.butler.name,
        wake=engine.wake,
        people_known=books.read_once,
        language=settings.butler.language,
        limits=limits,
    )
    runner = Runner(
        store,
        clock,
        registry,
        approvals,
        zone=zone,
        wake=engine.wake,
        answering=Answering(
            registry,
            tailor=agents.make_tailor(llm),
            memory=agents.memory,
            guard=agents.guard,
            language=settings.butler.language,
        ),
        reader=agents.make_reader(llm),
        planner=planner,
        passwords=passwords,
        channel=channel,
        limits=limits,
        butler_name=settings.butler.name,
        language=settings.butler.language,
        model=partial(fallbacks.answering_now, settings.llm, llm),
    )
    day = days.opened(channel, owner, approvals, registry, agents.memory)
    hooks = HookService(
        store,
        clock,
        engine.wake,
        (receiver for module in modules for receiver in module.hooks()),
        channel=channel,
        quiet=day.quiet,
        zone=zone,
        tell=troubles.tell,
        count=metrics.hook,
        settings=settings.web,
    )
    inbound = InboundHandler(
        InboundDependencies(
            *(store, clock, owner, turns),
            edits=EditHandler(
                *(store, clock, approvals, llm),
                zone=zone,
                wake=engine.wake,
                tools=registry,
                redact=agents.redact,
            ),
            mail=MailHandler(store, clock, channel, owner, turns, approvals, registry, zone=zone, wake=engine.wake),
            approvals=approvals,
            channel=channel,
            answers=StatusAnswers(
                *(approvals, clock, supervisor.health, settings.butler.name, experts),
                standing=health.standing.lines,
            ),
            hearing=Hearing(store, clock, agents.listener, blobs, engine.wake),
            wake=engine.wake,
            guard=agents.guard,
            running=many.running,
            taps=(*day.taps(), by_themselves, ReminderActions(zone), hooks.alerts),
            acts={**day.acts(), Command.WHY: Why(approvals.shown_at, zone).tell},
            automations=by_themselves.say,
        )
    )
    delivery = Delivery(store, clock, channel, engine.wake, agents.guard)
    schedule = Schedule(store, clock, channel, engine.wake, lambda c, fired, chat: said(c, fired, chat, words(fired)))
    handlers: dict[str, WorkHandler] = {
        INBOUND: inbound.handle,
        OWNER_CHANGED: owner.changed,
        SIGNED_IN: SignIns(modules, registry, supervisor, troubles).signed_in,
        outbox.DELIVER: delivery.deliver,
        outbox.REDRAW: delivery.redraw,
        outbox.MAIL_ANSWER: MailAnswers(store, clock, ways.second, agents.guard).send,
        plans.PLAN_STEP: runner.advance,
        PROGRESS: runner.progress.show,
        SPEAKS: partial(publish_commands_anew, channel, COMMANDS),
        HAPPENED: EventDispatch(
            store, (schedule.heard, *by_themselves.listeners(), *day.listeners(), *hooks.listeners())
        ).tell,
        **by_themselves.handlers(),
        STARTING: Starting(store, clock, zone, settings.agenda, engine.wake).look,
        **schedule.handlers(),
        **reminders.handlers(approvals.schedule_weekly, approvals.travelled, day.travelled),
    }
    retention = Retention(
        *(store, clock, blobs, agents.memory, settings.retention, zone),
        nightly_backups(loaded, troubles.tell),
    )
    engine.on_clock_back(
        *(room.clock_went_back for room in (schedule, by_themselves, day, retention)),
        *(approvals.schedule_weekly, partial(starting.begin, store, clock)),
    )
    register(
        *(engine, handlers, many.repeats(registry, approvals)),
        *(answers.handlers() for answers in (approvals, many, hooks, day, retention)),
    )
    return App(
        *(loaded, store, clock, engine, registry, modules, channel, owner, approvals, supervisor, metrics, books),
        agents=agents,
        hooks=hooks,
        day=day,
        retention=retention,
        ingestion=Ingestion(store, clock, agents.memory, settings.memory, zone),
        tell=troubles.tell,
        health=health,
    )


def hide_secrets(redactor: Redactor, loaded: Loaded, store: Store) -> None:
    """Keep what is secret out of the logs, and what tells of people where that is wanted."""
    redactor.add([*secret_values(loaded.secrets, secret_names(loaded)), store.url.password or ""])
    if loaded.settings.guardrails.redact_logs:
        redactor.mask(masked)


async def known_owner(store: Store, clock: Clock, settings: OwnerSettings) -> Owner:
    """The owner of the settings, or whoever was paired since."""
    emails = frozenset(address.lower() for address in settings.emails)
    owner = Owner(store, clock, telegram_user_id=settings.telegram_user_id, emails=emails)
    await owner.load()
    return owner


def redactors(store: Store, clock: Clock, owner: Owner, passwords: Passwords) -> InboundRedactor:
    """What takes a PIN or a password out of what came in, before it is stored."""
    pins, locked = PinRedactor(store, owner, clock), PasswordRedactor(store, owner, clock, passwords)

    async def redact(item: Inbound) -> Inbound:
        return await locked.redact(await pins.redact(item))

    return redact


def nightly_backups(loaded: Loaded, tell: Tell) -> Backups:
    """What makes the backup of a night, into the folder that the settings name."""
    settings = loaded.settings
    folder = loaded.path.resolve().parent / settings.backup.folder
    return Backups(settings.backup, folder, settings.store.url, loaded.data_dir, tell)


def register(engine: LocalEngine, *rooms: Mapping[str, WorkHandler]) -> None:
    """Have each room's work handed to it."""
    for kind, handler in chain.from_iterable(room.items() for room in rooms):
        engine.register(kind, handler)


async def take_written(loaded: Loaded, registry: Registry, by_themselves: AutomationService) -> None:
    """Check what the settings say of tools, and keep the automations in them. Raises `ConfigError`."""
    refuse_idle_patterns(loaded.settings, loaded.path, registry.specs())
    await by_themselves.keep_written(written_ones(loaded, registry.specs()))


def configured_modules(loaded: Loaded, context: ModuleContext) -> tuple[Module, ...]:
    """The modules that the configuration names; raises `ConfigError` that names the file, too."""
    try:
        return tuple(build_modules(loaded.settings.modules, context))
    except ConfigError as error:
        raise ConfigError(f"{loaded.path}: {error.detail}") from None


def registered(
    modules: Sequence[Module], agents: AgentServices, adapters: BulkAdapters, refused: Refused = forget
) -> Registry:
    """The tools of these modules, what they can fetch made known to the connector, and what they do to many things."""
    registry = Registry(refused=refused)
    adapters.ask(registry.why_not)
    for module in modules:
        registry.add_module(module)
        agents.connector.add(module.fetchers())
        adapters.add(module.bulk_adapters())
    return registry


def way_to_owner(modules: Sequence[Module], secrets: Mapping[str, str]) -> OwnerChannel:
    """The channel that reaches the owner; raises `ConfigError` where none is set up, or a variable it needs is not set.

    A variable that is set and refused by the provider is found out only by asking, and does not keep Butler from
    starting: mail still comes in, the log and `/healthz` tell.
    """
    for module in modules:
        if (channel := module.owner_channel()) is None:
            continue
        bot = cast("Mapping[str, str]", dict(getattr(module.settings, "bot", ())))
        for name in (name for key, name in bot.items() if name and key.endswith("_env")):
            if not secrets.get(name, "").strip():
                todo = "write it into the secrets file as NAME=value, or set it in the environment"
                raise ConfigError(f"{name}, which [modules.{module.channel}.bot] needs, is not set; {todo}")
        return channel
    raise ConfigError("Butler has no way to its owner; set up [modules.telegram.bot]")


def own_source(channel: OwnerChannel, modules: Sequence[Module]) -> str:
    """The name of the source that the way to the owner hears by."""
    return next((f"{module.channel}.bot" for module in modules if module.owner_channel() is channel), "")


def heard_by(source: str, supervisor: Supervisor, clock: Clock) -> Callable[[], datetime | None]:
    """When the way to the owner was last heard of, by the source of this name.

    While nothing fails that is now: a poll that is under way tells nothing, and a clock may have jumped meanwhile.
    """

    def heard() -> datetime | None:
        health = supervisor.health().get(source)
        if health is None or health.failing or health.stopped:
            return health.last_ok if health else None
        return clock.now()

    return heard
