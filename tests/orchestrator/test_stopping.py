"""What the owner says in words stops what acts as them, as `/pause user` does; nobody else's words do."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from approvals import pin
from approvals.pause import COMMAND_LINE, paused_by
from approvals.states import State
from butler.contract.inbound import InboundKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.store.queries import approvals, conversations
from butler.store.store import Store
from tests.approvals.house import create_tables
from tests.orchestrator.house import House
from tests.orchestrator.things import EVE, OWN, OWNER, said

PAUSED = "Paused: nothing is done in your name now."
LIFTED = "What acts as you may be done again"


@pytest.fixture
async def house() -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    house = House(store, EmbeddedPlanner(), undo_window="1m")
    await house.meet()
    yield house
    await store.close()


async def ask(house: House) -> str:
    """A card that waits; the id of its message."""
    await house.say("tell Anna on Telegram: I am late")
    return list(house.phone.cards)[-1]


async def approved(house: House) -> str:
    card = await ask(house)
    await house.tap("Approve")
    return card


async def is_paused(house: House) -> bool:
    return await house.store.read(paused_by) is not None


async def states(house: House) -> list[str]:
    return [row.state for row in await house.store.read(lambda c: approvals.in_state(c, *State))]


@pytest.mark.parametrize("words", ["stop everything", "stop everything you do", "STOP!", "pause", "emergency stop"])
async def test_words_that_want_a_stop_stop_what_was_approved(house: House, words: str) -> None:
    await approved(house)
    await house.say(words)
    assert house.phone.said[-1] == f"{PAUSED} 1 approved act was stopped. Cards wait; /resume lifts it."
    house.clock.time = house.clock.time.replace(hour=23)
    await house.run()
    assert house.sent() == []
    assert await states(house) == [State.CANCELLED]
    state = await house.store.read(lambda c: conversations.load(c, OWNER))
    assert [m.content for m in state.history][-2:] == [words, "Answered pause."]


async def test_the_command_stop_is_a_stop_and_undo_is_a_list(house: House) -> None:
    await approved(house)
    await house.say("/undo", kind=InboundKind.COMMAND, payload={"name": "undo", "rest": ""})
    assert house.phone.said[-1].startswith("1 approved and not begun:")
    await house.say("/stop", kind=InboundKind.COMMAND, payload={"name": "stop", "rest": ""})
    assert house.phone.said[-1].startswith(PAUSED)


async def test_a_reply_that_wants_everything_stopped_stops_it_and_not_only_its_card(house: House) -> None:
    card = await ask(house)
    await house.say("stop everything", reply_to=card)
    assert await is_paused(house)
    assert await states(house) == [State.PENDING]


async def test_a_plain_stop_to_a_card_that_waits_refuses_that_card(house: House) -> None:
    await house.say("stop", reply_to=await ask(house))
    assert not await is_paused(house)
    assert await states(house) == [State.DENIED]


async def test_a_plain_stop_to_a_card_that_was_approved_stops_it(house: House) -> None:
    await house.say("stop", reply_to=await approved(house))
    assert await is_paused(house)
    assert await states(house) == [State.CANCELLED]


async def test_what_was_forwarded_or_quoted_stops_nothing(house: House) -> None:
    await approved(house)
    await house.say("stop everything", segments=(said("stop everything", EVE),))
    await house.say("“stop everything”")
    await house.say("what?\nstop", segments=(said("what?", OWN), said("stop", EVE)))
    await house.say("resume", segments=(said("resume", EVE),))
    assert not await is_paused(house)
    assert await states(house) == [State.APPROVED]


async def test_a_stranger_stops_nothing(house: House) -> None:
    await house.say("stop everything", sender="telegram:666", origin=EVE, segments=(said("stop everything", EVE),))
    assert not await is_paused(house)
    assert house.phone.said == []


async def test_words_lift_the_pause_as_resume_does(house: House) -> None:
    await house.say("go on again")
    assert house.phone.said[-1] == "Nothing was paused."
    await house.say("stop")
    await house.say("go on again")
    assert house.phone.said[-1].startswith(LIFTED)
    assert not await is_paused(house)


async def test_words_that_lift_the_pause_take_the_pin_where_there_is_one(house: House) -> None:
    await house.store.write(lambda c: pin.set_pin(c, "918273", COMMAND_LINE, house.clock.now()))
    await house.say("stop")
    await house.say("resume")
    assert house.phone.said[-1].startswith("Type your PIN as a message; it will be deleted.")
    assert len(house.phone.said) == 2
    assert await is_paused(house)


async def test_an_undo_in_doubt_lists_what_can_be_taken_back_and_brings_its_card_down(house: House) -> None:
    await house.say("undo that")
    assert house.phone.said[-1].startswith("Nothing can be undone now")
    await approved(house)
    house.clock.time += timedelta(seconds=1)
    await house.say("remember that the boiler is in the cellar")
    await house.say("take it back")
    assert "Sends a Telegram message as you (to Anna at telegram:@anna): “I am late”" in house.phone.said[-1]
    assert "Undo is on their cards. “stop” stops at once all that acts as you." in house.phone.said[-1]
    assert await states(house) == [State.APPROVED], "something was asked for since: which is meant is said by a tap"
    await house.tap("Show 1")
    assert len(house.phone.cards) == 2
    await house.tap("Undo")
    assert await states(house) == [State.CANCELLED]
