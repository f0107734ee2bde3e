"""Gathers a planner's input for a request from the rows; the author of the words is checked as it is made."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Self
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from approvals.usual_asks import usually_asks
from butler.contract.automations import AutomationState
from butler.contract.errors import Refuse
from butler.contract.inbound import REPLIED, Inbound, InboundKind
from butler.contract.provenance import Labelled, Origin
from butler.contract.records import Record
from butler.contract.referents import ReferentKind
from butler.contract.speech import say, say_error
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.own_words import in_doubt, owner_words
from butler.orchestrator.planning.plan_types import Planned, PlannerInput, PlannerOutput, Unclear, owners
from butler.orchestrator.planning.planner_view import Fact
from butler.orchestrator.planning.preferences import PreferenceName
from butler.orchestrator.planning.waiting_cards import waiting_cards
from butler.provenance import join, load
from butler.services import Services
from butler.store.conversation import ConversationState, Referent
from butler.store.queries import approvals, automations, contacts, conversations, firings, inbox, outbox, preferences
from butler.store.queries.firings import FiringKind
from butler.tool_invoker import ToolInvoker
from config.approvals import ApprovalsSettings


class OrchestratorInput(Record):
    """One request of the owner: what `Turns.take` takes, however it came in."""

    user_message: str
    session_id: str
    """The chat in which it is answered, which a mail or a tap may not have come from."""
    user_id: str
    """Who asks, as the channel knows them."""
    request: Inbound
    origins: frozenset[Origin]
    """Who had a hand in the message."""
    about: str = ""
    """The handle of what it is about, where the message was a mail or a button."""

    @property
    def words(self) -> Labelled[str]:
        """The message with the origins of its words."""
        return Labelled(value=self.user_message, origins=self.origins)


FROM_CHAT = frozenset({InboundKind.CHAT, InboundKind.EDITED})


@dataclass(frozen=True, slots=True)
class RequestContext:
    """The context that all requests share."""

    tools: ToolInvoker
    zone: ZoneInfo
    butler_name: str
    language: str = "en"
    """The language of the settings, if the owner prefers no other."""
    approvals: ApprovalsSettings = field(default_factory=ApprovalsSettings)

    @classmethod
    def of(cls, services: Services) -> Self:
        """Return the context of this process."""
        butler = services.settings.butler
        return cls(services.tools, services.zone, butler.name, butler.language, services.settings.approvals)

    def asking(self, tools: Sequence[ToolSpec]) -> frozenset[str]:
        """Return the names of those of these tools that ask the owner as the policy is set."""
        names = ((spec, self.tools.metadata(spec.tool_name)) for spec in tools)
        return frozenset(spec.tool_name for spec, known in names if usually_asks(spec, known, self.approvals))


def input_of(item: Inbound, words: Labelled[str] | None = None, about: str = "") -> OrchestratorInput:
    """Return a request as the orchestrator takes it. For a tapped button, `words` replaces the message's words."""
    labelled = words or owner_words(item).words
    return OrchestratorInput(
        user_message=labelled.value,
        session_id=item.chat,
        user_id=item.sender,
        request=item,
        origins=labelled.origins,
        about=about,
    )


def request_of(
    connection: sa.Connection,
    home: RequestContext,
    given: OrchestratorInput,
    *,
    now: datetime,
    facts: tuple[Fact, ...] = (),
) -> PlannerInput:
    """Return a request as a planner sees it; raise `Refuse` for words that are not the owner's."""
    item, about = given.request, given.about
    state = conversations.load(connection, given.session_id)
    preferred = preferences.every(connection)
    spoken_of = tuple(r for r in state.referents if about and r.handle == about)
    tools, people = tuple(home.tools.specs()), tuple(contacts.all_confirmed(connection))
    # Later rounds go on with what was begun; cards are for the request's own words.
    may_change = item.kind in FROM_CHAT and not facts
    cards = waiting_cards(connection, item, now, tools, people, state.referents) if may_change else ()
    on_card = any(card.replied_to for card in cards)
    return PlannerInput(
        words=owners(given.words),
        source_line=item.source_line(),
        tools=tools,
        contacts=people,
        referents=tuple(r for r in state.referents if not r.unseen or r in spoken_of),
        automations=_automations(connection, state),
        replied_to=spoken_of or replied_to(connection, item, state),
        history=tuple(state.history),
        reports=tuple(one for one in state.reports if one.timestamp <= now),
        summary=state.summed_up(),
        now=now,
        zone=home.zone,
        butler_name=home.butler_name,
        language=preferred.get(PreferenceName.LANGUAGE, home.language),
        preferences=preferred,
        facts=facts,
        last_shown=state.shown_last(),
        card_waits=approvals.any_waits(connection, item.chat, now),
        cards=cards,
        asks=home.asking(tools),
        own_reply=own_reply(connection, item),
        refused=home.tools.refused(),
        others_reply=not on_card and others_reply(connection, item) is not None,
    )


