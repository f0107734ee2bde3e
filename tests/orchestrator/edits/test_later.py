"""A reply to the card of what was approved for later: another time or text is a new version, a no takes it back."""
# names: made up here

from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from butler.contract.card import rich_text
from butler.orchestrator.planning.plan_types import Planned
from butler.store.queries import approvals
from butler.store.store import Store
from tests.approvals.house import create_tables
from tests.orchestrator.edits.test_desk import newest, row
from tests.orchestrator.house import SEND, House
from tests.orchestrator.test_turns import planned, step, to


@pytest.fixture
async def house() -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    house = House(store)
    await house.meet()
    yield house
    await store.close()


async def asked(house: House) -> str:
    """A card of what is to be sent in an hour; the id of its message."""
    due = house.clock.now() + timedelta(hours=1)
    one = step(1, SEND, to=await to(house), text="see you").model_copy(update={"not_before": due})
    plan = planned(one)
    assert isinstance(plan, Planned)
    await house.say("tell Anna in an hour", plan)
    return list(house.phone.cards)[-1]


async def test_the_plan_waits_until_it_is_sent_at_its_time(house: House) -> None:
    await asked(house)
    await house.tap("Approve")
    assert (await row(house)).state == "approved"
    assert house.sent() == []
    house.clock.time += timedelta(hours=1)
    await house.run()
    assert house.sent() == ["see you"]


@pytest.mark.parametrize("approved", [False, True])
async def test_another_time_in_words_is_a_new_version_that_asks(house: House, approved: bool) -> None:
    card = await asked(house)
    if approved:
        await house.tap("Approve")
    before = await row(house)
    assert before.not_before is not None
    await house.say("an hour later", reply_to=card)
    after = await row(house)
    assert (after.state, after.revision) == ("pending", 2)
    assert after.not_before == before.not_before + timedelta(hours=1)
    assert rich_text(newest(house).changes).startswith("Goes out on: ")


async def test_another_text_for_what_was_approved_asks_too(house: House) -> None:
    card = await asked(house)
    await house.tap("Approve")
    await house.say("text: see you soon", reply_to=card)
    after = await row(house)
    assert (after.state, newest(house).body) == ("pending", "see you soon")


async def test_a_no_in_words_takes_the_yes_back(house: House) -> None:
    card = await asked(house)
    await house.tap("Approve")
    approval_id = (await row(house)).approval_id
    await house.say("don't send it", reply_to=card)
    found = await house.store.read(lambda c: approvals.get(c, approval_id))
    assert found is not None
    assert found.state == "cancelled"


async def test_a_time_that_the_text_may_have_is_asked_about(house: House) -> None:
    due = house.clock.now() + timedelta(hours=1)
    one = step(1, SEND, to=await to(house), text="see you at 8").model_copy(update={"not_before": due})
    await house.say("tell Anna in an hour", planned(one))
    card = list(house.phone.cards)[-1]
    await house.say("make it 9", reply_to=card)
    assert (await row(house)).revision == 1
