"""Carries out what a planner wants of waiting cards, in the owner's words: it takes them back, or makes new versions.

A new version waits for its own yes. Nothing here approves.
"""

from datetime import datetime

import sqlalchemy as sa

from approvals.card_replies import CardDraft
from approvals.revise import DECIDED, Change, NewValue
from approvals.service import Approvals
from butler.contract.agents import PlanStep
from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.edits.answers import LISTED, Answer, Card, PlainAnswer
from butler.orchestrator.edits.handler import EditHandler
from butler.orchestrator.edits.reading import Word
from butler.orchestrator.edits.refilled import refilled
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.execution.binding import Sources, bound_values
from butler.orchestrator.execution.file_arguments import files_of
from butler.orchestrator.planning.card_orders import CardOrder
from butler.orchestrator.planning.plan_types import CardOrders
from butler.orchestrator.planning.requests import OrchestratorInput, others_reply
from butler.orchestrator.planning.step_names import step_name
from butler.orchestrator.planning.tool_arguments import shown_names
from butler.orchestrator.results.outcomes import StepRefusedError
from butler.provenance import Labels
from butler.services import Services
from butler.store.conversation import ConversationState
from butler.store.queries import contacts, conversations
from butler.tool_invoker import ACCOUNT

DOES_NOT_GO = phrase("That does not go: {why}. Nothing was changed.")


class OrderedChanges:
    """Makes the acts of a planner's orders about cards."""

    def __init__(self, services: Services, approvals: Approvals, edits: EditHandler) -> None:
        self._store, self._clock, self._tools = services.store, services.clock, services.tools
        self._approvals, self._edits = approvals, edits

    async def act(self, given: OrchestratorInput, about: CardOrders) -> Act:
        """Return how to carry out all orders at once. Await it outside of any transaction."""
        changes = [
            (Card(order.card.approval_id, order.card.revision), await self._answer(given, order, about.labels))
            for order in about.orders
        ]

        def do(connection: sa.Connection, item: Inbound, now: datetime) -> None:
            told = self._edits.applied(connection, item, changes)
            came_to = " ".join(_came_to(*one) for one in zip(about.orders, told, strict=True))

            def remember(state: ConversationState) -> None:
                state.add_message("assistant", came_to, timestamp=now)

            conversations.update(connection, item.chat, remember, now)

        return do

    async def _answer(self, given: OrchestratorInput, order: CardOrder, labels: Labels) -> Answer:
        """Return what to do with one card."""
        now = self._clock.now()
        draft = await self._store.look(lambda c: self._approvals.draft(c, order.card.approval_id, now))
        if draft is None or not draft.waits:
            return PlainAnswer(say(DECIDED))
        if order.withdraw or draft.listed:
            return Word.NO if order.withdraw else PlainAnswer(say(LISTED))
        if order.wording and not order.args:
            words = Labelled(value=order.wording, origins=given.words.origins | labels)
            return await self._edits.reworded(given.request, draft, words)
        try:
            return await self._changed(given, order, draft, labels)
        except Asking as asking:
            return PlainAnswer(asking.unclear.question, asking.unclear.choices)
        except StepRefusedError as refused:
            return PlainAnswer(say(DOES_NOT_GO, why=refused.detail.rstrip(".")))

    async def _changed(self, given: OrchestratorInput, order: CardOrder, draft: CardDraft, labels: Labels) -> Change:
        spec = self._tools.spec(draft.tool)
        known = shown_names(spec.args)
        step = PlanStep(
            step_id=1,
            description=step_name(spec),
            tool_call=draft.tool,
            args={name: value for name, value in order.args.items() if name in known},
        )
        sources = await self._store.look(lambda c: _sources(c, given, step, spec, labels))
        values = {
            name: NewValue(bound.value, bound.origins) for name, bound in bound_values(step, spec, sources).items()
        }
        account = values.pop(ACCOUNT, None)
        change = Change(given.request.inbound_id, values=values or None, account=account, not_before=order.at)
        return await refilled(self._tools, draft, change, given.words.origins | labels)


def _came_to(order: CardOrder, told: PlainAnswer | None) -> str:
    """Return what came of an order, as later planners are told it: only a new card shows a change."""
    tool = order.card.tool
    if order.withdraw:
        return f"Took back the card of {tool}."
    return f"Changed the card of {tool}." if told is None else f"The card of {tool} stayed as it was."


def _sources(
    connection: sa.Connection, given: OrchestratorInput, step: PlanStep, spec: ToolSpec, labels: Labels
) -> Sources:
    """Return what the references of a change may mean: a card is changed by what is known, not by what is looked up."""
    state = conversations.load(connection, given.session_id)
    referents = {referent.handle: referent for referent in state.referents}
    return Sources(
        words=given.words,
        contacts={contact.contact_id: contact for contact in contacts.all_confirmed(connection)},
        referents=referents,
        outcomes={},
        plan_labels=labels,
        files=files_of(connection, step, spec, referents),
        replied=others_reply(connection, given.request),
    )
