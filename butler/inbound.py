"""Dispatches inbound items: one match. Only here does a tap become a decision."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import StrEnum
from functools import partial
from typing import Any

import sqlalchemy as sa
import structlog

from approvals.pin_redactor import PAYLOAD
from approvals.service import Approvals
from butler import message_grouping
from butler.bulk.open_runs import OpenRuns
from butler.commands import CommandAnswers, Commands, telling
from butler.contract.card import OwnerMessage, Rich, plain
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Labelled, Origin
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.guardrails.guard import Guard
from butler.orchestrator.chat.held_back import HeldBack
from butler.orchestrator.chat.plan_buttons import PlanButtons
from butler.orchestrator.chat.transcription import Transcriber
from butler.orchestrator.chat.turn import Act, Turns
from butler.orchestrator.edits.answers import Card
from butler.orchestrator.edits.dry_runs import DryRuns
from butler.orchestrator.edits.handler import EditHandler
from butler.orchestrator.edits.unreplied import ToCards
from butler.orchestrator.execution.contact_suggestions import ContactSuggestions, confirm
from butler.orchestrator.execution.event_facts import AUTOMATIONS
from butler.orchestrator.execution.passwords import PAYLOAD as PASSWORD
from butler.orchestrator.mail.handler import MailHandler
from butler.orchestrator.mail.incoming_checks import judged, judged_spans
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.planning.requests import input_of
from butler.orchestrator.replies.buttons import ButtonHandler
from butler.owner import Owner
from butler.services import Services
from butler.sink import INBOUND, lane_of
from butler.store.queries import conversations, inbox, outbox, plans, work
from butler.store.queries.conversations import ChoiceRow
from butler.store.queries.inbox import InboxNote, InboxState
from butler.store.queries.plans import PlanState

log = structlog.get_logger(__name__)

COMMANDS = (
    ("help", phrase("what I can do")),
    ("pending", phrase("what waits for your yes")),
    ("done", phrase("what I have done for you today")),
    ("undo", phrase("what you can still take back")),
    ("bulk", phrase("what runs over many things at once")),
    ("digest", phrase("your day in one message")),
    ("waiting", phrase("whose answer you wait for")),
    ("automations", phrase("what I do by myself")),
    ("rules", phrase("what passes without asking you")),
    ("contacts", phrase("whom I know by name")),
    ("preferences", phrase("how you like my answers")),
    ("experts", phrase("who knows more of one thing")),
    ("status", phrase("how I am")),
    ("why", phrase("what made me say or ask something")),
    ("pause", phrase("stop what acts as you")),
    ("resume", phrase("let it go on")),
)
UNTOLD_SINCE, MOST_UNTOLD = timedelta(days=1), 20
"""The greatest age, and the number, of mails from before the pairing that are reported."""
STOP = "stop"
"""The word that people type to stop everything; it means `/pause user`."""

MESSAGE_EDITED = Reason(ReasonCode.MESSAGE_EDITED)


class Edit(StrEnum):
    """What an edit of a message leads to, for the message or the log."""

    ANEW = "anew"
    TOO_LATE = phrase(
        "I have dealt with the message that you changed, so I did nothing more. To have it done anew, send it anew."
    )
    NO_NEWS = "no_news"


@dataclass(frozen=True, slots=True)
class InboundDependencies:
    """The receivers of inbound items."""

    services: Services
    owner: Owner
    approvals: Approvals
    turns: Turns
    edits: EditHandler
    mail: MailHandler
    hearing: Transcriber
    answers: CommandAnswers
    guard: Guard | None = None
    running: OpenRuns | None = None
    taps: Sequence[ButtonHandler] = ()
    """Services with buttons of their own."""
    acts: Mapping[Command, Act] = field(default_factory=dict[Command, Act])
    """Commands of features."""


class InboundHandler:
    """The work handler of `inbound` rows."""

    def __init__(self, deps: InboundDependencies) -> None:
        self._deps, self._services = deps, deps.services
        services, approvals, guard = deps.services, deps.approvals, deps.guard
        store, clock, channel, wake = services.store, services.clock, services.channel, services.wake
        self._cards = ToCards(services, approvals, deps.edits)
        self._commands = Commands(
            approvals, deps.answers, ContactSuggestions(services.owner), deps.running, deps.acts, self._cards
        )
        self._held_back = HeldBack(store, clock, channel, guard, wake)
        self._dry_runs = DryRuns(store, clock, approvals, channel, butler_name=services.settings.butler.name, wake=wake)
        self._plans = PlanButtons(store, clock, approvals, channel, services.tools, wake=wake)

    @property
    def commands(self) -> Commands:
        """The commands, which plans may give as well."""
        return self._commands

    async def handle(self, inbound_id: str) -> None:  # noqa: C901, PLR0912 - the one match, a line a kind
        """Handle one stored item, once."""
        found, kept = await self._services.store.look(partial(self._found, inbound_id=inbound_id))
        if found is None or found[1] is not InboxState.NEW:
            return
        item = found[0]
        if item.kind is InboundKind.CHAT and message_grouping.PARTS in item.payload:
            now = self._services.clock.now()
            item = await self._services.store.write(lambda c: message_grouping.closed(c, item, now), "whole_message")
        if kept and self._from_owner(item):
            await self._revive(item)
        match item.kind:
            case InboundKind.BUTTON:
                await self._button(item)
            case InboundKind.MIGRATED:
                await self._migrated(item)
            case InboundKind.MAIL:
                await self._mail(item)
            case InboundKind.TICK | InboundKind.HOOK:
                await self._by_itself(item)
            case InboundKind.COMMAND if item.payload.get("name") == "start":
                await self._start(item)
            case _ if not self._from_owner(item):
                await self._settle(item, InboxState.IGNORED, InboxNote.NOT_FROM_OWNER)
            case InboundKind.COMMAND:
                await self._command(item)
            case InboundKind.CHAT | InboundKind.EDITED if PAYLOAD in item.payload:
                await self._deps.approvals.pin_typed(item)
            case InboundKind.CHAT | InboundKind.EDITED if PASSWORD in item.payload:
                await self._plans.password(item)
            case InboundKind.EDITED:
                await self._edited(item)
            case InboundKind.CHAT:
                await self._chat(item)

    def _found(self, connection: sa.Connection, inbound_id: str) -> tuple[tuple[Inbound, InboxState] | None, bool]:
        """Return an item, and whether something waits for its chat to open."""
        found = inbox.get(connection, inbound_id)
        if found is None or outbox.kept_for(connection, inbound_id):
            return found, True
        return found, self._deps.approvals.waits_for(connection, found[0].chat, self._services.clock.now())

    def _from_owner(self, item: Inbound) -> bool:
        owner = self._deps.owner.telegram_user_id
        return owner is not None and item.sender == f"telegram:{owner}"

    async def _revive(self, item: Inbound) -> None:
        """Queue what was kept for a chat that the owner has opened again."""
        now = self._services.clock.now()

        def send(connection: sa.Connection) -> None:
            # In one transaction: the kept messages are the only sign of unseen cards.
            outbox.revive(connection, item.chat, now)
            self._deps.approvals.show_unseen(connection, now)

        await self._services.store.write(send, "revive")
        self._services.wake()

    async def _chat(self, said: Inbound) -> None:
        if (item := await self._deps.hearing.transcribe(said)) is None:
            return
        edits, replied_to = self._deps.edits, item.reply_to
        card = (
            await self._services.store.look(lambda c: edits.card_at(c, item.chat, replied_to)) if replied_to else None
        )
        if await self._dry_runs.take(item, card):
            return
        if card is not None and await edits.take(item, card):
            return
        if not replied_to and await edits.follow(item):
            return
        if not await self._held_back.takes(item):
            await judged_spans(self._services.store, self._deps.guard, item, self._services.clock.now())
            await self._deps.turns.take(input_of(item), self._commands)

    async def _by_itself(self, item: Inbound) -> None:
        """Handle an automation's request, in words that the owner has seen."""
        if item.channel != AUTOMATIONS:
            await self._settle(item, InboxState.IGNORED, InboxNote.NO_LISTENER)
            return
        await self._deps.turns.take(input_of(item, about=str(item.payload.get("about", ""))), self._commands)

    async def _mail(self, item: Inbound) -> None:
        if item.identity is Identity.USER:
            # Nothing in the owner's own mailbox is said to the butler.
            await self._deps.mail.take_report(item)
        elif not await self._deps.approvals.answer_by_mail(item) and not await self._held_back.takes_mail(item):
            await self._deps.mail.take(await judged(self._services.store, self._deps.guard, item), self._commands)

    async def _button(self, item: Inbound) -> None:
        if str(item.payload.get("data", "")).startswith("c:"):
            await self._choice(item)
            return
        await self._deps.approvals.decide(item)
        await self._settle(item, InboxState.DONE)

    async def _choice(self, item: Inbound) -> None:
        """Handle a tap that says words for the owner, or requests fixed steps."""
        if not self._from_owner(item):
            await self._services.channel.answer(str(item.payload["query"]), say("This button is not for you."))
            await self._settle(item, InboxState.IGNORED, InboxNote.NOT_FROM_OWNER)
            return
        data = str(item.payload["data"])
        choice = await self._services.store.read(lambda c: conversations.choice(c, data, item.chat))
        if choice is None or choice.used:
            text = say("I no longer know this button.") if choice is None else say("You have tapped this before.")
            await self._services.channel.answer(str(item.payload["query"]), text)
            await self._settle(item, InboxState.DONE)
            return
        await self._services.channel.answer(str(item.payload["query"]), say("All right."))
        if self._plans.are_for(choice):
            await self._plans.tapped(item, choice)
            return
        services: Sequence[ButtonHandler] = (self._cards, *self._deps.taps)
        if (service := next((one for one in services if one.key in (choice.steps or {})), None)) is not None:
            await self._tapped(item, service, (choice.steps or {})[service.key])
            return
        if choice.steps is not None:
            await self._deps.turns.take_steps(item, choice)
            return
        if (choice.address or choice.alias) and not await self._named(item, choice):
            return
        words = Labelled(value=choice.words, origins=frozenset({Origin.owner(item.chat)}))
        card = Card.of(choice.replied_to)
        if card is None or not await self._deps.edits.take(item, card, words):
            await self._deps.turns.take(input_of(item, words, choice.replied_to), self._commands)

    async def _tapped(self, item: Inbound, service: ButtonHandler, stored: Mapping[str, Any]) -> None:
        """Handle a tap on a service's own button, once."""
        now = self._services.clock.now()

        def do(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            if used := conversations.use(connection, str(item.payload["data"]), now):
                service.tapped(connection, item, stored, now)
            inbox.settle(
                connection,
                item.inbound_id,
                InboxState.DONE,
                now=now,
                detail=InboxNote.NONE if used else InboxNote.TAPPED_BEFORE,
            )

        await self._services.store.write(do, "button")
        self._services.wake()

    async def _named(self, item: Inbound, choice: ChoiceRow) -> bool:
        """Handle a tap that gives a name to an address, or to none; return whether its request goes on."""
        now = self._services.clock.now()

        def name(connection: sa.Connection) -> bool:
            text = confirm(connection, choice, item.sender, now)
            if choice.words:
                # The request, which uses the name, is read next; repeating both changes nothing.
                return True
            if conversations.use(connection, str(item.payload["data"]), now):
                key = f"turn:{item.inbound_id}"
                outbox.add(connection, item.chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)
            return False

        goes_on = await self._services.store.write(name, "name")
        self._services.wake()
        return goes_on

    async def _start(self, item: Inbound) -> None:
        """Pair on `/start CODE`; greet the owner on `/start`. Tell strangers nothing useful."""
        sender = int(item.sender.removeprefix("telegram:"))
        code = str(item.payload.get("rest", ""))
        if not self._from_owner(item) and not (code and await self._deps.owner.pair(code, sender)):
            await self._settle(item, InboxState.IGNORED, InboxNote.NOT_FROM_OWNER)
            return
        await self._greet(item)

    async def _greet(self, item: Inbound) -> None:
        """Greet, and once after a new pairing report what it has withdrawn and which mails came before it."""
        greeting = OwnerMessage(text=await self._deps.answers.answer(Command.HELP))
        now = self._services.clock.now()

        def greet(connection: sa.Connection) -> None:
            outbox.add(connection, item.chat, greeting, now=now, dedup_key=f"turn:{item.inbound_id}")
            if withdrawn := self._deps.approvals.withdrawn(connection, now):
                key = f"withdrawn:{item.inbound_id}"
                outbox.add(connection, item.chat, OwnerMessage(text=plain(withdrawn)), now=now, dedup_key=key)
            for mail in inbox.look_again(connection, InboxNote.UNTOLD, now - UNTOLD_SINCE, MOST_UNTOLD):
                work.add(connection, INBOUND, mail.inbound_id, now=now, lane=lane_of(mail))
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._services.store.write(greet, "greet")
        self._services.wake()

    async def _command(self, item: Inbound) -> None:
        name = str(item.payload.get("name", ""))
        if name == Command.PAUSE:
            # Only this command has an argument, which says what to pause.
            await self._act(item, telling(self._deps.approvals.pause))
        elif name not in {*Command, STOP}:
            await self._say(item, plain(say("I know no command /{name}. /help says what I can do.", name=name)))
        elif (act := self._commands.act(command := Command.PAUSE if name == STOP else Command(name))) is not None:
            await self._act(item, act)
        else:
            await self._say(item, await self._commands.words(command))

    async def _act(self, item: Inbound, act: Act) -> None:
        """Run a command once and answer it, in one transaction."""
        now = self._services.clock.now()

        def do(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            act(connection, item, now)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._services.store.write(do, "command")
        self._services.wake()

    async def _edited(self, item: Inbound) -> None:
        """Withdraw what the old words requested, and handle the new words."""
        now, part = self._services.clock.now(), item
        item, earlier = await self._services.store.write(lambda c: message_grouping.edited(c, part), "whole_edit")

        def withdraw(connection: sa.Connection) -> Edit:
            if not earlier or earlier[-1].text == item.text:
                return Edit.NO_NEWS
            ids = [old.inbound_id for old in earlier]
            for inbound_id in ids:
                self._plans.withdraw(connection, inbound_id, now)
                self._deps.approvals.supersede_requested_by(connection, inbound_id, MESSAGE_EDITED, now)
            # Read back, because a crash may lie between the withdrawal and the new turn.
            withdrawn = plans.last_state(connection, ids) in {None, PlanState.CANCELLED}
            return Edit.ANEW if withdrawn else Edit.TOO_LATE

        match await self._services.store.write(withdraw, "withdraw"):
            case Edit.ANEW:
                await self._chat(item)
            case Edit.TOO_LATE as late:
                # Acts are not undone; an edit of an old message is not a new request.
                await self._say(item, plain(say(late.value)))
            case Edit.NO_NEWS:
                await self._settle(item, InboxState.IGNORED, InboxNote.NO_CHANGE)

    async def _migrated(self, item: Inbound) -> None:
        """Move everything of a group to its supergroup id, once."""
        old, new = str(item.payload["old"]), str(item.payload["new"])
        now = self._services.clock.now()

        def rename(connection: sa.Connection) -> None:
            inbox.rename_chat(connection, old, new)
            outbox.rename_chat(connection, old, new)
            conversations.rename(connection, old, new)
            self._deps.approvals.chat_moved(connection, old, new, now)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._services.store.write(rename, "migrated")
        self._services.wake()

    async def _say(self, item: Inbound, text: Rich) -> None:
        now = self._services.clock.now()

        def work(connection: sa.Connection) -> None:
            key = f"turn:{item.inbound_id}"
            outbox.add(connection, item.chat, OwnerMessage(text=text), now=now, dedup_key=key)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._services.store.write(work, "say")
        self._services.wake()

    async def _settle(self, item: Inbound, state: InboxState, detail: InboxNote = InboxNote.NONE) -> None:
        now = self._services.clock.now()
        await self._services.store.write(
            lambda c: inbox.settle(c, item.inbound_id, state, now=now, detail=detail), "settle"
        )
