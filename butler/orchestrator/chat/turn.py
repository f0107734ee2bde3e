"""One turn: turns the owner's words into a stored plan, a question or an answer, in the request's transaction."""

import uuid
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import Protocol

import sqlalchemy as sa
import structlog

from butler.agents.budget import Usage
from butler.agents.errors import ModelOutputError, ModelUnavailableError
from butler.contract.card import Button, OwnerMessage, Rich, Span, plain
from butler.contract.errors import Bug
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.provenance import Trust
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Offer
from butler.contract.speech import say, say_error
from butler.contract.tools import Attachment
from butler.orchestrator.chat import preference_commands
from butler.orchestrator.chat.answer_draft import AnswerDrafts, close, finish
from butler.orchestrator.chat.compaction import COMPACT, is_long
from butler.orchestrator.chat.forwarded_mail import resolve_forwarded
from butler.orchestrator.chat.language_offer import LanguageOffer
from butler.orchestrator.chat.sent_files import asked_of, kept, note_files, readable, reading
from butler.orchestrator.execution.contact_suggestions import suggest
from butler.orchestrator.execution.rounds import TurnLimits
from butler.orchestrator.planning.last_shown import pointed
from butler.orchestrator.planning.own_words import (
    brought_about_by,
    is_set_going,
    not_from_here,
    without_words,
)
from butler.orchestrator.planning.plan_types import (
    LONGEST_REMEMBERED,
    NOTHING_DONE,
    AboutCards,
    Answer,
    CardOrders,
    Choice,
    Command,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.preferences import Preference
from butler.orchestrator.planning.requests import OrchestratorInput, RequestContext, behind, checked, request_of
from butler.orchestrator.replies import mail_answers
from butler.orchestrator.replies.answer_text import answer_spans, noted
from butler.orchestrator.replies.offers import buttons, note_tap, plan_of
from butler.orchestrator.replies.progress import soon
from butler.orchestrator.replies.typing import typing
from butler.orchestrator.results.selection import selected
from butler.provenance import dump
from butler.services import Services
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, inbox, outbox, plans, work
from butler.store.queries.conversations import ChoiceRow
from butler.store.queries.inbox import InboxNote, InboxState

log = structlog.get_logger(__name__)

Act = Callable[[sa.Connection, Inbound, datetime], None]
"""Carries out a command and queues its answer, within the transaction that settles the request."""


Rows = Callable[[sa.Connection], tuple[tuple[Button, ...], ...]]
"""Stores the requests behind buttons, and returns the buttons."""


class Answers(Protocol):
    """The commands that the core does and answers without a plan."""

    def act(self, command: Command) -> Act | None:
        """Return how to do a command that changes something or has buttons; None for one that is only answered."""
        ...

    async def words(self, command: Command) -> Rich:
        """Return the answer to a command that is only answered."""
        ...

    async def to_cards(self, given: OrchestratorInput, about: AboutCards | CardOrders) -> Act | None:
        """Return how to do what the words say about cards; None if there is no card that they can be about."""
        ...


class Turns:
    """Makes plans out of what the owner says."""

    def __init__(
        self,
        services: Services,
        planner: Planner,
        people_known: Callable[[], Awaitable[None]],
        limits: TurnLimits | None = None,
        *,
        compacts: bool = False,
    ) -> None:
        """`people_known` waits until the owner's address books were read, shortly after the start.

        With `compacts`, the older part of a long conversation is to be summed up.
        """
        self._store, self._clock, self._wake = services.store, services.clock, services.wake
        self._tools, self._channel, self._owner = services.tools, services.channel, services.owner
        self._planner, self._people_known = planner, people_known
        self._compacts = compacts
        self.drafts = AnswerDrafts(services.store, services.clock, services.wake)
        self.language_offer = LanguageOffer(services)
        self._limits, self._home = limits or TurnLimits(), RequestContext.of(services)

    async def take(self, given: OrchestratorInput, answers: Answers, otherwise: Rows | None = None) -> None:
        """Handle one request of the owner.

        `otherwise` makes buttons for a question back, with what else could be done.
        """
        item, labelled = given.request, given.words
        files = readable(item, self._tools)
        if files:
            await self._store.write(lambda c: note_files(c, item, files, self._clock.now()), "files")
        if not labelled.value.strip():
            await (self._read_files(item, files) if files else self._settle_without_words(item))
            return
        await self._people_known()
        request = await self._store.look(lambda c: request_of(c, self._home, given, now=self._clock.now()))
        async with typing(self._channel, item.chat):
            with self._limits.budget({}) as budget:
                planned = await self.drafts.planned(item, lambda on_text: self._plan(replace(request, on_text=on_text)))
        if planned is None:
            return
        rows = otherwise or partial(self._of_files, item, request)
        output, acts = await self._acts(given, request, answers, rows, planned, budget.spent)
        now = self._clock.now()

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            if item.kind is InboundKind.BUTTON and not conversations.use(connection, str(item.payload["data"]), now):
                inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now, detail=InboxNote.TAPPED_BEFORE)
                return

            self._remember(connection, item.chat, partial(_remember, given, request, output, now), now)
            if not isinstance(output, Answer | Unclear):
                close(connection, item, now)
            self.language_offer.hear(connection, given, output, now)
            for act in acts:
                act(connection, item, now)
            mail_answers.answer_like_chat(connection, item, f"turn:{item.inbound_id}", now)
            if (note := kept(connection, item, output, request, now)) is not None:
                outbox.add(connection, item.chat, note, now=now, dedup_key=f"files:{item.inbound_id}")
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        # The request is on disk already, so a question lost in a crash is asked again; other outputs act.
        await self._store.write(store, "turn", flushed=not isinstance(output, Unclear))
        self._wake()

    def _remember(
        self, connection: sa.Connection, chat: str, change: Callable[[ConversationState], None], now: datetime
    ) -> None:
        """Change the conversation, and have its older part summed up if it has become long."""
        state = conversations.update(connection, chat, change, now)
        if self._compacts and is_long(state):
            work.cancel(connection, COMPACT, chat)
            work.add(connection, COMPACT, chat, now=now, lane=f"{COMPACT}:{chat}")

    async def take_steps(self, item: Inbound, choice: ChoiceRow) -> None:
        """Handle a tap on a button that stands for steps of a plan, or that declines all that was offered."""
        plan, now = plan_of(choice), self._clock.now()
        output = checked(self._tools, plan) if plan is not None else None

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            used = conversations.use(connection, str(item.payload["data"]), now)
            if used and (name := preference_commands.taken_back(choice)):
                note_tap(connection, item, every=False, now=now)
                text = preference_commands.forget(connection, name, self._home.language, now)
                _say(OwnerMessage(text=plain(text)), connection, item, now)
            elif used:
                note_tap(connection, item, every=plan is None, now=now)
                self._do(connection, item, output, choice.replied_to, now)
            inbox.settle(
                connection,
                item.inbound_id,
                InboxState.DONE,
                now=now,
                detail=InboxNote.NONE if used else InboxNote.TAPPED_BEFORE,
            )

        await self._store.write(store, "steps")
        self._wake()

    def _do(
        self, connection: sa.Connection, item: Inbound, output: PlannerOutput | None, about: str, now: datetime
    ) -> None:
        """Begin the plan of a tapped button, and remember its tools: its label may hold others' words."""
        match output:
            case Planned(steps=steps):

                def change(state: ConversationState) -> None:
                    state.begin_turn(item.inbound_id)
                    tools = ", ".join(step.tool_call for step in steps)
                    state.add_message("user", f"Tapped a button under {about}: {tools}.", timestamp=item.received_at)

                conversations.update(connection, item.chat, change, now)
                add_plan(output, connection, item, now)
            case Unclear(question=question):
                _say(OwnerMessage(text=plain(question)), connection, item, now)
            case Answer() | Command() | Preference() | AboutCards() | CardOrders() | None:
                pass

    async def _plan(self, request: PlannerInput) -> PlannerOutput:
        try:
            return checked(self._tools, await self._planner.plan(request))
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("planner_failed", kind=type(error).__name__)
            again = Choice(label=say("Try again"), words=request.words.value)
            why = say_error(error).rstrip(".")
            return Unclear(say("{why}. Your request is kept; tap to try it again.", why=why), (again,))

    async def _acts(
        self,
        given: OrchestratorInput,
        request: PlannerInput,
        answers: Answers,
        otherwise: Rows,
        planned: PlannerOutput,
        spent: Usage,
    ) -> tuple[PlannerOutput, list[Act]]:
        """Return the output for a message with the acts to do for it; acts on cards come first."""
        item = given.request
        to_cards = await answers.to_cards(given, planned) if isinstance(planned, AboutCards | CardOrders) else None
        acts = [to_cards] if to_cards is not None else []
        rest = _besides_cards(planned, done=to_cards is not None)
        if rest is None:
            return planned, acts
        wanted = checked(self._tools, rest)
        output = await self._store.look(lambda c: self._resolved(c, item.chat, wanted, request))
        return output, [*acts, await self._act(item, output, request, answers, otherwise, spent)]

    def _resolved(
        self, connection: sa.Connection, chat: str, planned: PlannerOutput, request: PlannerInput
    ) -> PlannerOutput:
        """Resolve a planner's output against what planners are not given."""
        chosen = selected(connection, chat, pointed(planned, request), request)
        return resolve_forwarded(connection, chosen, request, self._owner)

    async def _act(
        self,
        item: Inbound,
        output: PlannerOutput,
        request: PlannerInput,
        answers: Answers,
        otherwise: Rows,
        spent: Usage,
    ) -> Act:
        """Turn a planner's output into the act of this turn."""
        match output:
            case Planned():
                return partial(add_plan, output, spent=spent)
            case Unclear():
                return partial(self._ask, output, request, otherwise)
            case Answer():
                return partial(_finish, OwnerMessage(text=noted(answer_spans(output.text), NOTHING_DONE)))
            case Command() | Preference():
                return await self._command(output, item, request, answers)
            case AboutCards() | CardOrders():
                raise Bug("what is said to cards was not handed to them")

    async def _command(
        self, output: Command | Preference, item: Inbound, request: PlannerInput, answers: Answers
    ) -> Act:
        """Turn what the core does itself into an act, if it may be asked for from here."""
        act = answers.act(output) if isinstance(output, Command) else None
        if (act is not None or isinstance(output, Preference)) and (why := not_from_here(item)):
            return partial(_say, OwnerMessage(text=plain(say(why))))
        if isinstance(output, Preference):
            return partial(preference_commands.prefer, output, request.words, self._home.language)
        return act or partial(_say, OwnerMessage(text=await answers.words(output)))

    def _ask(
        self,
        unclear: Unclear,
        request: PlannerInput,
        otherwise: Rows,
        connection: sa.Connection,
        item: Inbound,
        now: datetime,
    ) -> None:
        text, choices = suggest(connection, unclear, request.words.value, self._owner)
        about = request.replied_to[0].handle if len(request.replied_to) == 1 else ""
        rows = tuple((_button(connection, item, choice, about, now),) for choice in choices)
        rows += otherwise(connection)
        _finish(OwnerMessage(text=text, buttons=rows), connection, item, now)

    def _of_files(
        self, item: Inbound, request: PlannerInput, connection: sa.Connection
    ) -> tuple[tuple[Button, ...], ...]:
        """Offer what could be done with the file whose words were not understood."""
        handles = [one.handle for one in request.replied_to if one.kind is ReferentKind.FILE]
        return asked_of(connection, item.chat, handles, self._clock.now()) if item.attachments else ()

    async def _read_files(self, item: Inbound, files: Sequence[Attachment]) -> None:
        """Read files that came without words, to report what they are."""
        now = self._clock.now()

        def store(connection: sa.Connection) -> None:
            if inbox.state(connection, item.inbound_id) is not InboxState.NEW:
                return
            wanted = {file.sha256 for file in files}

            def change(state: ConversationState) -> None:
                handles = [one.handle for one in state.referents if one.key in wanted]
                state.begin_turn(item.inbound_id)
                state.add_message("user", f"Sent {', '.join(handles)}.", timestamp=item.received_at)
                add_plan(reading(handles), connection, item, now)

            conversations.update(connection, item.chat, change, now)
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._store.write(store, "turn")
        self._wake()

    async def _settle_without_words(self, item: Inbound) -> None:
        now = self._clock.now()
        text = without_words(item)

        def store(connection: sa.Connection) -> None:
            message = OwnerMessage(text=(Span(text=text),), reply_to=item.message_ref or None)
            outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")
            inbox.settle(connection, item.inbound_id, InboxState.DONE, now=now)

        await self._store.write(store, "turn")
        self._wake()


