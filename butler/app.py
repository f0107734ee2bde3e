"""The only place where objects are built and wired, and the daemon's life: start, serve, drain, stop."""

import asyncio
import os
import signal
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

import structlog

from approvals.context import Context
from approvals.desk import Approvals
from approvals.pin_veil import PinVeil
from butler.agents import fallbacks
from butler.agents.household import Household, make_agents
from butler.audit_head import HeadKeeper
from butler.books import StoreAnswers, StoreBudget, StoreNotes, StoreReminders
from butler.bulk.house import BulkHouse
from butler.bulk.registry import BulkAdapters
from butler.chores import AddressBooks, learn_contacts, publish_commands, publish_commands_anew, tell_redefined
from butler.clock import RealClock
from butler.contract.card import OwnerChannel
from butler.contract.errors import ConfigError, StoreUnavailableError
from butler.contract.inbound import Inbound
from butler.contract.integration import CallProbe
from butler.contract.module import Module, ModuleContext
from butler.contract.ports import Budget, Clock, Llm, WorkHandler
from butler.contract.speech import speak
from butler.delivery import Delivery
from butler.discovery import build_modules
from butler.engine import LocalEngine
from butler.guardrails.agent import prepare
from butler.guardrails.redaction import masked
from butler.homes import stranger_at_home
from butler.inbound import COMMANDS, InboundHandler, Rooms
from butler.ingestion import Ingestion
from butler.logs import Redactor, secret_values
from butler.metrics import Metrics
from butler.offline import refuse_idle_patterns
from butler.orchestrator.answering import Answering
from butler.orchestrator.edits.desk import EditDesk
from butler.orchestrator.experts.building import build_experts, own_folder
from butler.orchestrator.hearing import Hearing
from butler.orchestrator.mail_answers import MailAnswers
from butler.orchestrator.mail_desk import MailDesk
from butler.orchestrator.passwords import Passwords, PasswordVeil
from butler.orchestrator.planners import make_planner
from butler.orchestrator.planning import Planner
from butler.orchestrator.preferring import SPEAKS, language_of
from butler.orchestrator.progress import PROGRESS
from butler.orchestrator.rounds import TurnLimits
from butler.orchestrator.runner import Runner
from butler.orchestrator.turn import Turns
from butler.owner import OWNER_CHANGED, Owner
from butler.refusals import Refusals
from butler.registry import Refusal, Refused, Registry, forget
from butler.schedule import Schedule
from butler.secret_names import secret_names, variables
from butler.sign_ins import SIGNED_IN, SignIns
from butler.sink import INBOUND, StoreCursors, StoreMirror, StoreRecords, StoreSink
from butler.status import House
from butler.store.blobs import FileBlobs
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.queries import outbox, plans
from butler.store.queries.notes import REMIND
from butler.store.store import CommitProbe, Store
from butler.supervisor import Supervisor
from butler.troubles import Tell, Troubles
from butler.vault import open_vault
from config.load import Loaded, load

log = structlog.get_logger(__name__)

DRAIN_S = 6.0
TASK_END_S = 1.5
END_S = 9.5
SWITCH_S = 0.001
"""The store's thread asks for its turn at every statement; by default it would wait 5 ms for it."""
LOCK_LOOK_S = 30.0


