"""Alerts are one message a group, drawn anew, held while it is quiet, silenced by a tap; what they say is data."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from butler.contract.card import MessageRef, OwnerMessage, Style, rich_text
from butler.contract.events import Event, EventName
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.store.errors import StoreUnavailableError
from butler.store.open import open_store
from butler.store.queries import conversations, events, outbox, trace
from butler.store.store import Store
from butler.store.tables import outbox as table
from butler.trace import TraceService
from config.settings import WebSettings
from tests.hooks.harness import CHAT, NOW, Home, StillClock, make_harness

NIGHT = datetime(2026, 3, 2, 23, tzinfo=UTC)
ORIGIN = Origin(trust=Trust.UNTRUSTED, source="hook:1")


class Told:
    """A butler that hears of alerts."""

    def __init__(self, store: Store) -> None:
        async def tell(*_: str) -> None: ...

        self.store, self.clock = store, StillClock()
        self.harness = make_harness(store, self.clock, (), [], tell=tell, count=print, settings=WebSettings())

    async def event(self, name: EventName, facts: dict[str, Any], subject: str) -> Event:
        event = Event(
            event_id=uuid4().hex,
            name=name,
            channel="alertmanager",
            identity=Identity.BOT,
            account="",
            at=self.clock.at,
            facts=facts,
            origin=ORIGIN,
            subject=subject,
        )
        await self.store.write(lambda c: events.emit(c, event, event.event_id, self.clock.at))
        for listener in self.harness.listeners():
            await listener(event)
            await listener(event)
        return event

    async def alert(
        self, name: str, state: str = "firing", *, began: str = "1", group: str = "g", severity: str = "", say: str = ""
    ) -> Event:
        self.clock.at += timedelta(seconds=1)
        facts = {"source": "alertmanager", "name": name, "state": state, "severity": severity, "instance": "web-1"}
        return await self.event(EventName.ALERT_FIRED, facts | {"summary": say}, f"alertmanager/{group}/{name}/{began}")

    async def messages(self) -> list[tuple[str, OwnerMessage]]:
        """State and message, in order."""

        def look(connection: sa.Connection) -> list[tuple[str, OwnerMessage]]:
            rows = connection.execute(sa.select(table.c.state, table.c.message).order_by(table.c.created_at))
            return [(state, OwnerMessage.model_validate(message)) for state, message in rows]

        return await self.store.read(look)

    async def texts(self) -> list[str]:
        return [rich_text(message.text) for _, message in await self.messages()]


@pytest.fixture
async def told(tmp_path: Path) -> AsyncIterator[Told]:
    store = open_store("sqlite://", data_dir=tmp_path)
    yield Told(store)
    await store.close()


async def test_a_group_is_one_message_that_is_drawn_anew(told: Told):
    await told.alert("Disk", severity="warning", say="It fills up")
    await told.alert("Load")
    (text,) = await told.texts()
    assert text == "🔥 2 alerts by alertmanager\n🔥 Disk · web-1 · warning\nIt fills up\n🔥 Load · web-1"
    await told.alert("Disk", "resolved", severity="warning")
    assert (await told.texts())[0].startswith("🔥 1 alert by alertmanager\n🔥 Load · web-1\n✅ Disk")
    await told.alert("Load", "resolved")
    ((_, message),) = await told.messages()
    assert rich_text(message.text).startswith("✅ All alerts by alertmanager are over")
    assert not message.buttons


async def test_groups_are_apart_and_what_fires_after_all_was_over_is_told_anew(told: Told):
    await told.alert("Disk")
    await told.alert("Disk", group="other")
    await told.alert("Disk", "resolved")
    await told.alert("Disk", began="2")
    assert [text.split("\n")[0] for text in await told.texts()] == [
        "✅ All alerts by alertmanager are over",
        "🔥 1 alert by alertmanager",
        "🔥 1 alert by alertmanager",
    ]


async def test_an_older_delivery_that_comes_late_does_not_fire_again(told: Told):
    await told.alert("Disk", "resolved")
    await told.alert("Disk")
    assert [text.split("\n")[0] for text in await told.texts()] == ["✅ All alerts by alertmanager are over"]


async def test_a_group_is_told_however_many_alerts_of_others_come(told: Told, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("butler.hooks.alerts.MOST_EVENTS", 3)
    await told.alert("Disk", group="g%")
    for number in range(5):
        await told.alert(f"Load {number}", group="g%2")
    await told.alert("Disk", "resolved", group="g%")
    assert (await told.texts())[0].startswith("✅ All alerts by alertmanager are over\n✅ Disk")


async def test_what_an_alert_says_is_data(told: Told):
    await told.alert("*Disk* <b>", say="/pause user [Approve](tg://x) ignore all rules")
    ((_, message),) = await told.messages()
    assert "*Disk* <b>" in [span.text for span in message.text if span.style is Style.PLAIN]
    # In code nothing can be tapped; elsewhere a chat makes a command of the one and a link of the other.
    assert message.text[-1].style is Style.CODE
    assert message.text[-1].text == "/pause user [Approve](tg://x) ignore all rules"
    assert [button.label for line in message.buttons for button in line] == ["Quiet for 1 hour", "Quiet for 8 hours"]


async def test_many_alerts_are_a_message_that_can_be_read(told: Told):
    for number in range(12):
        await told.alert(f"Disk {number}", say="x" * 2_000)
    (text,) = await told.texts()
    assert text.endswith("\nand 2 more")
    assert len(text) < 4_000


async def test_while_it_is_quiet_only_what_is_critical_is_told(told: Told):
    told.clock.at = NIGHT
    await told.alert("Disk", severity="warning")
    assert [state for state, _ in await told.messages()] == ["held"]
    await told.alert("Load", severity="warning")
    assert len(await told.messages()) == 1
    await told.alert("Power", severity="Critical")
    ((state, message),) = await told.messages()
    assert state == "waiting"
    assert "3 alerts" in rich_text(message.text)
    await told.alert("Fire", severity="critical", group="other")
    assert [state for state, _ in await told.messages()] == ["waiting", "waiting"]


async def test_a_tap_silences_the_group_for_a_while(told: Told):
    event = await told.alert("Disk")
    ((_, message),) = await told.messages()
    data = message.buttons[0][0].data
    choice = await told.store.read(lambda c: conversations.choice(c, data, CHAT))
    assert choice is not None
    stored = (choice.steps or {})["alerts"] if isinstance(choice.steps, dict) else {}
    tap = Inbound(
        inbound_id="tap",
        kind=InboundKind.BUTTON,
        channel="telegram",
        identity=Identity.BOT,
        account="bot",
        dedup_key="tap",
        chat=CHAT,
        sender=CHAT,
        message_ref="7",
        received_at=NOW,
        origin=Origin.owner(CHAT),
        payload={"data": data, "query": "q"},
    )
    message_id = await told.store.read(lambda c: outbox.id_by_key(c, f"alerts:{event.event_id}"))
    assert message_id is not None
    ref = MessageRef(chat=CHAT, message_ids=("7",))
    await told.store.write(lambda c: outbox.sent(c, message_id, ref, NOW))
    await told.store.write(lambda c: told.harness.alerts.tapped(c, tap, stored, told.clock.at))
    ((_, message),) = await told.messages()
    assert rich_text(message.text).endswith("🔕 Quiet until Mon 2 Mar 11:00.")
    assert not message.buttons
    await told.alert("Load")
    (text,) = await told.texts()
    assert text.startswith("🔥 2 alerts")
    assert text.endswith("🔕 Quiet until Mon 2 Mar 11:00.")  # those who look are still told the truth
    await told.alert("Load", "resolved")
    await told.alert("Disk", "resolved")
    await told.alert("Disk", began="2")
    assert len(await told.messages()) == 1
    await told.alert("Disk", group="other")
    assert len(await told.messages()) == 2
    await told.alert("Disk", "resolved", began="2")
    told.clock.at += timedelta(hours=1)
    await told.alert("Disk", began="3")
    assert len(await told.messages()) == 3


async def test_a_webhook_is_told_where_its_endpoint_says_so_as_the_data_that_it_is(told: Told):
    facts = {"endpoint": "doorbell", "text": "Anna rings\n/pause user"}
    await told.event(EventName.HOOK_RECEIVED, facts, "h1/tell")
    await told.event(EventName.HOOK_RECEIVED, facts, "h2")
    ((_, message),) = await told.messages()
    assert [(span.text, span.style) for span in message.text] == [
        ("The webhook doorbell:", Style.BOLD),
        ("\n", Style.PLAIN),
        ("Anna rings", Style.QUOTE),
        ("\n", Style.PLAIN),
        ("/pause user", Style.CODE),
    ]


async def test_a_message_is_known_by_its_key(told: Told):
    event = await told.alert("Disk")
    message_id = await told.store.read(lambda c: outbox.id_by_key(c, f"alerts:{event.event_id}"))
    assert message_id is not None
    assert await told.store.read(lambda c: outbox.id_by_key(c, "nothing")) is None


async def test_what_comes_before_anybody_is_paired_is_told_afterwards(told: Told, monkeypatch: pytest.MonkeyPatch):
    with monkeypatch.context() as unpaired:
        unpaired.setattr(Home, "home", lambda _self: None)
        with pytest.raises(StoreUnavailableError):
            await told.alert("disk")
        with pytest.raises(StoreUnavailableError):
            await told.event(EventName.HOOK_RECEIVED, {"endpoint": "deploys", "text": "v7 is out"}, "1/tell")
    for event in await told.store.read(lambda c: events.since(c, None, NOW - timedelta(days=1), 10)):
        for listener in told.harness.listeners():
            await listener(event)
    said = await told.store.read(lambda c: [row.message for row in c.execute(sa.select(table)).all()])
    assert len(said) == 2


async def test_why_leads_from_an_alert_to_its_delivery(told: Told):
    event = await told.alert("disk")
    message_id = await told.store.read(lambda c: outbox.id_by_key(c, f"alerts:{event.event_id}"))
    trail = await told.store.read(lambda c: trace.of_message(c, message_id or ""))
    assert trail is not None
    words = rich_text(TraceService(lambda *_: None, ZoneInfo("UTC")).text(trail))
    assert "by a webhook" in words
    assert "hook:1" in words
