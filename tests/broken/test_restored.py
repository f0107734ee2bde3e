"""A backup that is restored after an act must not have the act done a second time."""

from collections.abc import AsyncIterator

import pytest

from approvals.restored import CUT_OFF, LOOK_FIRST
from approvals.states import State
from butler.store.queries import cursors
from butler.store.store import Store
from tests.approvals.house import NOON, House, card_text, create_tables


@pytest.fixture
async def desk() -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    yield House(store)
    await store.close()


async def restored(house: House) -> None:
    """The rows as they stand come back from a backup, and a new process starts on them."""
    await house.write(lambda c: cursors.put_fact(c, cursors.RESTORED, "2026-03-01", NOON))
    house.restart()
    await house.approvals.after_restore()
    await house.run()


async def test_what_waited_for_its_undo_window_is_not_sent_after_a_restore(desk: House) -> None:
    approval_id = await desk.approved()
    await restored(desk)
    await desk.after_undo_window()
    assert desk.provider.effects == []
    assert await desk.state(approval_id) == State.UNKNOWN
    assert CUT_OFF in card_text(desk.channel.newest)
    assert "It was done" in [button.label for row in desk.channel.newest.buttons for button in row]


async def test_what_waits_for_a_yes_says_that_it_may_have_been_done_before_the_restore(desk: House) -> None:
    approval_id = await desk.ask()
    await desk.run()
    await restored(desk)
    assert await desk.state(approval_id) == State.PENDING
    assert LOOK_FIRST in card_text(desk.channel.newest)


async def test_a_start_that_follows_no_restore_does_what_was_approved(desk: House) -> None:
    approval_id = await desk.approved()
    desk.restart()
    await desk.approvals.after_restore()
    await desk.after_undo_window()
    assert await desk.state(approval_id) == State.DONE
