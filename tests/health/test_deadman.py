"""A channel that is not heard of is told of by another one: once, and once that it is back."""

from collections.abc import AsyncIterator
from datetime import timedelta
from typing import Any, cast
from zoneinfo import ZoneInfo

import pytest
import sqlalchemy as sa

from butler.contract.card import OwnerMessage, rich_text
from butler.contract.errors import Retryable
from butler.contract.module import Health
from butler.health.deadman import DeadMan, OwnerChannels
from butler.store.store import Store
from butler.store.tables import events
from butler.store.tables import outbox as outbox_table
from config.health import HealthSettings
from config.settings import Settings
from tests.approvals.phone import NOON, OWNER, TestClock
from tests.support.services import make_services
from tests.support.tables import create_tables

BOT, MAIL, MINE = "telegram.bot", "email.bot", "telegram.user"
ADDRESS = "me@home.example"


class Post:
    """The second channel."""

    def __init__(self) -> None:
        self.sent: dict[str, str] = {}
        self.down = False

    async def send(self, to: str, subject: str, text: str, key: str) -> str:
        assert to == ADDRESS
        assert subject
        if self.down:
            raise Retryable("offline")
        self.sent[key] = text
        return f"<{key}>"


class Channel:
    """As much of the way to the owner as is asked for."""

    def home(self) -> str:
        return OWNER


class Harness:
    def __init__(self, store: Store) -> None:
        self.store, self.clock, self.post = store, TestClock(), Post()
        self.passed = 0.0
        self.channels = {name: Health(NOON, 60) for name in (BOT, MAIL, MINE)}
        self.start()

    def start(self, second: Any = "post") -> None:
        channel = cast("Any", Channel())
        ways = OwnerChannels(channel, BOT, cast("Any", self.post if second == "post" else None), ADDRESS)
        self.deadman = DeadMan(
            make_services(
                self.store,
                self.clock,
                zone=ZoneInfo("Europe/Berlin"),
                settings=Settings(health=HealthSettings(deaf_after=timedelta(minutes=10))),
            ),
            lambda: self.channels,
            ways,
            lambda: self.passed,
        )

    async def after(self, minutes: float, *silent: str, asleep: bool = False) -> None:
        """Let time pass with a look every minute, with these channels silent."""
        for _ in range(round(minutes)):
            self.clock.turn(minutes=1)
            self.passed += 0 if asleep else 60
            for name in self.channels.keys() - set(silent):
                self.channels[name] = Health(self.clock.now(), 60)
            await self.deadman.look()

    async def said(self) -> list[str]:
        query = sa.select(outbox_table.c.message).order_by(outbox_table.c.created_at)
        rows = await self.store.read(lambda c: list(c.execute(query).scalars()))
        return [rich_text(OwnerMessage.model_validate(row).text) for row in rows]

    async def events(self) -> list[dict[str, Any]]:
        return await self.store.read(lambda c: [dict(r) for r in c.execute(sa.select(events.c.facts)).scalars()])


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    yield Harness(store)
    await store.close()


async def test_a_mailbox_that_is_deaf_is_told_of_in_the_chat_once_and_once_that_it_is_back(harness: Harness) -> None:
    await harness.after(10, MAIL)
    assert await harness.said() == []
    await harness.after(30, MAIL)
    assert await harness.said() == ["⚠️ The butler's mail has not been heard of since Thu 5 Mar 13:00."]
    assert await harness.events() == [{"channel": MAIL, "minutes": 11}]
    harness.start()
    await harness.after(30, MAIL)
    assert len(await harness.said()) == 1
    await harness.after(5)
    assert (await harness.said())[1:] == [
        "✓ The butler's mail is back. It was not heard of from Thu 5 Mar 13:00 to Thu 5 Mar 14:11."
    ]
    assert harness.post.sent == {}


