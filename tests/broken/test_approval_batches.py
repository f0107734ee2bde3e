"""A digest card shows one of many, and what is said to it is said to that one."""

import pytest

from approvals.revise import OLDER
from approvals.states import State
from butler.store.store import Store
from tests.approvals.approval_batch_harness import ask_many, newest_batch
from tests.approvals.harness import Harness, create_tables


@pytest.fixture
async def harness() -> Harness:
    return Harness(create_tables(Store("sqlite://")))


async def replied(harness: Harness) -> tuple[str, int]:
    """The approval that a reply to the digest card is about."""
    (message_id,) = (await newest_batch(harness)).card_refs[0].message.message_ids
    found = await harness.store.read(lambda c: harness.approvals.shown_at(c, "telegram:42", message_id))
    assert found is not None
    return found


async def test_a_no_to_a_page_that_is_being_turned_denies_nobody(harness: Harness) -> None:
    await ask_many(harness, 7)
    first, _ = await replied(harness)
    await harness.approvals.decide(harness.tap_of(harness.channel.button("▶")))
    # The tap is decided, and the owner still looks at the first page.
    approval_id, revision = await replied(harness)
    told = await harness.write(lambda c: harness.approvals.deny(c, approval_id, revision, harness.clock.now()))
    assert told == OLDER
    assert [await harness.state(one) for one in (first, approval_id)] == [State.PENDING, State.PENDING]


async def test_a_no_to_a_page_that_stands_denies_that_one(harness: Harness) -> None:
    await ask_many(harness, 7)
    first, _ = await replied(harness)
    await harness.tap("▶")
    approval_id, revision = await replied(harness)
    assert approval_id != first
    await harness.write(lambda c: harness.approvals.deny(c, approval_id, revision, harness.clock.now()))
    assert [await harness.state(one) for one in (first, approval_id)] == [State.PENDING, State.DENIED]
