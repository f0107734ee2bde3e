"""Quiet hours that the owner sets by words: a row that outlives the process and goes before the settings."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, time, timedelta
from typing import Any, cast

import pytest

from approvals.service import Approvals
from butler.contract.inbound import InboundKind
from butler.contract.module import Health
from butler.orchestrator.planning.plan_types import Command
from butler.quiet_hours import QuietHoursInForce, Wish
from butler.status import StatusAnswers
from butler.store.store import Store
from config.approvals import QuietHours
from tests.orchestrator.harness import SEND, planned, step
from tests.orchestrator.own_harness import SETTINGS, OwnHarness, by_model, own
from tests.support.tables import create_tables

NIGHT = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
"""Half past midnight in Berlin."""
LATE = QuietHours(time(23), time(6))


@pytest.fixture
async def harness() -> AsyncIterator[OwnHarness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = OwnHarness(store)
    await harness.meet()
    yield harness
    await store.close()


async def quiet(harness: OwnHarness, **args: Any) -> None:
    await harness.say("do so", planned(own(1, "set_quiet_hours", **args)))


async def after_a_restart(harness: OwnHarness) -> QuietHoursInForce:
    """What another process finds."""
    found = QuietHoursInForce(SETTINGS)
    await found.settle_in(harness.store)
    return found


async def test_they_hold_at_once_and_after_a_restart_until_they_are_taken_back(harness: OwnHarness) -> None:
    assert harness.quiet.hours == SETTINGS
    await quiet(harness, start="23:00", end="06:00")
    assert harness.phone.said[-1] == "✅ Do 1. Your quiet hours are from 23:00 to 06:00."
    assert harness.quiet.hours == (await after_a_restart(harness)).hours == LATE
    await quiet(harness, off=True)
    assert harness.phone.said[-1] == "✅ Do 1. You have no quiet hours."
    assert (await after_a_restart(harness)).wish == Wish(None)
    assert (await after_a_restart(harness)).hours is None
    await quiet(harness)
    assert harness.phone.said[-1] == "✅ Do 1. Your quiet hours are from 22:00 to 07:00."
    assert (await after_a_restart(harness)).wish is None
    assert harness.quiet.hours == SETTINGS


@pytest.mark.parametrize(
    "args", [{"start": "23:00"}, {"end": "06:00"}, {"start": "06:00", "end": "06:00"}, {"start": "9", "end": "10"},
             {"start": "23:00", "end": "06:00", "off": True}]
)  # fmt: skip
async def test_half_a_wish_is_refused_and_changes_nothing(harness: OwnHarness, args: dict[str, Any]) -> None:
    await quiet(harness, **args)
    assert harness.phone.said[-1].startswith("❌ Do 1")
    assert harness.quiet.wish is None


async def test_status_shows_them_if_they_were_said(harness: OwnHarness) -> None:
    class NotPaused:
        async def paused(self) -> str:
            return ""

    approvals = cast("Approvals", NotPaused())
    answers = StatusAnswers(approvals, harness.clock, dict[str, Health], "Jeeves", quiet=harness.quiet)
    (text,) = [span.text for span in await answers.answer(Command.STATUS)]
    assert "🔕" not in text
    await quiet(harness, start="23:00", end="06:00")
    (text,) = [span.text for span in await answers.answer(Command.STATUS)]
    assert "🔕 Your quiet hours are from 23:00 to 06:00." in text


async def by_an_automation(harness: OwnHarness) -> None:
    """A card that nobody waits for."""
    asks = planned(step(1, SEND, to={"contact": await harness.contact("Anna")}, text="late"))
    await harness.say("write to Anna", asks, kind=InboundKind.TICK, channel="automations", sender="")


async def test_a_card_that_waits_for_their_end_comes_when_they_end_earlier(harness: OwnHarness) -> None:
    harness.clock.time = NIGHT
    await by_an_automation(harness)
    assert harness.phone.cards == {}
    await quiet(harness, start="22:00", end="08:00")
    assert harness.phone.cards == {}, "they still last"
    harness.clock.time = NIGHT + timedelta(hours=6, minutes=45)
    await harness.run()
    assert harness.phone.cards == {}, "those of the settings are over, and these are not"
    await quiet(harness, off=True)
    assert len(harness.phone.cards) == 1


async def test_a_card_asks_for_hours_that_a_model_chose_and_says_which(harness: OwnHarness) -> None:
    await harness.say("make it nice", by_model(own(1, "set_quiet_hours", start="20:00", end="10:00")))
    (card,) = harness.phone.cards.values()
    assert "Keeps quiet from 20:00 to 10:00 every day" in repr(card)
    await harness.tap("Approve")
    assert harness.quiet.hours == QuietHours(time(20), time(10))
