"""A card for changing or ending a reminder shows what it says and when, and not its id; nothing else is done."""

from collections.abc import AsyncIterator

import pytest

from butler.contract.provenance import Origin, Trust
from butler.orchestrator.planning.plan_types import Planned
from butler.provenance import MODEL_PLAN
from butler.store.queries import reminders
from butler.store.store import Store
from tests.approvals.harness import card_text, create_tables
from tests.orchestrator.harness import step
from tests.orchestrator.test_reminders import Home
from tests.support.reading import reading_planner

A_MAIL = Origin(trust=Trust.UNTRUSTED, source="mail:8", shown_as="a mail by eve@evil.example")


@pytest.fixture
async def home() -> AsyncIterator[Home]:
    store = create_tables(Store("sqlite://"))
    home = Home(store, reading_planner())
    await home.meet()
    await home.say("remind me tomorrow at 9:30 to water the plants")
    yield home
    await store.close()


async def chosen(home: Home, tool: str, **args: object) -> str:
    """What a model chose that knew of a mail: its card as the owner reads it."""
    home.turns._planner = home.script
    await home.say("do that", Planned((step(1, tool, **args),), labels=frozenset({MODEL_PLAN, A_MAIL})))
    return card_text(list(home.phone.cards.values())[-1])


async def the_id(home: Home) -> str:
    (one,) = await home.store.read(lambda c: reminders.waiting(c, 10))
    return one.reminder_id


@pytest.mark.parametrize("by", ["id", "words"])
@pytest.mark.parametrize("action", ["remove", "done", "skip", "snooze"])
async def test_a_reminder_is_shown_by_its_words_and_time(home: Home, action: str, by: str) -> None:
    which = {"words": "water"} if by == "words" else {"reminder_id": await the_id(home)}
    text = await chosen(home, f"bot_reminders_{action}", **which)
    assert "Water the plants" in text
    assert "09:30" in text
    assert await the_id(home) not in text


async def test_a_change_shows_what_becomes_of_it(home: Home) -> None:
    text = await chosen(home, "bot_reminders_change", words="water", text="Feed the cat", at="2026-03-09T11:15")
    assert all(part in text for part in ("Water the plants", "New words: Feed the cat", "11:15", "09:30"))


async def test_what_a_model_says_of_a_reminder_changes_no_other(home: Home) -> None:
    which = await the_id(home)
    await chosen(home, "bot_reminders_remove", reminder_id=which, about="an old note")
    await home.tap("Approve")
    assert await the_id(home) == which


async def test_what_was_shown_is_what_is_removed(home: Home) -> None:
    await chosen(home, "bot_reminders_remove", words="water")
    await home.tap("Approve")
    assert await home.waiting() == []
