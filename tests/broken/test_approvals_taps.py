"""A tap may hold anything and come from anybody: it is answered, noted, and decides nothing."""

import pytest

from approvals.states import State
from butler.store.queries import audit
from butler.store.store import Store
from tests.approvals.harness import Harness, create_tables


@pytest.fixture
async def harness() -> Harness:
    return Harness(create_tables(Store("sqlite://")))


@pytest.mark.parametrize(
    "data", ["", "a:", "a:\ud800", "a:\0", "c:", "a:" + "x" * 5000, "a:mail:yes:ABCDEFGH", "a:a:a:", "\u202ea:", "💥"]
)
async def test_a_tap_with_any_data_is_refused_and_noted(harness: Harness, data: str) -> None:
    approval_id = await harness.ask()
    answer = await harness.approvals.decide(harness.tap_of(data))
    assert answer.tapped == "unknown"
    assert await harness.state(approval_id) == State.PENDING
    assert await harness.store.read(audit.verify) is None


@pytest.mark.parametrize(
    "sender", ["", "telegram:", "telegram:042", "telegram:42 ", "telegram:４２", "42", "mail:me@home.example"]
)
async def test_nobody_but_the_owner_decides(harness: Harness, sender: str) -> None:
    approval_id = await harness.ask()
    answer = await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve"), sender=sender))
    assert answer.tapped == "foreign"
    assert await harness.state(approval_id) == State.PENDING
    assert await harness.store.read(audit.verify) is None


async def test_many_strangers_who_tap_make_no_card_unreadable(harness: Harness) -> None:
    await harness.ask()
    button = harness.channel.button("Approve")
    for number in range(50):
        await harness.approvals.decide(harness.tap_of(button, sender=f"telegram:{700 + number}"))
    await harness.run()
    assert harness.channel.edits <= 2
