"""The only place where objects are built and wired, and the daemon's life: start, serve, drain, stop."""

import asyncio
import signal
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import cast
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog

from approvals.context import Context
from approvals.desk import Approvals
from butler.books import StoreBudget, StoreNotes, StoreReminders
from butler.clock import RealClock
from butler.contract.card import OwnerChannel, OwnerMessage, plain
from butler.contract.errors import ButlerError, ConfigError
from butler.contract.integration import CallProbe
from butler.contract.module import AddressBookEntry, Module, ModuleContext
from butler.contract.ports import Budget, Clock
from butler.delivery import Delivery
from butler.discovery import build_modules, check_homes
from butler.engine import LocalEngine
from butler.inbound import COMMANDS, InboundHandler, Rooms
from butler.logs import Redactor, secret_values
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning import Planner
from butler.orchestrator.runner import Runner
from butler.orchestrator.turn import Turns
from butler.owner import Owner
from butler.registry import Registry
from butler.schedule import Schedule
from butler.sink import INBOUND, StoreCursors, StoreRecords, StoreSink
from butler.status import House
from butler.store.blobs import FileBlobs
from butler.store.lock import DataLock
from butler.store.open import open_store
from butler.store.queries import contacts, outbox, plans
from butler.store.queries.audit import head
from butler.store.queries.notes import REMIND
from butler.store.store import CommitProbe, Store
from butler.supervisor import Supervisor, Tell
from config.load import Loaded, load

log = structlog.get_logger(__name__)

DRAIN_S = 8.0
ADDRESS_BOOK_EVERY_S = 6 * 3600


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


def make_planner(loaded: Loaded, budget: Budget) -> Planner:
    """The planner that `[llm] model` names."""
    llm = loaded.settings.llm
    if llm.model == "embedded":
        return EmbeddedPlanner()
    from butler.agents.model import ModelLlm  # noqa: PLC0415 - a model's client is heavy, and only some have one
    from butler.orchestrator.model_planner import ModelPlanner  # noqa: PLC0415

    return ModelPlanner(ModelLlm(llm, loaded.secrets.get(llm.api_key_env, ""), budget))


async def build(
    loaded: Loaded,
    store: Store,
    *,
    clock: Clock,
    redactor: Redactor,
    probes: Probes,
    planner: Planner | None = None,
) -> App:
    """Wire everything; nothing connects yet. Raises `ConfigError`."""
    settings = loaded.settings
    zone = ZoneInfo(settings.butler.timezone)
    engine = LocalEngine(store, clock)
    owner = Owner(
        store,
        clock,
        telegram_user_id=settings.owner.telegram_user_id,
        emails=frozenset(address.lower() for address in settings.owner.emails),
    )
    await owner.load()
    context = ModuleContext(
        butler_name=settings.butler.name,
        zone=zone,
        data_dir=loaded.data_dir,
        owner=owner,
        secrets=loaded.secrets,
        sink=StoreSink(store, clock, engine),
        cursors=StoreCursors(store, clock),
        blobs=FileBlobs(loaded.data_dir / "blobs"),
        records=StoreRecords(store),
        notes=StoreNotes(store, clock),
        reminders=StoreReminders(store, clock, zone, engine.wake),
        clock=clock,
        probe=probes.call,
    )
    modules = tuple(build_modules(settings.modules, context))
    redactor.add(secret_values(loaded.secrets, secret_names(loaded)))
    registry = Registry()
    for module in modules:
        registry.add_module(module)
    channel = next((found for module in modules if (found := module.owner_channel()) is not None), None)
    if channel is None:
        raise ConfigError("Butler has no way to its owner; set up [modules.telegram.bot]")
    approvals = Approvals(
        Context(
            store=store,
            invoker=registry,
            channel=channel,
            owner=owner,
            clock=clock,
            zone=zone,
            settings=settings.approvals,
            wake=engine.wake,
        )
    )
    tell = teller(store, clock, channel, engine.wake)
    supervisor = Supervisor([source for module in modules for source in module.sources()], tell)
    turns = Turns(
        store,
        clock,
        registry,
        planner or make_planner(loaded, StoreBudget(store, clock, zone, settings.llm)),
        channel,
        zone=zone,
        butler_name=settings.butler.name,
        wake=engine.wake,
    )
    house = House(approvals, clock, supervisor.health, settings.butler.name)
    inbound = InboundHandler(Rooms(store, clock, owner, turns, approvals, channel, house, engine.wake))
    engine.register(INBOUND, inbound.handle)
    engine.register(outbox.DELIVER, Delivery(store, clock, channel).deliver)
    engine.register(plans.PLAN_STEP, Runner(store, clock, registry, approvals, zone=zone, wake=engine.wake).advance)
    engine.register(REMIND, Schedule(store, clock, channel, engine.wake).remind)
    for kind, handler in approvals.handlers().items():
        engine.register(kind, handler)
    return App(loaded, store, clock, engine, registry, modules, channel, owner, approvals, supervisor)


