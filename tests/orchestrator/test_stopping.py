"""What the owner says in words stops what acts as them, as `/pause user` does; nobody else's words do."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from approvals import pin
from approvals.pause import COMMAND_LINE, paused_by
from approvals.states import State
from butler.contract.inbound import InboundKind
from butler.store.queries import approvals, conversations
from butler.store.store import Store
from tests.approvals.harness import create_tables
from tests.orchestrator.builders import EVE, OWN, OWNER, said
from tests.orchestrator.harness import Harness
from tests.support.reading import reading_planner

PAUSED = "Paused: nothing is done in your name now."
LIFTED = "What acts as you may be done again"


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store, reading_planner(), undo_window="1m")
    await harness.meet()
    yield harness
    await store.close()


async def ask(harness: Harness) -> str:
    """A card that waits; the id of its message."""
    await harness.say("tell Anna on Telegram: I am late")
    return list(harness.phone.cards)[-1]


async def approved(harness: Harness) -> str:
    card = await ask(harness)
    await harness.tap("Approve")
    return card


async def is_paused(harness: Harness) -> bool:
    return await harness.store.read(paused_by) is not None


async def states(harness: Harness) -> list[str]:
    return [row.state for row in await harness.store.read(lambda c: approvals.in_state(c, *State))]


@pytest.mark.parametrize("words", ["stop everything", "stop everything you do", "STOP!", "pause", "emergency stop"])
async def test_words_that_want_a_stop_stop_what_was_approved(harness: Harness, words: str) -> None:
    await approved(harness)
    await harness.say(words)
    assert harness.phone.said[-1] == f"{PAUSED} 1 approved act was stopped. Cards wait; /resume lifts it."
    harness.clock.time = harness.clock.time.replace(hour=23)
    await harness.run()
    assert harness.sent() == []
    assert await states(harness) == [State.CANCELLED]
    state = await harness.store.read(lambda c: conversations.load(c, OWNER))
    assert [m.content for m in state.history][-2:] == [words, "Answered pause."]


async def test_the_command_stop_is_a_stop_and_undo_is_a_list(harness: Harness) -> None:
    await approved(harness)
    await harness.say("/undo", kind=InboundKind.COMMAND, payload={"name": "undo", "rest": ""})
    assert harness.phone.said[-1].startswith("1 approved and not begun:")
    await harness.say("/stop", kind=InboundKind.COMMAND, payload={"name": "stop", "rest": ""})
    assert harness.phone.said[-1].startswith(PAUSED)


async def test_a_reply_that_wants_everything_stopped_stops_it_and_not_only_its_card(harness: Harness) -> None:
    card = await ask(harness)
    await harness.say("stop everything", reply_to=card)
    assert await is_paused(harness)
    assert await states(harness) == [State.PENDING]


async def test_a_plain_stop_to_a_card_that_waits_refuses_that_card(harness: Harness) -> None:
    await harness.say("stop", reply_to=await ask(harness))
    assert not await is_paused(harness)
    assert await states(harness) == [State.DENIED]


async def test_a_plain_stop_to_a_card_that_was_approved_stops_it(harness: Harness) -> None:
    await harness.say("stop", reply_to=await approved(harness))
    assert await is_paused(harness)
    assert await states(harness) == [State.CANCELLED]


async def test_what_was_forwarded_or_quoted_stops_nothing(harness: Harness) -> None:
    await approved(harness)
    await harness.say("stop everything", segments=(said("stop everything", EVE),))
    await harness.say("“stop everything”")
    await harness.say("what?\nstop", segments=(said("what?", OWN), said("stop", EVE)))
    await harness.say("resume", segments=(said("resume", EVE),))
    assert not await is_paused(harness)
    assert await states(harness) == [State.APPROVED]


async def test_a_stranger_stops_nothing(harness: Harness) -> None:
    await harness.say("stop everything", sender="telegram:666", origin=EVE, segments=(said("stop everything", EVE),))
    assert not await is_paused(harness)
    assert harness.phone.said == []


async def test_words_lift_the_pause_as_resume_does(harness: Harness) -> None:
    await harness.say("go on again")
    assert harness.phone.said[-1] == "Nothing was paused."
    await harness.say("stop")
    await harness.say("go on again")
    assert harness.phone.said[-1].startswith(LIFTED)
    assert not await is_paused(harness)


async def test_words_that_lift_the_pause_take_the_pin_where_there_is_one(harness: Harness) -> None:
    await harness.store.write(lambda c: pin.set_pin(c, "918273", COMMAND_LINE, harness.clock.now()))
    await harness.say("stop")
    await harness.say("resume")
    assert harness.phone.said[-1].startswith("Type your PIN as a message; it will be deleted.")
    assert len(harness.phone.said) == 2
    assert await is_paused(harness)


async def test_an_undo_in_doubt_lists_what_can_be_taken_back_and_brings_its_card_down(harness: Harness) -> None:
    await harness.say("undo that")
    assert harness.phone.said[-1].startswith("Nothing can be undone now")
    await approved(harness)
    harness.clock.time += timedelta(seconds=1)
    await harness.say("remember that the boiler is in the cellar")
    await harness.say("take it back")
    assert "Sends a Telegram message as you (to Anna at @anna): “I am late”" in harness.phone.said[-1]
    assert "Undo is on their cards. “stop” stops at once all that acts as you." in harness.phone.said[-1]
    assert await states(harness) == [State.APPROVED], "something was asked for since: which is meant is said by a tap"
    await harness.tap("Show 1")
    assert len(harness.phone.cards) == 2
    await harness.tap("Undo")
    assert await states(harness) == [State.CANCELLED]
