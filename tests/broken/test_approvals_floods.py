"""A digest card shows one of many, and what is said to it is said to that one."""

import pytest

from approvals.revise import OLDER
from approvals.states import State
from butler.store.store import Store
from tests.approvals.floods import batch, flood_of
from tests.approvals.house import House, create_tables


@pytest.fixture
async def house() -> House:
    return House(create_tables(Store("sqlite://")))


async def replied(house: House) -> tuple[str, int]:
    """The approval that a reply to the digest card is about."""
    (message_id,) = (await batch(house)).card_refs[0].message.message_ids
    found = await house.store.read(lambda c: house.approvals.shown_at(c, "telegram:42", message_id))
    assert found is not None
    return found


async def test_a_no_to_a_page_that_is_being_turned_denies_nobody(house: House) -> None:
    await flood_of(house, 7)
    first, _ = await replied(house)
    await house.approvals.decide(house.tap_of(house.channel.button("▶")))
    # The tap is decided, and the owner still looks at the first page.
    approval_id, revision = await replied(house)
    told = await house.write(lambda c: house.approvals.deny(c, approval_id, revision, house.clock.now()))
    assert told == OLDER
    assert [await house.state(one) for one in (first, approval_id)] == [State.PENDING, State.PENDING]


async def test_a_no_to_a_page_that_stands_denies_that_one(house: House) -> None:
    await flood_of(house, 7)
    first, _ = await replied(house)
    await house.tap("▶")
    approval_id, revision = await replied(house)
    assert approval_id != first
    await house.write(lambda c: house.approvals.deny(c, approval_id, revision, house.clock.now()))
    assert [await house.state(one) for one in (first, approval_id)] == [State.PENDING, State.DENIED]
