"""One turn: the owner's words become a stored plan, a question or an answer, in one transaction with the request."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from datetime import datetime
from functools import partial
from typing import Protocol
from zoneinfo import ZoneInfo

import sqlalchemy as sa
import structlog

from butler.contract.card import Button, OwnerChannel, OwnerMessage, Rich, Span, plain
from butler.contract.conversation import ConversationState, Referent
from butler.contract.errors import ModelOutputError, ModelUnavailableError, Refuse
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.ports import Clock, OwnerFacts
from butler.contract.provenance import Labelled
from butler.contract.tools import Attachment, ToolInvoker
from butler.orchestrator import mail_answers, preferring
from butler.orchestrator.acquaintances import suggest
from butler.orchestrator.mail_about import meant
from butler.orchestrator.offers import note_tap, plan_of
from butler.orchestrator.planning import Choice, Command, Planned, Planner, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.preferences import Preference, PreferenceName
from butler.orchestrator.words import is_vouched_for, owner_words, without_words
from butler.provenance import dump
from butler.store.queries import contacts, conversations, inbox, outbox, plans, preferences, work
from butler.store.queries.conversations import ChoiceRow
from butler.store.queries.inbox import InboxState
from butler.store.store import Store

log = structlog.get_logger(__name__)


TYPING_AFTER_S = 0.5
"""An answer that takes no longer needs no sign that it is coming."""
TYPING_LASTS_S = 4.5

NOT_BY_A_DETOUR = "Your mail came through a forwarder, whose word is not enough for that. Say it here, and I do it."

Act = Callable[[sa.Connection, Inbound, datetime], None]
"""Does what a command asks for and puts its answer on the way, within the transaction that settles the request."""


Rows = Callable[[sa.Connection], tuple[tuple[Button, ...], ...]]
"""Stores what buttons stand for, and gives them."""


class Answers(Protocol):
    """What the house does and answers by itself."""

    def act(self, command: Command) -> Act | None:
        """How a command is done that changes something or has buttons; None for one that is only answered."""
        ...

    async def words(self, command: Command) -> Rich:
        """The answer to one that is only answered."""
        ...


class Turns:
    """Makes plans out of what the owner says."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        tools: ToolInvoker,
        planner: Planner,
        channel: OwnerChannel,
        owner: OwnerFacts,
        *,
        zone: ZoneInfo,
        butler_name: str,
        wake: Callable[[], None],
        people_known: Callable[[], Awaitable[None]],
        language: str = "en",
    ) -> None:
        """`people_known` waits until the owner's address books were read, shortly after the start.

        `language` is the one of the settings, for an owner who prefers no other.
        """
        self._language = language
        self._people_known = people_known
        self._store, self._clock, self._tools, self._planner, self._channel = store, clock, tools, planner, channel
        self._owner, self.zone, self._butler_name, self._wake = owner, zone, butler_name, wake

    async def take(
        self,
        item: Inbound,
        house: Answers,
        words: Labelled[str] | None = None,
        about: str = "",
        otherwise: Rows | None = None,
    ) -> None:
        """Handle one request of the owner.

        Where a button said it, `words` stands for the message, and `about` is the handle that they are about.
        `otherwise` makes the buttons that go with a question back, of what could be done besides.
        """
        said = words or owner_words(item).words
        if not said.value.strip():
            await self._settle_without_words(item)
            return
        await self._people_known()
        request = await self._store.look(lambda c: self._request(c, item, said, about))
        async with self._typing(item.chat):
            planned = await self._plan(request)
        output = await self._store.look(lambda c: meant(c, planned, request, self._owner))
        act = await self._act(item, output, request, house, otherwise)
        now = self._clock.now()

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            if item.kind is InboundKind.BUTTON and not conversations.use(connection, str(item.payload["data"]), now):
                inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail="tapped before")
                return

            def change(state: ConversationState) -> None:
                state.user_preferences = dict(preferences.every(connection))
                state.add_message(
                    "user",
                    said.value,
                    timestamp=item.received_at,
                    origins=list(said.origins),
                    message_ref=item.message_ref,
                )
                if not isinstance(output, Planned):
                    state.add_message("assistant", memory_of(output), timestamp=now)

            conversations.update(connection, item.chat, change, now)
            act(connection, item, now)
            mail_answers.answer_as_said(connection, item, f"turn:{item.inbound_id}", now)
            if item.attachments and item.kind is not InboundKind.MAIL:
                note = OwnerMessage(text=plain(kept_files(item.attachments)))
                outbox.add(connection, item.chat, note, now=now, dedup_key=f"files:{item.inbound_id}")
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        # The request stands on disk already, so a question lost with the machine is asked again; others act.
        await self._store.write(store, "turn", flushed=not isinstance(output, Unclear))
        self._wake()

    async def take_steps(self, item: Inbound, choice: ChoiceRow) -> None:
        """Handle a tap on a button that stands for steps of a plan, or for wanting nothing of what was offered."""
        plan, now = plan_of(choice), self._clock.now()
        output = self._checked(plan) if plan is not None else None

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            used = conversations.use(connection, str(item.payload["data"]), now)
            if used and (name := preferring.taken_back(choice)):
                note_tap(connection, item, every=False, now=now)
                _say(OwnerMessage(text=plain(preferring.forget(connection, name))), connection, item, now)
            elif used:
                note_tap(connection, item, every=plan is None, now=now)
                self._do(connection, item, output, choice.replied_to, now)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail="" if used else "tapped before")

        await self._store.write(store, "steps")
        self._wake()

    def _do(
        self, connection: sa.Connection, item: Inbound, output: PlannerOutput | None, about: str, now: datetime
    ) -> None:
        """Begin the plan of a tapped button, and remember its tools: its label may hold others' words."""
        match output:
            case Planned(steps=steps):

                def change(state: ConversationState) -> None:
                    tools = ", ".join(step.tool_call for step in steps)
                    state.add_message("user", f"Tapped a button under {about}: {tools}.", timestamp=item.received_at)

                conversations.update(connection, item.chat, change, now)
                _add_plan(output, connection, item, now)
            case Unclear(question=question):
                _say(OwnerMessage(text=plain(question)), connection, item, now)
            case Command() | Preference() | None:
                pass

    def _request(self, connection: sa.Connection, item: Inbound, said: Labelled[str], about: str) -> PlannerInput:
        if not said.from_owner:
            raise Refuse("only the owner's own words are planned")
        state = conversations.load(connection, item.chat)
        spoken_of = tuple(r for r in state.referents if about and r.handle == about)
        return PlannerInput(
            words=said,
            source_line=item.source_line(),
            tools=tuple(self._tools.specs()),
            contacts=tuple(contacts.all_confirmed(connection)),
            referents=tuple(state.referents),
            replied_to=spoken_of or replied_to(connection, item, state),
            history=tuple(state.history),
            now=self._clock.now(),
            zone=self.zone,
            butler_name=self._butler_name,
            language=preferences.every(connection).get(PreferenceName.LANGUAGE, self._language),
        )

    @asynccontextmanager
    async def _typing(self, chat: str) -> AsyncGenerator[None, None]:
        """Show that an answer is coming, as soon as and as long as it is slow."""

        async def show() -> None:
            await asyncio.sleep(TYPING_AFTER_S)
            while True:
                await self._channel.typing(chat)
                await asyncio.sleep(TYPING_LASTS_S)

        showing = asyncio.create_task(show(), name="typing")
        try:
            yield
        finally:
            showing.cancel()
            await asyncio.wait([showing])

    async def _plan(self, request: PlannerInput) -> PlannerOutput:
        try:
            return self._checked(await self._planner.plan(request))
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("planner_failed", kind=type(error).__name__)
            again = Choice(label="Try again", words=request.words.value)
            return Unclear(f"{error}. Your request is kept; tap to try it again.", (again,))

    def _checked(self, output: PlannerOutput) -> PlannerOutput:
        """A plan that names a tool that is not registered is refused as a whole."""
        if isinstance(output, Planned):
            for step in output.steps:
                try:
                    self._tools.spec(step.tool_call)
                except Refuse as refusal:
                    return Unclear(f"I made a plan that I cannot carry out ({refusal}). Please say it in other words.")
        return output

    async def _act(
        self, item: Inbound, output: PlannerOutput, request: PlannerInput, house: Answers, otherwise: Rows | None
    ) -> Act:
        """What a planner's output comes to."""
        match output:
            case Planned():
                return partial(_add_plan, output)
            case Unclear():
                return partial(self._ask, output, request, otherwise)
            case Command():
                if (act := house.act(output)) is not None and is_vouched_for(item):
                    return partial(_say, OwnerMessage(text=plain(NOT_BY_A_DETOUR)))
                return act or partial(_say, OwnerMessage(text=await house.words(output)))
            case Preference():
                if is_vouched_for(item):
                    return partial(_say, OwnerMessage(text=plain(NOT_BY_A_DETOUR)))
                return partial(preferring.prefer, output, request.words)

    def _ask(
        self,
        unclear: Unclear,
        request: PlannerInput,
        otherwise: Rows | None,
        connection: sa.Connection,
        item: Inbound,
        now: datetime,
    ) -> None:
        text, choices = suggest(connection, unclear, request.words.value, self._owner)
        about = request.replied_to[0].handle if len(request.replied_to) == 1 else ""
        rows = tuple((_button(connection, item.chat, choice, about, now),) for choice in choices)
        rows += otherwise(connection) if otherwise is not None else ()
        _say(OwnerMessage(text=text, buttons=rows), connection, item, now)

    async def _settle_without_words(self, item: Inbound) -> None:
        now = self._clock.now()
        text = without_words(item)

        def store(connection: sa.Connection) -> None:
            message = OwnerMessage(text=(Span(text=text),), reply_to=item.message_ref or None)
            outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._store.write(store, "turn")
        self._wake()