@dataclass(frozen=True, slots=True)
class Probes:
    """Who is told of every commit and provider call; crash tests kill with these."""

    commit: CommitProbe | None = None
    call: CallProbe | None = None


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
    agents: Household
    ingestion: Ingestion
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
    redactor.add([*secret_values(loaded.secrets, secret_names(loaded)), store.url.password or ""])
    vault = open_vault(loaded, lambda value: redactor.add(secret_values({"": value}, [""])))
    zone = ZoneInfo(settings.butler.timezone)

    async def set_aside(kind: str, subject: str, why: str) -> None:
        await troubles.set_aside(kind, subject, why)
        await many.set_aside(kind, subject, why)

    engine = LocalEngine(store, clock, on_failed=set_aside)
    owner = Owner(
        store,
        clock,
        telegram_user_id=settings.owner.telegram_user_id,
        emails=frozenset(address.lower() for address in settings.owner.emails),
    )
    await owner.load()
    blobs = FileBlobs(loaded.data_dir / "blobs")
    agents = make_agents(loaded, store, clock, blobs, vault)
    passwords = Passwords()
    pins, locked = PinVeil(store, owner, clock), PasswordVeil(store, owner, clock, passwords)

    async def veil(item: Inbound) -> Inbound:
        return await locked.veil(await pins.veil(item))

    many = BulkHouse(store, clock, owner, blobs, zone=zone, wake=engine.wake, limits=settings.bulk)
    context = ModuleContext(
        butler_name=settings.butler.name,
        zone=zone,
        data_dir=loaded.data_dir,
        owner=owner,
        secrets=loaded.secrets,
        vault=vault,
        sink=StoreSink(store, clock, engine, metrics.came_in, veil),
        cursors=StoreCursors(store, clock),
        blobs=blobs,
        records=StoreRecords(store, clock),
        mirror=StoreMirror(store, clock),
        notes=StoreNotes(store, clock),
        reminders=StoreReminders(store, clock, zone, engine.wake),
        answers=StoreAnswers(store, clock, owner),
        memory=agents.memory,
        documents=agents.documents,
        embed=agents.embed,
        bulk=many.desk,
        clock=clock,
        probe=metrics,
    )
    if settings.guardrails.redact_logs:
        redactor.mask(masked)
    modules = configured_modules(loaded, context)
    redactor.add(secret_values(loaded.secrets, [name for module in modules for name in variables(module.settings)]))

    async def refused(refusal: Refusal) -> None:
        await refusals.keep(refusal)

    registry = registered(modules, agents, many.adapters, refused)
    refuse_idle_patterns(settings, loaded.path, registry.specs())
    experts = build_experts(own_folder(settings.experts.folder, loaded.path))
    channel = way_to_owner(modules, loaded.secrets)
    troubles = Troubles(store, clock, channel, engine.wake)
    refusals = Refusals(store, clock, troubles.tell)
    await refusals.keep(*registry.refusals)
    supervisor = Supervisor([source for module in modules for source in module.sources()], troubles.tell, clock)
    second = next(filter(None, (module.second_channel() for module in modules)), None)
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
            second=second,
            mail_to=next(iter(settings.owner.emails), "").lower(),
            last_heard=heard_by(channel, modules, supervisor, clock),
            guard=agents.guard,
        ),
        many.hands(),
    )
    llm = None if planner else make_llm(loaded, StoreBudget(store, clock, zone, settings.llm), troubles.tell)
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
    )
    house = House(approvals, clock, supervisor.health, settings.butler.name, experts)
    mail = MailDesk(store, clock, channel, owner, turns, approvals, registry, zone=zone, wake=engine.wake)
    edits = EditDesk(store, clock, approvals, llm, zone=zone, wake=engine.wake, tools=registry, redact=agents.redact)
    hearing = Hearing(store, clock, agents.listener, blobs, engine.wake)
    inbound = InboundHandler(
        Rooms(
            *(store, clock, owner, turns, edits, mail, approvals, channel, house, hearing, engine.wake),
            guard=agents.guard,
            running=many.running,
        )
    )
    delivery = Delivery(store, clock, channel, engine.wake, agents.guard)
    handlers: dict[str, WorkHandler] = {
        INBOUND: inbound.handle,
        OWNER_CHANGED: owner.changed,
        SIGNED_IN: SignIns(modules, registry, supervisor, troubles).signed_in,
        outbox.DELIVER: delivery.deliver,
        outbox.REDRAW: delivery.redraw,
        outbox.MAIL_ANSWER: MailAnswers(store, clock, second, agents.guard).send,
        plans.PLAN_STEP: runner.advance,
        PROGRESS: runner.progress.show,
        SPEAKS: partial(publish_commands_anew, channel, COMMANDS),
        REMIND: Schedule(store, clock, channel, engine.wake).remind,
    }
    repeats = many.repeats(registry, approvals)
    for kind, handler in (handlers | approvals.handlers() | many.handlers() | repeats).items():
        engine.register(kind, handler)
    return App(
        *(loaded, store, clock, engine, registry, modules, channel, owner, approvals, supervisor, metrics, books),
        agents=agents,
        ingestion=Ingestion(store, clock, agents.memory, settings.memory, zone),
        tell=troubles.tell,
    )


