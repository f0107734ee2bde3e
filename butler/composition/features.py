"""The features of the daemon: one function each, which returns what the feature registers."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from approvals.context import Context
from approvals.service import Approvals
from butler.background_tasks import republish_commands
from butler.commands import CommandAnswers, saying
from butler.composition.channels import heard_by
from butler.composition.core import Core
from butler.composition.feature import Feature, acts_of, taps_of
from butler.composition.planning import Planning, plan_agents
from butler.contract.ports import SecondChannel
from butler.delivery import Delivery
from butler.digests.service import DigestDependencies
from butler.follow_up import event_starts
from butler.follow_up.event_starts import EventStarts
from butler.health.deadman import OwnerChannels
from butler.hooks.service import HookService
from butler.inbound import COMMANDS, InboundDependencies, InboundHandler
from butler.maintenance.backups import Backups
from butler.maintenance.retention import Retention
from butler.orchestrator.chat.compaction import COMPACT, Compaction
from butler.orchestrator.chat.language_offer import OFFER
from butler.orchestrator.chat.preference_commands import SPEAKS
from butler.orchestrator.chat.reminder_actions import ReminderActions
from butler.orchestrator.chat.transcription import Transcriber
from butler.orchestrator.chat.turn import Turns
from butler.orchestrator.edits.handler import EditHandler
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.execution.runner import Runner
from butler.orchestrator.mail.handler import MailHandler
from butler.orchestrator.planning.factory import request_reader
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.replies.mail_answers import MailAnswers
from butler.orchestrator.replies.progress import PROGRESS
from butler.orchestrator.replies.reminder_message import reminder_message
from butler.owner import OWNER_CHANGED
from butler.schedule import Schedule, words
from butler.services import Services
from butler.sign_ins import SIGNED_IN, SignIns
from butler.sink import INBOUND
from butler.store.queries import outbox, plans
from butler.store.queries.event_starts import STARTING
from butler.supervisor import Supervisor
from butler.trace import TraceService


def make_approvals(services: Services, core: Core, ways: OwnerChannels, supervisor: Supervisor) -> Approvals:
    """Build what asks the owner."""
    context = Context(
        store=services.store,
        invoker=services.tools,
        channel=services.channel,
        owner=services.owner,
        clock=services.clock,
        zone=services.zone,
        settings=services.settings.approvals,
        blobs=core.blobs,
        wake=services.wake,
        second=ways.second,
        mail_to=ways.mail_to,
        quiet=core.quiet,
        last_heard=heard_by(ways.first, supervisor, services.clock),
        guard=core.agents.guard,
    )
    return Approvals(context, core.bulk.press_handlers())


def make_retention(services: Services, core: Core) -> Retention:
    """Build retention, with the nightly backup into the folder of the settings."""
    loaded, settings = core.loaded, services.settings
    folder = loaded.path.resolve().parent / settings.backup.folder
    backups = Backups(settings.backup, folder, settings.store.url, loaded.data_dir, services.tell)
    return Retention(services, core.blobs, core.agents.memory, backups)


def approvals_feature(services: Services, approvals: Approvals) -> Feature:
    """Approvals, and `/why`."""
    why = TraceService(approvals.shown_at, services.zone)
    return Feature(
        handlers=approvals.handlers(), acts={Command.WHY: why.tell}, on_clock_back=(approvals.schedule_weekly,)
    )


def bulk_feature(services: Services, core: Core, approvals: Approvals) -> Feature:
    """Bulk runs, once and by recurring rules."""
    bulk = core.bulk
    return Feature(
        handlers={**bulk.handlers(), **bulk.repeats(services.tools, approvals)}, on_dead_letter=(bulk.dead_letter,)
    )


def reminders_feature(services: Services, core: Core, followers: Sequence[Callable[[], Awaitable[None]]]) -> Feature:
    """Reminders, and the owner's zone; `followers` are called after it has changed."""
    schedule = Schedule(
        services.store,
        services.clock,
        services.channel,
        services.wake,
        lambda c, fired, chat: reminder_message(c, fired, chat, words(fired)),
    )
    return Feature(
        handlers={**schedule.handlers(), **core.reminders.handlers(*followers)},
        listeners=(schedule.on_event,),
        taps=(ReminderActions(services.zone),),
        on_clock_back=(schedule.clock_went_back,),
    )