def add_plan(
    plan: Planned, connection: sa.Connection, item: Inbound, now: datetime, *, spent: Usage | None = None
) -> None:
    """Store the plan of a request and queue its start, within the transaction that settles the request."""
    plan_id = uuid.uuid4().hex
    # All else in a mail had a hand in its request, so any output that others see asks first.
    others = frozenset(one for one in behind(connection, item) if one.trust is Trust.UNTRUSTED)
    plans.add(
        connection,
        plan_id,
        session_id=item.chat,
        inbound_id=item.inbound_id,
        steps=plan.steps,
        # A forwarder could have had a hand in the words, and who triggers something decides when it is done, so
        # any output that others see asks first.
        labels=dump((plan.labels | {brought_about_by(item)} if is_set_going(item) else plan.labels) | others),
        more=plan.more,
        spent=(spent or Usage()).model_dump(mode="json"),
        now=now,
    )
    work.add(connection, plans.PLAN_STEP, plan_id, now=now)
    soon(connection, plan_id, len(plan.steps), now)


def _button(connection: sa.Connection, item: Inbound, choice: Choice, about: str, now: datetime) -> Button:
    """Build the button of a choice, about the same thing as the question."""
    chat = item.chat
    if choice.steps:
        offer = Offer(choice.label, steps=choice.steps, labels=choice.labels)
        ((button,),) = buttons(connection, chat, (offer,), about=about, labels=choice.labels, now=now)
        return button
    alias, address = choice.alias, choice.address
    data = conversations.offer(
        connection,
        chat,
        choice.words,
        replied_to=about,
        alias=alias,
        address=address,
        origins=dump(behind(connection, item)),
        now=now,
    )
    return Button(label=choice.label, data=data)


