"""A butler with its day: digests, answers that are waited for, preparations; over rows that a test writes."""

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from butler.automations.dispatch import EventDispatch
from butler.contract.agenda import AgendaEntry, AgendaGuest
from butler.contract.agents import MemoryOutput, MemoryQuery, RetrievedContext
from butler.contract.card import OwnerMessage
from butler.contract.events import Event, EventName
from butler.contract.inbound import InboundKind
from butler.contract.mirror import ChatKind, MirrorUpdate, SeenChat, SeenMessage, SeenPerson
from butler.contract.names import Identity
from butler.contract.polled import Polled, PolledKind
from butler.contract.provenance import Origin, Trust
from butler.digests.service import DigestService
from butler.home_zone import HomeZone
from butler.inbound import InboundHandler
from butler.quiet_hours import QuietHoursInForce
from butler.sink import INBOUND
from butler.store.queries import events, mirror, polled, work
from butler.store.queries.events import HAPPENED
from butler.store.store import Store
from config.settings import Settings
from modules.digests.module import DigestsModule, DigestsModuleSettings
from tests.orchestrator.builders import OWNER, message
from tests.orchestrator.harness import Harness
from tests.support.context import make_context

ROBIN = "mail:me@home.example"
NO_DAY: dict[str, Any] = {"morning": "", "evening": ""}


class StubMemory:
    """A memory that finds what a test put there, and remembers what it was asked."""

    def __init__(self) -> None:
        self.found: list[RetrievedContext] = []
        self.asked: list[str] = []

    async def search(self, query: MemoryQuery) -> MemoryOutput:
        self.asked.append(query.query_text)
        return MemoryOutput(results=self.found, total_found=len(self.found))


class DayHarness(Harness):
    """The butler, with its day."""

    def __init__(self, store: Store, quiet: str = "", **digests: Any) -> None:
        modules: dict[str, Any] = digests.pop("modules", {})
        given = {"digests": digests, "approvals": {"quiet_hours": quiet}, "modules": modules}
        self.day_settings = Settings.model_validate(given)
        self.shelf, self.zone = StubMemory(), HomeZone("Europe/Berlin")
        super().__init__(store)

    def start(self) -> None:
        super().start()
        self.quiet = QuietHoursInForce(self.day_settings.approvals.quiet_hours)
        self.harness = DigestService(
            self.store, self.clock, self.day_settings, zone=self.zone, wake=lambda: None, quiet=self.quiet
        )
        memory: Any = self.shelf
        services = replace(self.services, zone=self.zone, settings=self.day_settings)
        self.day = self.harness.opened(services, self.approvals, memory)
        inbound: Any = self.handlers[INBOUND]
        deps = replace(inbound.__self__._deps, taps=self.day.taps(), acts=self.day.acts())
        self.handlers |= {INBOUND: InboundHandler(deps).handle, **self.day.handlers()}
        self.handlers |= self.quiet.handlers(self.store, self.day.quiet_changed)
        self.handlers[HAPPENED] = EventDispatch(self.store, self.day.listeners()).tell
        context = make_context(digests=self.harness.digests, waits=self.harness.waits, zone=self.zone)
        module = DigestsModule(DigestsModuleSettings(), context)
        self.registry._tools |= {spec.tool_name: spec for spec in module.bot_outputs()}
        self.registry._metadata |= dict(module.tool_metadata())

    async def begin(self) -> None:
        """The start of a daemon."""
        await self.day.begin()

    async def until(self, when: datetime) -> None:
        """Turn the clock on, and have all that falls due done at its time."""
        while True:
            due = await self.store.read(lambda c: work.next_due(c, self.clock.now()))
            if due is None or due > when:
                break
            self.clock.time = due
            await self.run()
        self.clock.time = max(self.clock.time, when)
        await self.run()

    async def command(self, name: str) -> None:
        """`/name` in the chat."""
        self.items += 1
        key = f"command-{self.items}"
        values = {"kind": InboundKind.COMMAND, "inbound_id": key, "dedup_key": key, "segments": ()}
        await self.come_in(message(f"/{name}", **values, payload={"name": name, "rest": ""}))
        await self.run()

    async def mail(
        self, sender: str, subject: str, text: str = "", *, ago: timedelta = timedelta(minutes=5), **more: Any
    ) -> SeenMessage:
        """A mail in the person's mailbox."""
        self.items += 1
        at = self.clock.now() - ago
        values: dict[str, Any] = {
            "channel": "email",
            "account": "main",
            "chat": f"gmail:t{self.items}",
            "ref": f"g{self.items}",
            "order": int(at.timestamp() * 1000),
            "at": at,
            "sender": sender,
            "subject": subject,
            "text": text,
            "unread": True,
            "labels": ("INBOX",),
            "others": (SeenPerson(address=ROBIN),),
        }
        seen = SeenMessage(**(values | more))
        await self.keep(seen, ChatKind.THREAD)
        return seen

    async def wrote(self, text: str, chat: str = "telegram:1002", *, own: bool = False, **more: Any) -> SeenMessage:
        """A message in a chat of the person's."""
        self.items += 1
        at = self.clock.now() - timedelta(minutes=4)
        values: dict[str, Any] = {
            "channel": "telegram",
            "account": "main",
            "chat": chat,
            "ref": str(self.items),
            "order": self.items,
            "at": at + timedelta(seconds=self.items),
            "sender": OWNER if own else chat,
            "sender_name": "somebody",
            "outgoing": own,
            "text": text,
        }
        seen = SeenMessage(**(values | more))
        await self.keep(seen, ChatKind.PERSON)
        return seen

    async def keep(self, seen: SeenMessage, kind: ChatKind) -> None:
        chat = SeenChat(channel=seen.channel, account=seen.account, chat=seen.chat, kind=kind, last_order=seen.order)
        batch = MirrorUpdate(seen.channel, seen.account, (chat,), (seen,))
        await self.store.write(lambda c: mirror.keep(c, batch, self.clock.now()))

    async def event(
        self, title: str, starts: datetime, *, guests: tuple[AgendaGuest, ...] = (), ref: str = "", **more: Any
    ) -> None:
        """An event of the person's calendar."""
        self.items += 1
        name = ref or f"e{self.items}"
        values: dict[str, Any] = {"mine": True, "guests": guests, "ends": starts + timedelta(hours=1)} | more
        entry = AgendaEntry(event_id=name, calendar="main", title=title, starts=starts, **values)
        record = Polled(
            channel="calendar",
            account="main",
            kind=PolledKind.EVENT,
            ref=name,
            at=entry.starts,
            ends_at=entry.ends,
            item=entry.model_dump(mode="json"),
        )
        await self.store.write(lambda c: polled.keep(c, [record], self.clock.now()))

    async def tell(self, name: EventName, channel: str, facts: dict[str, Any], subject: str = "") -> Event:
        """Something happens."""
        self.items += 1
        event = Event(
            event_id=f"event-{self.items}",
            name=name,
            channel=channel,
            identity=Identity.USER,
            account="main",
            at=self.clock.now(),
            facts=facts,
            origin=Origin(trust=Trust.UNTRUSTED, source="test"),
            subject=subject,
        )
        await self.store.write(lambda c: events.emit(c, event, event.event_id, self.clock.now()))
        await self.run()
        return event

    @property
    def newest(self) -> OwnerMessage:
        """What was said last."""
        return self.phone.messages[-1]

    def labels(self) -> list[str]:
        """The buttons of what was said last."""
        return [button.label for row in self.newest.buttons for button in row]

    async def read(self, query: Callable[[sa.Connection], Any]) -> Any:
        return await self.store.read(query)