def _automations(connection: sa.Connection, state: ConversationState) -> dict[str, AutomationState]:
    """Return how the automations stand that have a handle, by number."""
    if all(one.kind is not ReferentKind.AUTOMATION for one in state.referents):
        return {}
    return {str(one.number): one.standing for one in automations.every(connection)}


def replied_to(connection: sa.Connection, item: Inbound, state: ConversationState) -> tuple[Referent, ...]:
    """Return the message's files; else what was shown or sent in the message that it replies to."""
    if sent := files_of(item, state):
        return sent
    if item.reply_to is None:
        return ()
    if earlier := inbox.by_message(connection, item.chat, item.reply_to):
        return files_of(earlier[-1], state)
    message_id = outbox.by_ref(connection, item.chat, item.reply_to)
    if message_id is None:
        return ()
    reminder = firings.subject_of(connection, FiringKind.REMINDER, message_id)
    referents = tuple(r for r in state.referents if r.kind is ReferentKind.REMINDER and r.key == reminder)
    return referents[-1:] or tuple(r for r in state.referents if r.shown_in == message_id)


def own_reply(connection: sa.Connection, item: Inbound) -> str:
    """Return the owner's text of the chat message that this replies to; empty if anybody else wrote part of it."""
    if item.reply_to is None or item.kind not in FROM_CHAT:
        return ""
    earlier = inbox.by_message(connection, item.chat, item.reply_to)
    if not earlier or earlier[-1].kind not in FROM_CHAT or earlier[-1].sender != item.sender:
        return ""
    words = owner_words(earlier[-1])
    return words.words.value if words.words.from_owner and not words.others else ""


def others_reply(connection: sa.Connection, item: Inbound) -> Labelled[str] | None:
    """Return the others' or the butler's text of the chat message that this replies to, with its origins."""
    if item.reply_to is None or item.kind not in FROM_CHAT:
        return None
    earlier = inbox.by_message(connection, item.chat, item.reply_to)
    if not earlier:
        known = item.payload.get(REPLIED)
        return Labelled[str].model_validate(known) if known else None
    last = earlier[-1]
    origins = join(one.origins for one in last.segments) or frozenset({last.origin})
    labelled = Labelled(value=last.text.strip(), origins=origins)
    return labelled if labelled.value and last.kind in FROM_CHAT and not labelled.from_owner else None


def files_of(item: Inbound, state: ConversationState) -> tuple[Referent, ...]:
    """Return the files of a message that have a referent."""
    sent = {file.sha256 for file in item.attachments} if item.kind in FROM_CHAT else set[str]()
    return tuple(r for r in state.referents if r.kind is ReferentKind.FILE and r.key in sent)


def spoken(connection: sa.Connection, item: Inbound) -> Labelled[str]:
    """Return the owner's words of a request: the message's, or those that the tapped button stood for.

    A button that stands for steps has no words of the owner.
    """
    if item.kind is not InboundKind.BUTTON:
        return owner_words(item).words
    choice = conversations.choice(connection, str(item.payload.get("data", "")), item.chat)
    text = choice.words if choice is not None and choice.steps is None else ""
    return Labelled(value=text, origins=frozenset({Origin.owner(item.chat)}))


def bound_words(connection: sa.Connection, item: Inbound) -> Labelled[str]:
    """Return the words for binding; for a button about a mail, with the origins of all who may have written it."""
    labelled, others = spoken(connection, item), behind(connection, item)
    return Labelled(value=labelled.value, origins=others) if item.kind is InboundKind.BUTTON and others else labelled


def behind(connection: sa.Connection, item: Inbound) -> frozenset[Origin]:
    """Return the origins of a request that came by mail, itself or by a tap; empty for what was said in the chat.

    They include the label of further text in the mail whose author is unknown.
    """
    if item.kind is InboundKind.MAIL:
        return owner_words(item).words.origins | in_doubt(item)
    if item.kind is not InboundKind.BUTTON:
        return frozenset()
    choice = conversations.choice(connection, str(item.payload.get("data", "")), item.chat)
    return load(choice.origins) if choice is not None else frozenset()


def checked(tools: ToolInvoker, output: PlannerOutput) -> PlannerOutput:
    """Return the output, but refuse as a whole a plan that names an unregistered tool."""
    if isinstance(output, Planned):
        for step in output.steps:
            try:
                tools.spec(step.tool_call)
            except Refuse as refusal:
                why = say_error(refusal)
                return Unclear(
                    say("I made a plan that I cannot carry out ({why}). Please say it in other words.", why=why)
                )
    return output
