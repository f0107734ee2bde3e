"""Changes a card by the values that the trained reader has marked, with what its provider says of the new ones."""

from collections.abc import Sequence

from approvals.card_replies import CardDraft
from butler.contract.inbound import Inbound
from butler.contract.provenance import Labelled
from butler.contract.speech import say
from butler.orchestrator.edits.answers import LISTED, NO_FILES, Answer, PlainAnswer
from butler.orchestrator.edits.bulk_edits import can_change, hint
from butler.orchestrator.edits.recipients import People
from butler.orchestrator.edits.refilled import refilled
from butler.orchestrator.edits.slots import changed_by_slots
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import AboutCards, PlannerInput, owners
from butler.services import Services
from butler.store.queries.contacts import Contact


class SlotEdits:
    """Makes a change of a card of marked values."""

    def __init__(self, services: Services) -> None:
        self._tools, self._clock, self._zone = services.tools, services.clock, services.zone

    async def changed(
        self, draft: CardDraft, about: AboutCards, item: Inbound, said: Labelled[str], known: Sequence[Contact]
    ) -> Answer:
        """Return the change, or what to ask first. Await it outside of any transaction."""
        if item.attachments:
            return PlainAnswer(say(NO_FILES))
        if draft.listed:
            return PlainAnswer(hint(draft).question if can_change(draft) else say(LISTED))
        now = self._clock.now().astimezone(self._zone)
        try:
            change = changed_by_slots(draft, about, self.people(item, said, draft, known), now, said, item.inbound_id)
            return await refilled(self._tools, draft, change, said.origins)
        except Asking as asking:
            return PlainAnswer(asking.unclear.question, asking.unclear.choices)

    def people(self, item: Inbound, said: Labelled[str], draft: CardDraft, known: Sequence[Contact]) -> People:
        """Return the people whom words about a card may name."""
        return People(scene_of(self.request(item, said, known)), draft.channel, said.value)

    def request(self, item: Inbound, said: Labelled[str], known: Sequence[Contact]) -> PlannerInput:
        """Wrap the owner's words in a request, as they are read."""
        return PlannerInput(
            words=owners(said),
            source_line=item.source_line(),
            tools=tuple(self._tools.specs()),
            contacts=tuple(known),
            referents=(),
            replied_to=(),
            history=(),
            now=self._clock.now(),
            zone=self._zone,
            butler_name="",
        )