async def test_a_deaf_telegram_is_told_of_by_mail_and_its_return_in_the_chat(harness: Harness) -> None:
    await harness.after(30, BOT)
    assert await harness.said() == []
    (text,) = harness.post.sent.values()
    assert text == "The butler's Telegram has not been heard of since Thu 5 Mar 13:00.\n"
    await harness.after(2)
    assert [said.split(".")[0] for said in await harness.said()] == ["✓ The butler's Telegram is back"]


async def test_where_both_are_deaf_whichever_comes_back_first_tells(harness: Harness) -> None:
    harness.post.down = True
    await harness.after(30, BOT, MAIL)
    assert (await harness.said(), harness.post.sent) == ([], {})
    harness.post.down = False
    await harness.after(1, BOT)
    assert len(harness.post.sent) == 2
    harness.post.down = True
    await harness.after(1)
    assert len(await harness.said()) == 1


async def test_where_no_mail_could_leave_the_chat_tells_when_it_is_back_and_says_so(harness: Harness) -> None:
    harness.start(second=None)
    await harness.after(30, BOT)
    await harness.after(1)
    (said,) = await harness.said()
    assert said.endswith("I could not tell you before.")


async def test_what_a_person_account_misses_is_told_with_what_is_known_of_it(harness: Harness) -> None:
    harness.channels[MINE] = Health(NOON, 60, "the network is unreachable")
    await harness.after(11, MINE)
    assert (await harness.said())[0].endswith("the network is unreachable")


async def test_a_source_that_stopped_was_told_of_by_who_stopped_it_unless_it_is_the_way_to_the_owner(
    harness: Harness,
) -> None:
    harness.channels[MINE] = Health(NOON, 60, "revoked", stopped=True)
    await harness.after(11, MINE)
    assert await harness.said() == []
    harness.channels[BOT] = Health(harness.clock.now(), 60, "revoked", stopped=True)
    await harness.after(11, MINE, BOT)
    assert len(harness.post.sent) == 1


async def test_a_machine_that_slept_has_heard_nothing_and_tells_nothing(harness: Harness) -> None:
    harness.clock.turn(hours=8)
    assert await harness.deadman.look() == timedelta(hours=8)
    await harness.after(9, BOT, MAIL, MINE)
    assert (await harness.said(), harness.post.sent) == ([], {})
    await harness.after(2, MAIL)
    assert len(await harness.said()) == 1


async def test_a_clock_that_is_turned_back_tells_of_nobody(harness: Harness) -> None:
    harness.clock.turn(hours=-3)
    assert await harness.deadman.look() == timedelta(hours=-3)
    await harness.after(9, MAIL)
    assert await harness.said() == []


async def test_a_channel_that_is_not_set_up_any_more_is_forgotten(harness: Harness) -> None:
    await harness.after(11, MINE)
    del harness.channels[MINE]
    await harness.after(1)
    harness.channels[MINE] = Health(harness.clock.now(), 60)
    await harness.after(1)
    assert len(await harness.said()) == 1


async def test_a_telegram_that_has_stopped_is_told_of_by_mail_at_once_with_what_to_do(harness: Harness) -> None:
    harness.channels[BOT] = Health(NOON, 60, "Put a token into X.", stopped=True)
    await harness.deadman.look()
    (text,) = harness.post.sent.values()
    assert text == "The butler's Telegram has stopped. Put a token into X.\n"
    await harness.after(3, BOT)
    harness.start()
    await harness.after(3, BOT)
    assert len(harness.post.sent) == 1, "once, also after a restart"
    await harness.after(2)
    assert [said.split(".")[0] for said in await harness.said()] == ["✓ The butler's Telegram is back"]


async def test_another_channel_that_has_stopped_was_told_of_when_it_did(harness: Harness) -> None:
    harness.channels[MAIL] = Health(NOON, 60, "Sign in.", stopped=True)
    await harness.deadman.look()
    assert (harness.post.sent, await harness.said()) == ({}, [])
