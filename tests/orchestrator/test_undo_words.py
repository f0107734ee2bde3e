"""A typed "undo" takes back what was approved last and has not begun, and says so; where that is in doubt, it asks."""

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from approvals.states import State
from butler.contract.inbound import InboundKind
from butler.store.queries import approvals
from butler.store.store import Store
from tests.approvals.harness import create_tables
from tests.orchestrator.builders import EVE, said
from tests.orchestrator.harness import Harness
from tests.support.reading import reading_planner


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store, reading_planner(), undo_window="1m")
    await harness.meet()
    yield harness
    await store.close()


async def approved(harness: Harness, words: str = "I am late", when: str = "") -> None:
    await harness.say(f"tell Anna on Telegram{when}: {words}")
    await harness.tap("Approve")
    harness.clock.time += timedelta(seconds=5)


async def states(harness: Harness) -> list[str]:
    rows = await harness.store.read(lambda c: approvals.in_state(c, *State))
    return [row.state for row in sorted(rows, key=lambda row: row.created_at)]


async def later(harness: Harness) -> None:
    harness.clock.time += timedelta(minutes=2)
    await harness.run()


@pytest.mark.parametrize(
    "words",
    [
        "undo", "Undo that!", "take it back", "cancel", "mach das rückgängig", "rückgängig", "nimm das zurück",
        "annule ça", "annule", "deshaz eso", "deshazlo",
    ],
)  # fmt: skip
async def test_undo_within_the_window_stops_the_message_and_says_so(harness: Harness, words: str) -> None:
    await approved(harness)
    await harness.say(words)
    assert harness.phone.said[-1] == (
        "Taken back:\nSends a Telegram message as you (to Anna at @anna): “I am late”\nNothing was sent."
    )
    await later(harness)
    assert harness.sent() == []
    assert await states(harness) == [State.CANCELLED]


async def test_undo_means_the_last_of_two_and_tells_of_the_other(harness: Harness) -> None:
    await approved(harness, "the first")
    await approved(harness, "the second")
    await harness.say("undo")
    assert harness.phone.said[-1].endswith("“the second”\nNothing was sent. 1 more can be taken back: /undo.")
    await later(harness)
    assert harness.sent() == ["the first"]


async def test_undo_after_another_request_asks_which(harness: Harness) -> None:
    await approved(harness)
    await harness.say("remember that the boiler is in the cellar")
    await harness.say("undo")
    assert harness.phone.said[-1].startswith("1 approved and not begun:")
    assert await states(harness) == [State.APPROVED]


async def test_undo_leaves_what_waits_for_its_own_time_and_shows_it(harness: Harness) -> None:
    await approved(harness, when=" tomorrow at 8")
    await harness.say("undo")
    assert harness.phone.said[-1].startswith("1 approved and not begun:")
    assert await states(harness) == [State.APPROVED]


async def test_the_command_and_others_words_only_show(harness: Harness) -> None:
    await approved(harness)
    await harness.say("/undo", kind=InboundKind.COMMAND, payload={"name": "undo", "rest": ""})
    assert harness.phone.said[-1].startswith("1 approved and not begun:")
    await harness.say("undo", segments=(said("undo", EVE),))
    assert await states(harness) == [State.APPROVED]