def _say(message: OwnerMessage, connection: sa.Connection, item: Inbound, now: datetime) -> None:
    outbox.add(connection, item.chat, message, now=now, dedup_key=f"turn:{item.inbound_id}")


def _finish(message: OwnerMessage, connection: sa.Connection, item: Inbound, now: datetime) -> None:
    finish(connection, item, message, now)


def _besides_cards(planned: PlannerOutput, *, done: bool) -> PlannerOutput | None:
    """Return the output to act on besides what was said to cards; None for nothing.

    Args:
        planned: The planner's output for the message.
        done: Whether there is a card that its words are about.
    """
    if isinstance(planned, CardOrders):
        return planned.then
    if not isinstance(planned, AboutCards):
        return planned
    return planned.then if done else planned.then or planned.otherwise


def memory_of(output: PlannerOutput) -> str:
    """Return an answer as later planners may see it; the core's own answers may hold other people's words."""
    match output:
        case Unclear(question=question):
            return question
        case Answer(text=text):
            return text[:LONGEST_REMEMBERED]
        case Command():
            return f"Answered {output.value}."
        case Preference(name=name):
            return f"Noted the preference {name.value}."
        case AboutCards():
            return "Answered words about a card."
        case Planned() | CardOrders():
            return ""


def _remember(
    given: OrchestratorInput, request: PlannerInput, output: PlannerOutput, now: datetime, state: ConversationState
) -> None:
    """Keep what was said and answered for later requests; what plans and orders come to is kept once it is known."""
    item, labelled = given.request, given.words
    state.begin_turn(item.inbound_id)
    state.user_preferences = dict(request.preferences)
    state.add_message(
        "user",
        labelled.value,
        timestamp=item.received_at,
        origins=list(labelled.origins),
        message_ref=item.message_ref,
    )
    if not isinstance(output, Planned | CardOrders):
        labels = list(output.labels) if isinstance(output, Answer | Unclear) else []
        state.add_message("assistant", memory_of(output), timestamp=now, origins=labels)
    _keep_in_mind(state, output, request)


def _keep_in_mind(state: ConversationState, output: PlannerOutput, request: PlannerInput) -> None:
    """Keep a reminder in mind whose question is open: the answer is about the same one, whatever was shown since."""
    if isinstance(output, Unclear) and [one.kind for one in request.replied_to] == [ReferentKind.REMINDER]:
        one = request.replied_to[0]
        state.add_referent(one.kind, one.key, tool=one.tool, account=one.account)
