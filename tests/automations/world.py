"""A butler in which automations live: its own rows, the policy, plans and cards are real; providers only record."""

from collections.abc import Sequence
from typing import Any

from butler.automations.dispatch import Listener
from butler.automations.service import AutomationService
from butler.commands import saying
from butler.contract.automations import Automation, SavedAutomation
from butler.contract.events import FACTS, Event, EventName, Fact, FactType
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.orchestrator.chat.turn import Act
from butler.orchestrator.planning.plan_types import Command
from butler.orchestrator.replies.buttons import ButtonHandler
from butler.registry import Registry
from butler.store.queries import automations, events
from modules.automations.module import AutomationsModule, AutomationsSettings
from tests.orchestrator.builders import NOON, ZONE
from tests.orchestrator.harness import Harness
from tests.support.context import make_context

EVE = Origin(trust=Trust.UNTRUSTED, source="email:7", shown_as="a mail by eve@evil.example")
NOTHING: dict[FactType, Fact] = {FactType.TEXT: "", FactType.NAME: "", FactType.NUMBER: 0, FactType.FLAG: False}


class World(Harness):
    """A butler with automations."""

    def start(self) -> None:
        self.by_themselves = AutomationService(self.store, self.clock, _Me(), lambda: None, ZONE)
        super().start()
        own = Registry()
        context = make_context(automations=self.by_themselves.repository, zone=ZONE, clock=self.clock)
        own.add_module(AutomationsModule(AutomationsSettings(), context))
        self.registry._tools |= own._tools
        self.handlers |= self.by_themselves.handlers()

    def taps(self) -> Sequence[ButtonHandler]:
        return (self.by_themselves,)

    def acts(self) -> dict[Command, Act]:
        return {Command.AUTOMATIONS: saying(self.by_themselves.say)}

    def listeners(self) -> Sequence[Listener]:
        return self.by_themselves.listeners()

    async def keep(self, **spec: Any) -> SavedAutomation:
        """Keep an automation as a card's yes does."""
        automation = Automation.model_validate({"name": "Test"} | spec)
        return await self.by_themselves.repository.save(f"call-{automation.digest}", automation)

    async def happens(self, event: Event, key: str = "") -> None:
        """Tell of an event, and have all that follows done."""
        now = self.clock.now()
        await self.store.write(lambda c: events.emit(c, event, key or event.event_id, now))
        await self.run()

    async def fired(self, kept: SavedAutomation) -> list[str]:
        """What became of its times, the newest first."""
        found = await self.store.read(lambda c: automations.fired(c, kept.automation_id, 1_000))
        return [one.state for one in found]

    async def look(self, kept: SavedAutomation) -> SavedAutomation:
        found = await self.store.read(lambda c: automations.get(c, kept.automation_id))
        assert found is not None
        return found


class _Me:
    telegram_user_id = 42
    emails = frozenset({"me@home.example"})


def happened(name: EventName = EventName.MAIL_RECEIVED, number: int = 1, **more: Any) -> Event:
    """An event with these facts, and of the others nothing."""
    facts: dict[str, Fact] = {fact: NOTHING[spec.type] for fact, spec in FACTS[name].items()}
    values = {field: more.pop(field) for field in ("at", "origin", "depth", "channel", "identity") if field in more}
    given: dict[str, Any] = {
        "event_id": f"event-{number}",
        "name": name,
        "channel": "email",
        "identity": Identity.USER,
        "account": "main",
        "at": NOON,
        "origin": EVE,
        **values,
        "facts": facts | more,
    }
    return Event.model_validate(given)