def secret_names(loaded: Loaded) -> list[str]:
    """Every variable that a setting names and that holds a secret; an address is none."""
    names = [loaded.settings.llm.api_key_env]
    for section in loaded.settings.modules.values():
        for part in section.values():
            if isinstance(part, dict):
                keys = cast("dict[str, object]", part).items()
                names += [str(name) for key, name in keys if key.endswith("_env") and key != "address_env"]
    return names


def teller(store: Store, clock: Clock, channel: OwnerChannel, wake: Callable[[], None]) -> Tell:
    """A way to tell the owner something once a day, through the outbox."""

    async def tell(key: str, sentence: str) -> None:
        chat = channel.home()
        if chat is None:
            return
        now = clock.now()
        message = OwnerMessage(text=plain(f"⚠️ {sentence}"))
        await store.write(lambda c: outbox.add(c, chat, message, now=now, dedup_key=f"{key}:{now:%Y-%m-%d}"), "tell")
        wake()

    return tell


async def serve(
    path: Path,
    *,
    clock: Clock | None = None,
    probes: Probes | None = None,
    planner: Planner | None = None,
    redactor: Redactor | None = None,
) -> None:
    """Run the daemon until SIGTERM or SIGINT. Raises `ButlerError` when it cannot start."""
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    check_homes()
    loaded, clock, probes = load(path), clock or RealClock(), probes or Probes()
    loaded.data_dir.mkdir(parents=True, exist_ok=True, mode=0o700)
    url = loaded.settings.store.url
    with DataLock(url, loaded.data_dir):
        store = await asyncio.to_thread(open_store, url, data_dir=loaded.data_dir, probe=probes.commit)
        try:
            app = await build(
                loaded, store, clock=clock, redactor=redactor or Redactor(), probes=probes, planner=planner
            )
            await live(app, stop)
        finally:
            await store.close()


async def live(app: App, stop: asyncio.Event) -> None:
    """Serve until `stop` is set, then drain."""
    await learn_contacts(app)
    background = [
        asyncio.create_task(app.engine.run(), name="engine"),
        asyncio.create_task(app.supervisor.run(), name="sources"),
        asyncio.create_task(keep_address_book(app), name="address_book"),
        asyncio.create_task(publish_commands(app), name="commands"),
        asyncio.create_task(serve_web(app), name="web"),
    ]
    log.info("started", version="0.1.0")
    stopped = asyncio.create_task(stop.wait())
    ended, _ = await asyncio.wait([stopped, background[0], background[1]], return_when=asyncio.FIRST_COMPLETED)
    log.info("stopping")
    background[1].cancel()
    await app.engine.drain(DRAIN_S)
    stopped.cancel()
    for task in background:
        task.cancel()
    results = await asyncio.gather(*background, return_exceptions=True)
    for module in app.modules:
        await module.stop()
    seq, digest = await app.store.read(head)
    log.info("audit_head", seq=seq, hash=digest)
    if stopped not in ended:
        for result in results:
            if isinstance(result, Exception):
                raise result


async def learn_contacts(app: App) -> None:
    """People of the settings are confirmed by standing there."""
    now = app.clock.now()

    def work(connection: sa.Connection) -> None:
        for person in app.loaded.settings.contacts:
            addresses = [
                *([f"telegram:{person.telegram}"] if person.telegram else []),
                *([f"mail:{person.email}"] if person.email else []),
            ]
            contacts.learn(connection, person.name, addresses, source="settings", owner_says_so=True, now=now)

    await app.store.write(work, "contacts")


async def keep_address_book(app: App) -> None:
    """Take over the names that the owner's own accounts have for people, now and then."""
    while True:
        for module in app.modules:
            try:
                entries = await module.address_book()
            except ButlerError as error:
                log.info("address_book_unavailable", channel=module.channel, why=str(error))
                continue
            if entries:
                await app.store.write(partial(learn_entries, entries=entries, now=app.clock.now()), "contacts")
        await asyncio.sleep(ADDRESS_BOOK_EVERY_S)


def learn_entries(connection: sa.Connection, *, entries: Sequence[AddressBookEntry], now: datetime) -> None:
    """The owner's own names for people count as confirmed."""
    for entry in entries:
        contacts.learn(connection, entry.name, entry.addresses, source="address_book", owner_says_so=True, now=now)


async def publish_commands(app: App) -> None:
    """Show the commands in the person's client; without a network, later starts will."""
    try:
        await app.channel.commands(COMMANDS)
    except ButlerError as error:
        log.info("commands_not_published", why=str(error))


async def serve_web(app: App) -> None:
    """`/healthz` and `/metrics`."""
    web = app.loaded.settings.web
    if not web.enabled:
        return
    from butler.web.health import health_app  # noqa: PLC0415 - only where the web port is on
    from butler.web.serve import serve as serve_pages  # noqa: PLC0415 - the same

    await serve_pages(health_app(app.clock, app.supervisor.health), web)