def configured_modules(loaded: Loaded, context: ModuleContext) -> tuple[Module, ...]:
    """The modules that the configuration names; raises `ConfigError` that names the file, too."""
    try:
        return tuple(build_modules(loaded.settings.modules, context))
    except ConfigError as error:
        raise ConfigError(f"{loaded.path}: {error.detail}") from None


def registered(
    modules: Sequence[Module], agents: Household, adapters: BulkAdapters, refused: Refused = forget
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
        for name in (name for key, name in bot.items() if key.endswith("_env")):
            if not secrets.get(name, "").strip():
                todo = "write it into the secrets file as NAME=value, or set it in the environment"
                raise ConfigError(f"{name}, which [modules.{module.channel}.bot] needs, is not set; {todo}")
        return channel
    raise ConfigError("Butler has no way to its owner; set up [modules.telegram.bot]")


def heard_by(
    channel: OwnerChannel, modules: Sequence[Module], supervisor: Supervisor, clock: Clock
) -> Callable[[], datetime | None]:
    """When the way to the owner was last heard of, by the bot's own source of the module that it belongs to.

    While nothing fails that is now: a poll that is under way tells nothing, and a clock may have jumped meanwhile.
    """
    names = [f"{module.channel}.bot" for module in modules if module.owner_channel() is channel]

    def heard() -> datetime | None:
        known = supervisor.health()
        health = next((known[name] for name in names if name in known), None)
        if health is None or health.failing or health.stopped:
            return health.last_ok if health else None
        return clock.now()

    return heard


def run(path: Path, *, clock: Clock | None = None, probes: Probes | None = None, redactor: Redactor) -> None:
    """`serve()` as a process of its own, which ends within ten seconds of being told to, whatever hangs in it.

    A library's thread, or a task that will not be cancelled, must not hold it up: what is not done is a row.
    """

    def end_in_time() -> None:
        timer = threading.Timer(END_S, give_up)
        timer.daemon = True
        timer.start()

    asyncio.run(serve(path, clock=clock, probes=probes, redactor=redactor, on_stop=end_in_time))


def give_up() -> None:
    """End the process at once."""
    log.warning("ended_without_waiting", threads=[thread.name for thread in threading.enumerate()])
    os._exit(0)


async def serve(
    path: Path,
    *,
    clock: Clock | None = None,
    probes: Probes | None = None,
    planner: Planner | None = None,
    redactor: Redactor | None = None,
    on_stop: Callable[[], None] = lambda: None,
) -> None:
    """Run the daemon until SIGTERM or SIGINT. Raises `ButlerError` when it cannot start."""
    sys.setswitchinterval(SWITCH_S)
    stop = asyncio.Event()

    def told_to_stop() -> None:
        on_stop()
        stop.set()

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told_to_stop)
    if wrong := stranger_at_home():
        raise ConfigError(wrong)
    loaded, clock, probes = load(path), clock or RealClock(), probes or Probes()
    metrics = Metrics(probes.commit, probes.call)
    url = loaded.settings.store.url
    lock = take_lock(url, loaded.data_dir)
    try:
        store = await asyncio.to_thread(open_store, url, data_dir=loaded.data_dir, probe=metrics)
        try:
            speak(await store.read(lambda c: language_of(c, loaded.settings.butler.language)))
            app = await build(
                loaded, store, clock=clock, redactor=redactor or Redactor(), metrics=metrics, planner=planner
            )
            await live(app, lock, stop)
        finally:
            await store.close()
    finally:
        lock.release()


