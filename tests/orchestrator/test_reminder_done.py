"""A model notes as done, or puts off, what a reminder says that has just been said."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest

from butler.contract.agents import PlanStep
from butler.orchestrator.planning.model_prompt import told_before
from butler.orchestrator.planning.plan_types import Planned
from butler.provenance import MODEL_PLAN
from butler.store.store import Store
from tests.approvals.harness import create_tables
from tests.orchestrator.harness import SEARCH, planned, step
from tests.orchestrator.test_reminders import Home
from tests.support.reading import reading_planner

DONE, SNOOZE = "bot_reminders_done", "bot_reminders_snooze"
WAYS: dict[str, dict[str, Any]] = {
    "handle": {"reminder_id": {"handle": "reminder-1"}},
    "words": {"words": "plants"},
    "nothing": {},
}


@pytest.fixture
async def home() -> AsyncIterator[Home]:
    store = create_tables(Store("sqlite://"))
    home = Home(store, reading_planner())
    await home.say("remind me in 10 minutes to water the plants")
    home.turns._planner = home.script
    yield home
    await store.close()


def by_model(*steps: PlanStep) -> Planned:
    return replace(planned(*steps), labels=frozenset({MODEL_PLAN}))


@pytest.mark.parametrize("which", WAYS)
async def test_what_was_just_said_is_done(home: Home, which: str) -> None:
    await home.later(minutes=11)
    await home.say("done", by_model(step(1, DONE, **WAYS[which])))
    assert home.phone.said[-1] == "✓ Done: Water the plants"


async def test_it_is_meant_although_nothing_was_found_in_between(home: Home) -> None:
    await home.say("any mail?", by_model(step(1, SEARCH, words="x")))
    await home.later(minutes=11)
    await home.say("done", by_model(step(1, DONE, **WAYS["handle"])))
    assert home.phone.said[-1] == "✓ Done: Water the plants"


async def test_it_is_put_off_by_its_words(home: Home) -> None:
    await home.later(minutes=11)
    await home.say("again in half an hour", by_model(step(1, SNOOZE, words="plants", minutes=30)))
    assert await home.waiting() == ["03-05 13:41 Water the plants"]


@pytest.mark.parametrize("long_ago", [True, False])
async def test_what_was_said_long_ago_or_is_done_is_not_meant_by_words(home: Home, long_ago: bool) -> None:
    await home.later(minutes=11)
    if long_ago:
        await home.later(hours=12)
    else:
        await home.say("done", by_model(step(1, DONE, words="plants")))
    await home.say("done", planned(step(1, DONE, words="plants")))
    assert "no reminder that is waiting fits that" in home.phone.said[-1]


async def test_one_that_waits_is_meant_before_one_that_was_said(home: Home) -> None:
    await home.later(minutes=11)
    later = step(1, "bot_reminders_create", text="Plants again", at="2026-03-06T09:00:00")
    await home.say("remind me of the plants again tomorrow", by_model(later))
    await home.say("the plants are done", by_model(step(1, DONE, words="plants")))
    assert home.phone.said[-1] == "✓ Done: Plants again"


async def test_the_next_request_is_told_that_it_was_said(home: Home) -> None:
    await home.later(minutes=11)
    await home.say("done", by_model(step(1, DONE, **WAYS["nothing"])))
    told = [one.content for one in told_before(home.script.requests[-1])]
    assert told[-1] == "Said by itself: reminder-1, which was due: Water the plants"
