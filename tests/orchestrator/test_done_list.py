"""`/done` lists what was done today: what the owner approved and what passed, and how it ended."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from approvals.done_list import MOST
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.orchestrator.planning.plan_types import Command
from butler.store.store import Store
from tests.orchestrator.harness import SEND, planned, step
from tests.orchestrator.own_harness import OwnHarness, by_model, own
from tests.support.tables import create_tables

NOTE = "bot_notes_remember"


@pytest.fixture
async def harness() -> AsyncIterator[OwnHarness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = OwnHarness(store, undo_window="1m")
    await harness.meet()
    yield harness
    await store.close()


async def write(harness: OwnHarness, text: str) -> None:
    to = {"contact": await harness.contact("Anna")}
    await harness.say("tell Anna", planned(step(1, SEND, to=to, text=text)))


async def pass_time(harness: OwnHarness, **length: int) -> None:
    harness.clock.time += timedelta(**length)
    await harness.run()


async def listed(harness: OwnHarness) -> list[str]:
    await harness.say("what have you done for me today?", Command.DONE)
    return harness.phone.said[-1].splitlines()


async def test_it_lists_what_passed_what_was_approved_and_how_each_ended(harness: OwnHarness) -> None:
    assert await listed(harness) == ["I have done nothing for you today."]
    await harness.say("note", planned(step(1, NOTE, text="the locker is 4711")))
    await pass_time(harness, minutes=1)
    await write(harness, "I am late")
    await harness.tap("Approve")
    await pass_time(harness, minutes=2)
    await write(harness, "not this")
    await harness.tap("Approve")
    await harness.tap("Undo")
    await write(harness, "nor that")
    await harness.tap("Deny")
    harness.results[SEND] = [failed(IntegrationErrorCode.REJECTED, "no")]
    await write(harness, "this fails")
    await harness.tap("Approve")
    await pass_time(harness, minutes=2)
    await write(harness, "still waits")
    head, noted, sent, back, worked_not = await listed(harness)
    assert head == "What I have done for you today:"
    assert noted.startswith("13:00 ✅ ")
    assert "the locker is 4711" in noted
    assert sent.startswith("13:03 ✅ ")
    assert "Anna" in sent
    assert sent.endswith("“I am late” · done")
    assert back.endswith("“not this” · taken back")
    assert worked_not.endswith("“this fails” · did not work")


async def test_it_lists_today_alone_and_of_many_the_newest(harness: OwnHarness) -> None:
    await harness.say("note", planned(step(1, NOTE, text="yesterday")))
    await pass_time(harness, days=1)
    for number in range(MOST + 2):
        await harness.say("note", planned(step(1, NOTE, text=f"number {number}")))
    lines = await listed(harness)
    assert lines[1] == "and 2 more before these"
    assert ["number 2”" in lines[2], f"number {MOST + 1}”" in lines[-1], len(lines)] == [True, True, MOST + 2]


async def test_a_step_of_a_plan_shows_the_same_and_itself_is_nothing_done(harness: OwnHarness) -> None:
    await harness.say("note", planned(step(1, NOTE, text="the locker is 4711")))
    as_command = await listed(harness)
    await harness.say("and now?", by_model(own(1, "show_done")))
    assert harness.phone.said[-1].splitlines() == as_command
