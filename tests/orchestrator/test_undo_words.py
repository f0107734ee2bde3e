"""A typed "undo" takes back what was approved last and has not begun, and says so; where that is in doubt, it asks."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from approvals.states import State
from butler.contract.inbound import InboundKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.store.queries import approvals
from butler.store.store import Store
from tests.approvals.house import create_tables
from tests.orchestrator.house import House
from tests.orchestrator.things import EVE, said


@pytest.fixture
async def house() -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    house = House(store, EmbeddedPlanner(), undo_window="1m")
    await house.meet()
    yield house
    await store.close()


async def approved(house: House, words: str = "I am late", when: str = "") -> None:
    await house.say(f"tell Anna on Telegram{when}: {words}")
    await house.tap("Approve")
    house.clock.time += timedelta(seconds=5)


async def states(house: House) -> list[str]:
    rows = await house.store.read(lambda c: approvals.in_state(c, *State))
    return [row.state for row in sorted(rows, key=lambda row: row.created_at)]


async def later(house: House) -> None:
    house.clock.time += timedelta(minutes=2)
    await house.run()


@pytest.mark.parametrize(
    "words",
    [
        "undo", "Undo that!", "take it back", "cancel", "mach das rückgängig", "rückgängig", "nimm das zurück",
        "annule ça", "annule", "deshaz eso", "deshazlo",
    ],
)  # fmt: skip
async def test_undo_within_the_window_stops_the_message_and_says_so(house: House, words: str) -> None:
    await approved(house)
    await house.say(words)
    assert house.phone.said[-1] == (
        "Taken back:\nSends a Telegram message as you (to Anna at telegram:@anna): “I am late”\nNothing was sent."
    )
    await later(house)
    assert house.sent() == []
    assert await states(house) == [State.CANCELLED]


async def test_undo_means_the_last_of_two_and_tells_of_the_other(house: House) -> None:
    await approved(house, "the first")
    await approved(house, "the second")
    await house.say("undo")
    assert house.phone.said[-1].endswith("“the second”\nNothing was sent. 1 more can be taken back: /undo.")
    await later(house)
    assert house.sent() == ["the first"]


async def test_undo_after_another_request_asks_which(house: House) -> None:
    await approved(house)
    await house.say("remember that the boiler is in the cellar")
    await house.say("undo")
    assert house.phone.said[-1].startswith("1 approved and not begun:")
    assert await states(house) == [State.APPROVED]


async def test_undo_leaves_what_waits_for_its_own_time_and_shows_it(house: House) -> None:
    await approved(house, when=" tomorrow at 8")
    await house.say("undo")
    assert house.phone.said[-1].startswith("1 approved and not begun:")
    assert await states(house) == [State.APPROVED]


async def test_the_command_and_others_words_only_show(house: House) -> None:
    await approved(house)
    await house.say("/undo", kind=InboundKind.COMMAND, payload={"name": "undo", "rest": ""})
    assert house.phone.said[-1].startswith("1 approved and not begun:")
    await house.say("undo", segments=(said("undo", EVE),))
    assert await states(house) == [State.APPROVED]