def _add_plan(plan: Planned, connection: sa.Connection, item: Inbound, now: datetime) -> None:
    plan_id = uuid.uuid4().hex
    plans.add(
        connection,
        plan_id,
        session_id=item.chat,
        inbound_id=item.inbound_id,
        steps=plan.steps,
        # The forwarder could have had a hand in the words, so whatever others would see of them asks.
        labels=dump(plan.labels | {item.origin} if is_vouched_for(item) else plan.labels),
        now=now,
    )
    work.add(connection, plans.PLAN_STEP, plan_id, now=now)


def _button(connection: sa.Connection, chat: str, choice: Choice, about: str, now: datetime) -> Button:
    """A choice, about what the question was about."""
    alias, address = choice.alias, choice.address
    data = conversations.offer(connection, chat, choice.words, replied_to=about, alias=alias, address=address, now=now)
    return Button(label=choice.label, data=data)


def _say(message: OwnerMessage, connection: sa.Connection, item: Inbound, now: datetime) -> None:
    outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")


def memory_of(output: PlannerOutput) -> str:
    """An answer as a planner may see it later; what the house tells of itself may hold other people's words."""
    match output:
        case Unclear(question=question):
            return question
        case Command():
            return f"Answered {output.value}."
        case Preference(name=name):
            return f"Noted the preference {name.value}."
        case Planned():
            return ""


def kept_files(files: Sequence[Attachment]) -> str:
    """What is said of files that came with a request."""
    what = "the file" if len(files) == 1 else f"the {len(files)} files"
    return f"📎 I kept {what}, but I cannot use files in a request yet."


def replied_to(connection: sa.Connection, item: Inbound, state: ConversationState) -> tuple[Referent, ...]:
    """What was shown in the message that the owner replied to."""
    if item.reply_to is None:
        return ()
    message_id = outbox.by_ref(connection, item.chat, item.reply_to)
    return tuple(r for r in state.referents if message_id and r.shown_in == message_id)