def quiet_feature(core: Core, followers: Sequence[Callable[[], Awaitable[None]]]) -> Feature:
    """Quiet hours by the owner's words; `followers` are called after they have changed."""
    return Feature(handlers=core.quiet.handlers(core.store, *followers))


def automations_feature(core: Core) -> Feature:
    """Automations."""
    service = core.automations
    return Feature(
        handlers=service.handlers(),
        listeners=service.listeners(),
        taps=(service,),
        acts={Command.AUTOMATIONS: saying(service.say)},
        on_clock_back=(service.clock_went_back,),
    )


def day_feature(day: DigestDependencies) -> Feature:
    """Digests, awaited answers and meetings."""
    return Feature(
        handlers=day.handlers(),
        listeners=day.listeners(),
        taps=day.taps(),
        acts=day.acts(),
        on_clock_back=(day.clock_went_back,),
    )


def hooks_feature(hooks: HookService) -> Feature:
    """Webhooks and alerts."""
    return Feature(
        handlers=hooks.handlers(),
        listeners=hooks.listeners(),
        taps=(hooks.alerts,),
        on_dead_letter=(hooks.dead_letter,),
    )


def retention_feature(retention: Retention) -> Feature:
    """Retention."""
    return Feature(handlers=retention.handlers(), on_clock_back=(retention.clock_went_back,))


def agenda_feature(services: Services) -> Feature:
    """Events of the owner's calendars that start soon."""
    store, clock = services.store, services.clock
    near = EventStarts(store, clock, services.zone, services.settings.agenda, services.wake)
    return Feature(handlers={STARTING: near.look}, on_clock_back=(partial(event_starts.begin, store, clock),))


def sign_ins_feature(core: Core, sign_ins: SignIns) -> Feature:
    """Changes made on the command line: a sign-in, a pairing."""
    return Feature(handlers={SIGNED_IN: sign_ins.signed_in, OWNER_CHANGED: core.owner.changed})


def delivery_feature(services: Services, core: Core, second: SecondChannel | None) -> Feature:
    """Messages to the owner."""
    store, clock, channel, guard = services.store, services.clock, services.channel, core.agents.guard
    delivery = Delivery(store, clock, channel, services.wake, guard)
    return Feature(
        handlers={
            outbox.DELIVER: delivery.deliver,
            outbox.REDRAW: delivery.redraw,
            outbox.MAIL_ANSWER: MailAnswers(store, clock, second, guard).send,
            SPEAKS: partial(republish_commands, channel, COMMANDS),
        }
    )


def plans_feature(services: Services, core: Core, approvals: Approvals, planning: Planning) -> Feature:
    """Running stored plans."""
    limits, agents = TurnLimits.of(services.settings.llm), plan_agents(services, core, planning)
    runner = Runner(services, approvals, agents, core.passwords, limits)
    return Feature(handlers={plans.PLAN_STEP: runner.advance, PROGRESS: runner.progress.show})


def inbound_feature(
    services: Services,
    core: Core,
    approvals: Approvals,
    planning: Planning,
    people_known: Callable[[], Awaitable[None]],
    answers: CommandAnswers,
    features: Sequence[Feature],
) -> Feature:
    """Inbound items; taps and commands go to the features that have them."""
    agents = core.agents
    llm, limits = planning.llm, TurnLimits.of(services.settings.llm)
    turns = Turns(services, planning.planner, people_known, limits, compacts=llm is not None)
    inbound = InboundHandler(
        InboundDependencies(
            services=services,
            owner=core.owner,
            approvals=approvals,
            turns=turns,
            edits=EditHandler(services, approvals, planning.llm, request_reader(), agents.redact),
            mail=MailHandler(services, turns, approvals),
            hearing=Transcriber(services.store, services.clock, agents.listener, core.blobs, services.wake),
            answers=answers,
            guard=agents.guard,
            running=core.bulk.running,
            taps=(*taps_of(features), turns.drafts, turns.language_offer),
            acts=acts_of(features),
        )
    )
    core.commands.open(inbound)
    compaction = Compaction(services.store, services.clock, llm, agents.redact, limits)
    offer = turns.language_offer.show
    return Feature(handlers={INBOUND: inbound.handle, COMPACT: compaction.compact, OFFER: offer})