def take_lock(url: str, data_dir: Path) -> DataLock:
    """Make the data folder, and be the only one who uses it."""
    try:
        data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
        return DataLock(url, data_dir).acquire()
    except OSError as error:
        raise ConfigError(f"the data folder {data_dir} cannot be used ({error.strerror})") from None


async def live(app: App, lock: DataLock, stop: asyncio.Event) -> None:
    """Serve until `stop` is set, then drain. Raises what ended the engine, the sources or the hold on the data."""
    heads = HeadKeeper(app.store, app.clock, app.loaded.data_dir)
    await app.approvals.after_restore()
    await app.approvals.schedule_weekly()
    await heads.note()
    await app.agents.workspace.clean()
    await learn_contacts(app.store, app.loaded.settings.contacts, app.clock.now())
    sources = asyncio.create_task(app.supervisor.run(), name="sources")
    vital = [
        sources,
        asyncio.create_task(app.engine.run(), name="engine"),
        asyncio.create_task(keep_lock(lock), name="lock"),
    ]
    chores = [
        asyncio.create_task(app.books.keep(), name="address_books"),
        asyncio.create_task(publish_commands(app.channel, COMMANDS), name="commands"),
        asyncio.create_task(serve_web(app), name="web"),
        asyncio.create_task(heads.keep(), name="audit_head"),
        asyncio.create_task(app.ingestion.keep(), name="ingestion"),
        asyncio.create_task(asyncio.to_thread(prepare), name="patterns"),
        asyncio.create_task(tell_redefined(app.modules, app.tell), name="contracts"),
    ]
    log.info("started", version=version("butler"))
    stopped = asyncio.create_task(stop.wait(), name="stop")
    await asyncio.wait([stopped, *vital], return_when=asyncio.FIRST_COMPLETED)
    log.info("stopping")
    sources.cancel()
    await app.engine.drain(DRAIN_S)
    await ended_in_time([stopped, *vital, *chores])
    ending = [asyncio.create_task(m.stop(), name=f"stop {m.channel}") for m in app.modules]
    await ended_in_time([*ending, asyncio.create_task(app.agents.stop(), name="stop agents")], cancel=False)
    await heads.note()
    for task in vital:
        if task.done() and not task.cancelled() and (error := task.exception()):
            raise error


async def ended_in_time(tasks: Sequence[asyncio.Task[Any]], *, cancel: bool = True) -> None:
    """Wait a moment for tasks to end; one that does not is named in the log and left to the end of the process."""
    for task in tasks:
        if cancel:
            task.cancel()
    _, late = await asyncio.wait(tasks, timeout=TASK_END_S)
    for task in late:
        log.warning("task_does_not_end", task=task.get_name(), stands=str(task.get_stack(limit=1)))


async def keep_lock(lock: DataLock) -> None:
    """A database server that was restarted has forgotten who uses it; raises `AlreadyRunningError` when taken over."""
    while True:
        await asyncio.sleep(LOCK_LOOK_S)
        try:
            await asyncio.to_thread(lock.ensure)
        except StoreUnavailableError as error:
            log.warning("lock_not_held", why=str(error))


async def serve_web(app: App) -> None:
    """`/healthz` and `/metrics`."""
    web = app.loaded.settings.web
    if not web.enabled:
        return
    from butler.web.health import health_app  # noqa: PLC0415 - only where the web port is on
    from butler.web.serve import serve as serve_pages  # noqa: PLC0415 - the same

    pages = partial(app.metrics.page, app.store)
    await serve_pages(health_app(app.clock, app.supervisor.health, pages), web)
