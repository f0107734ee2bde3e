"""Builds what comes before any module: the engine, the agents, and the context of modules."""

from dataclasses import dataclass

from approvals.pin_redactor import PinRedactor
from butler.agents.factory import AgentServices, make_agents
from butler.automations.service import AutomationService
from butler.bulk.service import BulkService
from butler.command_calls import CommandCalls
from butler.contract.inbound import Inbound
from butler.contract.module import Agents, BuiltInServices, Inbox, ModuleContext, Storage
from butler.contract.ports import Clock, Vault
from butler.digests.service import DigestService
from butler.engine import LocalEngine
from butler.event_store import StoreEvents, StorePolled
from butler.guardrails.redaction import masked
from butler.home_zone import HomeZone, home_zone
from butler.logs import Redactor, secret_values
from butler.metrics import Metrics
from butler.orchestrator.execution.passwords import PasswordRedactor, Passwords
from butler.owner import Owner
from butler.quiet_hours import QuietHoursInForce
from butler.reminder_repository import StoreReminders
from butler.repositories import StoreAnswers, StoreNotes
from butler.secret_names import secret_names
from butler.sink import InboundRedactor, StoreCursors, StoreMirror, StoreRecords, StoreSink
from butler.store.blobs import FileBlobs
from butler.store.queries import approval_waits
from butler.store.store import Store
from butler.tool_answers import ToolAnswers
from butler.vault import open_vault
from config.load import Loaded
from config.settings import OwnerSettings


@dataclass(frozen=True, slots=True)
class Core:
    """The objects that exist before any module."""

    loaded: Loaded
    store: Store
    clock: Clock
    zone: HomeZone
    engine: LocalEngine
    owner: Owner
    blobs: FileBlobs
    vault: Vault
    agents: AgentServices
    passwords: Passwords
    metrics: Metrics
    answers: ToolAnswers
    """Answers `help` and `status`, once there are tools."""
    reminders: StoreReminders
    automations: AutomationService
    commands: CommandCalls
    """Does commands that are steps of plans, once there are commands."""
    quiet: QuietHoursInForce
    days: DigestService
    bulk: BulkService


async def build_core(loaded: Loaded, store: Store, clock: Clock, redactor: Redactor, metrics: Metrics) -> Core:
    """Build the core; nothing connects yet. Raise `ConfigError`."""
    settings = loaded.settings
    hide_secrets(redactor, loaded, store)
    vault = open_vault(loaded, lambda value: redactor.add(secret_values({"": value}, [""])))
    zone = await home_zone(store, settings.butler.timezone)
    engine = LocalEngine(store, clock, on_clock_set=(approval_waits.adjust_to_clock,))
    owner, blobs = await known_owner(store, clock, settings.owner), FileBlobs(loaded.data_dir / "blobs")
    quiet = QuietHoursInForce(settings.approvals.quiet_hours)
    await quiet.settle_in(store)
    days = DigestService(store, clock, settings, zone=zone, wake=engine.wake, quiet=quiet)
    reminders = StoreReminders(store, clock, zone, engine.wake)
    await reminders.settle_in()
    return Core(
        loaded=loaded,
        store=store,
        clock=clock,
        zone=zone,
        engine=engine,
        owner=owner,
        blobs=blobs,
        vault=vault,
        agents=make_agents(loaded, store, clock, blobs, vault),
        passwords=Passwords(),
        metrics=metrics,
        answers=ToolAnswers(redactor.clean),
        reminders=reminders,
        automations=AutomationService(store, clock, owner, engine.wake, zone, days.quiet),
        commands=CommandCalls(store, clock, quiet, engine.wake, settings.butler),
        quiet=quiet,
        days=days,
        bulk=BulkService(store, clock, owner, blobs, zone=zone, wake=engine.wake, limits=settings.bulk),
    )


def module_context(core: Core) -> ModuleContext:
    """Return the context that modules are built with."""
    loaded, store, clock, engine, agents = core.loaded, core.store, core.clock, core.engine, core.agents
    return ModuleContext(
        butler_name=loaded.settings.butler.name,
        zone=core.zone,
        owner=core.owner,
        vault=core.vault,
        storage=Storage(
            cursors=StoreCursors(store, clock),
            blobs=core.blobs,
            mirror=StoreMirror(store, clock, engine.wake),
            polled=StorePolled(store, clock, engine.wake),
        ),
        inbox=Inbox(
            sink=StoreSink(store, clock, engine, core.metrics.came_in, redactors(core)),
            records=StoreRecords(store, clock),
            answers=StoreAnswers(store, clock, core.owner),
        ),
        agents=Agents(memory=agents.memory, documents=agents.documents, embed=agents.embed),
        built_in=BuiltInServices(
            reminders=core.reminders,
            notes=StoreNotes(store, clock),
            digests=core.days.digests,
            waits=core.days.waits,
            automations=core.automations.repository,
            envelope=core.answers,
            commands=core.commands,
        ),
        event_store=StoreEvents(store, clock, engine.wake),
        bulk=core.bulk.launcher,
        clock=clock,
        probe=core.metrics,
        public_url=loaded.settings.web.public_url.rstrip("/"),
    )


def hide_secrets(redactor: Redactor, loaded: Loaded, store: Store) -> None:
    """Keep secrets out of the logs, and personal data if the settings say so."""
    redactor.add([*secret_values(loaded.secrets, secret_names(loaded)), store.url.password or ""])
    if loaded.settings.guardrails.redact_logs:
        redactor.mask(masked)


async def known_owner(store: Store, clock: Clock, settings: OwnerSettings) -> Owner:
    """Return the owner from the settings, or the one paired since."""
    emails = frozenset(address.lower() for address in settings.emails)
    owner = Owner(store, clock, telegram_user_id=settings.telegram_user_id, emails=emails)
    await owner.load()
    return owner


def redactors(core: Core) -> InboundRedactor:
    """Return what takes a PIN or a password out of an inbound item before it is stored."""
    pins = PinRedactor(core.store, core.owner, core.clock)
    locked = PasswordRedactor(core.store, core.owner, core.clock, core.passwords)

    async def redact(item: Inbound) -> Inbound:
        return await locked.redact(await pins.redact(item))

    return redact
