"""Inbound, turns, plans and approvals over a real store; the planner is scripted, the providers and the phone remember.

The tools are the modules' own: their names, arguments, previews and policies, with handlers that only record.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from functools import cache, partial
from typing import Any

import sqlalchemy as sa

from approvals.context import Context
from approvals.service import Approvals
from butler.agents.llm import Llm
from butler.agents.reader.port import Reader
from butler.agents.reader.rule_reader import RuleReader
from butler.agents.tailor.port import Tailor
from butler.agents.voice.listener import UnavailableListener
from butler.automations.dispatch import EventDispatch, Listener
from butler.background_tasks import republish_commands
from butler.contract.agent_ports import Memory
from butler.contract.agents import PlanStep
from butler.contract.card import Button, Card, MessageRef, OwnerMessage, Rich, plain, rich_text
from butler.contract.channel import Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.integration import IntegrationResult
from butler.contract.names import Direction
from butler.contract.tools import ToolCall
from butler.delivery import Delivery
from butler.guardrails.guard import Guard
from butler.inbound import COMMANDS, InboundDependencies, InboundHandler
from butler.orchestrator.chat.language_offer import OFFER
from butler.orchestrator.chat.preference_commands import SPEAKS
from butler.orchestrator.chat.transcription import Transcriber
from butler.orchestrator.chat.turn import Act, Turns
from butler.orchestrator.edits.handler import EditHandler
from butler.orchestrator.execution.passwords import PasswordRedactor, Passwords
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.execution.runner import PlanAgents, Runner
from butler.orchestrator.mail.handler import MailHandler
from butler.orchestrator.planning.factory import request_reader
from butler.orchestrator.planning.plan_types import Command, Planned, Planner, PlannerInput, PlannerOutput
from butler.orchestrator.replies.answers import QuestionAnswering
from butler.orchestrator.replies.buttons import ButtonHandler
from butler.orchestrator.replies.mail_answers import MailAnswers
from butler.orchestrator.replies.progress import PROGRESS
from butler.owner import Owner
from butler.quiet_hours import QuietHoursInForce
from butler.registry import Registry
from butler.sink import INBOUND, lane_of
from butler.store.queries import contacts, inbox, outbox, plans, work
from butler.store.queries.events import HAPPENED
from butler.store.store import Store
from config.approvals import ApprovalsSettings
from modules.notes.module import NotesModule
from modules.reminders.module import RemindersModule
from tests.orchestrator.builders import ANNA, MUM, NOON, OWNER, ZONE, message
from tests.support.context import MemoryBlobs, MemoryNotes, make_context
from tests.support.registered import registered
from tests.support.services import make_services
from tests.support.ticking import Ticking

SEND = "user_telegram_send_message"
MAIL = "user_email_send_message"
BOT_SEND = "bot_telegram_send_message"
SEARCH = "user_email_search_inbox"
READ = "bot_email_read_message"
NOTE = "bot_notes_remember"


class Clock(Ticking):
    """Stands still until it is turned."""

    def __init__(self) -> None:
        self.time = NOON

    def now(self):
        return self.time

    async def sleep_until(self, when) -> None:
        self.time = max(self.time, when)


Scripted = PlannerOutput | Exception | Callable[[PlannerInput], PlannerOutput]
"""What a planner says, or raises, or says of what it was given."""


@dataclass
class Script:
    """A planner that says what it was told to, and remembers what it was given."""

    outputs: list[Scripted] = field(default_factory=list)
    requests: list[PlannerInput] = field(default_factory=list)

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        self.requests.append(request)
        output = self.outputs.pop(0)
        if isinstance(output, Exception):
            raise output
        return output(request) if callable(output) else output


@dataclass
class Phone:
    """What the owner sees: messages in order, and cards as they now stand."""

    messages: list[OwnerMessage] = field(default_factory=list)
    cards: dict[str, Card] = field(default_factory=dict)
    answers: list[str] = field(default_factory=list)
    listed: list[tuple[str, str]] = field(default_factory=list)
    """The commands, as its client shows them."""

    def home(self) -> str:
        return OWNER

    async def say(self, chat: str, message: OwnerMessage) -> MessageRef:
        self.messages.append(message)
        return MessageRef(chat=chat, message_ids=(f"m{len(self.messages)}",))

    async def show(self, chat: str, card: Card, reply_to: str | None = None) -> MessageRef:
        message_id = f"c{len(self.cards)}"
        self.cards[message_id] = card
        return MessageRef(chat=chat, message_ids=(message_id,))

    async def edit(self, ref: MessageRef, card: Card) -> None:
        self.cards[ref.message_ids[-1]] = card

    async def redraw(self, ref: MessageRef, message: OwnerMessage) -> None:
        self.messages[int(ref.message_ids[-1].removeprefix("m")) - 1] = message

    def pages(self, card: Card) -> int:
        return 1 + len(card.body) // 3000 + len(card.attachments)

    async def delete(self, ref: MessageRef) -> bool:
        return self.cards.pop(ref.message_ids[-1], None) is not None

    async def answer(self, query: str, text: str = "", *, alert: bool = False) -> None:
        self.answers.append(text)

    async def typing(self, chat: str) -> None:
        """Shows nothing here."""

    async def commands(self, commands: Sequence[tuple[str, str]]) -> None:
        self.listed = list(commands)

    @property
    def said(self) -> list[str]:
        return [rich_text(message.text) for message in self.messages]

    def buttons(self, label: str) -> list[Button]:
        """Every button that is offered now, of cards and of messages."""
        rows = [row for card in self.cards.values() for row in card.buttons]
        rows += [row for message in self.messages for row in message.buttons]
        return [button for row in rows for button in row if button.label.startswith(label)]


@dataclass
class Letterbox:
    """The second channel: what was answered by mail, to which mail, under which key."""

    answers: list[tuple[str, str, str]] = field(default_factory=list)
    troubles: list[Exception] = field(default_factory=list)

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        raise AssertionError("nothing here writes to the owner on its own")

    async def answer(self, item: Inbound, text: str, key: str) -> str:
        if self.troubles:
            raise self.troubles.pop(0)
        self.answers.append((item.inbound_id, text, key))
        return f"<{key}@home.example>"


class Harness:
    """Everything, over one store."""

    def __init__(self, store: Store, planner: Planner | None = None, **approvals: Any) -> None:
        self.store, self.clock, self.phone, self.second = store, Clock(), Phone(), Letterbox()
        self.script = Script()
        self.planner = planner or self.script
        self.llm: Llm | None = None
        self.tailor: Tailor | None = None
        self.reader: Reader | None = RuleReader()
        self.memory: Memory | None = None
        self.guard: Guard | None = None
        self.limits = TurnLimits()
        self.quiet: QuietHoursInForce | None = None
        self.calls: list[ToolCall] = []
        self.notes = MemoryNotes()
        self.meanwhile: Callable[[], Any] | None = None
        """Happens once, while the next call of a tool is under way."""
        self.results: dict[str, list[IntegrationResult]] = {}
        self.registry = self._tools()
        self.settings = ApprovalsSettings.model_validate({"undo_window": "0s", "quiet_hours": ""} | approvals)
        self.items = 0
        self.start()

    def start(self) -> None:
        """A fresh process on the same store."""
        self.owner = Owner(self.store, self.clock, telegram_user_id=42, emails=frozenset({"me@home.example"}))
        self.approvals = Approvals(
            Context(
                store=self.store,
                invoker=self.registry,
                channel=self.phone,
                owner=self.owner,
                clock=self.clock,
                zone=ZONE,
                settings=self.settings,
                blobs=MemoryBlobs(),
                wake=lambda: None,
                guard=self.guard,
                quiet=self.quiet,
            )
        )
        self.services = make_services(
            self.store,
            self.clock,
            zone=ZONE,
            owner=self.owner,
            channel=self.phone,
            tools=self.registry,
            settings={"butler": {"name": "Jeeves"}},
        )
        self.turns = Turns(self.services, self.planner, self._know_people, self.limits)
        self.passwords = Passwords()
        self.redact = PasswordRedactor(self.store, self.owner, self.clock, self.passwords)
        answering = QuestionAnswering(
            self.registry, ZONE, self.clock, tailor=self.tailor, memory=self.memory, guard=self.guard
        )
        agents = PlanAgents(answering, self.planner, self.reader)
        self.runner = Runner(self.services, self.approvals, agents, self.passwords, self.limits)
        self.edits = EditHandler(self.services, self.approvals, self.llm, request_reader())
        deps = InboundDependencies(
            services=self.services,
            owner=self.owner,
            approvals=self.approvals,
            turns=self.turns,
            edits=self.edits,
            mail=MailHandler(self.services, self.turns, self.approvals),
            hearing=Transcriber(self.store, self.clock, UnavailableListener(), MemoryBlobs(), lambda: None),
            answers=self,
            guard=self.guard,
            taps=(*self.taps(), self.turns.drafts, self.turns.language_offer),
            acts=self.acts(),
        )
        delivery = Delivery(self.store, self.clock, self.phone, lambda: None, self.guard)
        self.handlers: dict[str, Callable[[str], Any]] = {
            INBOUND: InboundHandler(deps).handle,
            outbox.DELIVER: delivery.deliver,
            outbox.REDRAW: delivery.redraw,
            outbox.MAIL_ANSWER: MailAnswers(self.store, self.clock, self.second, self.guard).send,
            plans.PLAN_STEP: self.runner.advance,
            PROGRESS: self.runner.progress.show,
            OFFER: self.turns.language_offer.show,
            SPEAKS: partial(republish_commands, self.phone, COMMANDS),
            HAPPENED: EventDispatch(self.store, self.listeners()).tell,
            **self.approvals.handlers(),
        }

    def taps(self) -> Sequence[ButtonHandler]:
        """Who has buttons of their own."""
        return ()

    def acts(self) -> dict[Command, Act]:
        """How commands of features are done."""
        return {}

    def listeners(self) -> Sequence[Listener]:
        """Who hears of events."""
        return ()

    async def _know_people(self) -> None:
        """Whom the owner knows is stored by the test itself."""

    async def answer(self, command: Command) -> Rich:
        return plain(f"the answer to {command.value}, with what Eve calls herself")

    def _tools(self) -> Registry:
        """The modules' tools; all but notes and reminders only record."""
        registry, everything = Registry(), all_tools()
        registry._tools, registry._metadata = dict(everything._tools), dict(everything._metadata)
        registry._modules = dict(everything._modules)
        for name, spec in everything._tools.items():
            if spec.channel in {"telegram", "email"} or spec.about.words is Words.STATED:
                # Nothing that a call leaves open can be read anywhere here.
                registry._tools[name] = replace(spec, handler=self._handle, complete=None)
        own, context = Registry(), make_context(notes=self.notes)
        for module in (NotesModule, RemindersModule):
            own.add_module(module(module.settings_model(), context))
        registry._tools |= own._tools
        registry._modules |= own._modules
        return registry

    async def _handle(self, call: ToolCall) -> IntegrationResult:
        self.calls.append(call)
        if self.meanwhile is not None:
            meanwhile, self.meanwhile = self.meanwhile, None
            await meanwhile()
        if scripted := self.results.get(call.tool):
            return scripted.pop(0)
        if self.registry.spec(call.tool).direction is Direction.INPUT:
            return failed(IntegrationErrorCode.NOT_FOUND, "nothing matches")
        return IntegrationResult(ok=True, data={"message_id": len(self.calls)})

    def outputs(self) -> list[ToolCall]:
        """The calls that had an effect outside."""
        return [call for call in self.calls if self.registry.spec(call.tool).direction is Direction.OUTPUT]

    def sent(self) -> list[str]:
        return [str(getattr(call.args, "text", None) or call.args.body) for call in self.outputs()]

    async def meet(self) -> None:
        """The owner's people."""
        for person in (ANNA, MUM):
            await self.store.write(
                lambda c, person=person: contacts.learn(
                    c, person.name, person.addresses, source="settings", owner_says_so=True, now=NOON
                )
            )

    async def contact(self, name: str) -> str:
        people = await self.store.read(contacts.all_confirmed)
        return next(person.contact_id for person in people if person.name == name)

    async def come_in(self, item: Inbound) -> Inbound:
        """Store an item as a source does."""
        item = await self.redact.redact(item)

        def put(connection: sa.Connection) -> None:
            inbox.add(connection, item)
            work.add(connection, INBOUND, item.inbound_id, now=self.clock.now(), lane=lane_of(item))

        await self.store.write(put)
        return item

    async def say(self, text: str, *outputs: Scripted, **more: Any) -> Inbound:
        """The owner says something, the planner answers this, and all that follows is done."""
        self.script.outputs += outputs
        self.items += 1
        name = f"in-{self.items}"
        values = {"inbound_id": name, "dedup_key": name, "message_ref": str(self.items)} | more
        item = await self.come_in(message(text, **values))
        await self.run()
        return item

    async def tap(self, label: str, **more: Any) -> None:
        """Tap the newest button of this label, and have all that follows done."""
        await self.press(self.phone.buttons(label)[-1], **more)

    async def press(self, button: Button, **more: Any) -> None:
        await self.tapped(button, **more)
        await self.run()

    async def tapped(self, button: Button, **more: Any) -> Inbound:
        """A tap as it comes in, with nothing done about it yet."""
        self.items += 1
        name = f"tap-{self.items}"
        under = (key for key, card in self.phone.cards.items() if button in [b for row in card.buttons for b in row])
        values = {
            "kind": InboundKind.BUTTON,
            "inbound_id": name,
            "dedup_key": name,
            "message_ref": next(under, "m1"),
            "segments": (),
            "payload": {"query": name, "data": button.data},
        }
        return await self.come_in(message("", **(values | more)))

    async def run(self) -> None:
        """Do all work that is due, as the engine does."""
        while due := await self.store.read(lambda c: work.ready(c, self.clock.now())):
            row = due[0]
            await self.handlers[row.kind](row.subject)
            await self.store.write(lambda c, row=row: work.done(c, row.work_id))
            self.clock.time += timedelta(milliseconds=1)

    async def plans_of(self, item: Inbound) -> list[plans.PlanRow]:
        def read(connection: sa.Connection) -> list[plans.PlanRow]:
            rows = [plans.get(connection, plan_id) for plan_id in plans.of_inbound(connection, item.inbound_id)]
            return [row for row in rows if row is not None]

        return await self.store.read(read)


@cache
def all_tools() -> Registry:
    """Every module's tools, made once: their schemas take longer than most tests."""
    return registered(make_context())


def step(number: int, tool: str, *after: int, description: str = "", **args: Any) -> PlanStep:
    return PlanStep(
        step_id=number, description=description or f"Do {number}", tool_call=tool, args=args, depends_on=list(after)
    )


def planned(*steps: PlanStep) -> Planned:
    return Planned(tuple(steps))
