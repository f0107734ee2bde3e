"""Setting the clock keeps the length of the undo window, and the time of the act that a card showed."""

from datetime import timedelta

import pytest

from butler.store.queries import approval_waits, work
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON
from tests.approvals.test_scheduled import EIGHT, approved

BY = (timedelta(days=-1), timedelta(hours=-1), timedelta(seconds=-1), timedelta(hours=1), timedelta(days=1))


async def set_clock(harness: Harness, by: timedelta, *, seen: bool = True) -> None:
    """Set the clock; a running engine notices, and a starting one corrects the rows with an unknown step."""
    harness.clock.time += by
    step, now = by if seen else timedelta(), harness.clock.time
    await harness.write(lambda c: work.adjust_to_clock(c, step, now))
    await harness.write(lambda c: approval_waits.adjust_to_clock(c, step, now))


@pytest.mark.parametrize("by", BY, ids=str)
async def test_the_time_to_undo_is_as_long_as_it_was(harness: Harness, by: timedelta) -> None:
    approval_id = await harness.ask()
    await harness.tap("Approve")
    harness.clock.turn(seconds=4)
    await set_clock(harness, by)
    harness.clock.turn(seconds=5)
    await harness.run()
    assert await harness.state(approval_id) == "approved"
    harness.clock.turn(seconds=1)
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert len(await harness.attempts(approval_id)) == 1


async def test_a_clock_set_back_while_nobody_ran_makes_no_time_to_undo_longer_than_it_is(harness: Harness) -> None:
    approval_id = await harness.ask()
    await harness.tap("Approve")
    await set_clock(harness, timedelta(days=-1), seen=False)
    await harness.run()
    assert await harness.state(approval_id) == "approved"
    harness.clock.turn(seconds=10)
    await harness.run()
    assert await harness.state(approval_id) == "done"


async def test_the_time_that_a_card_showed_is_a_moment(harness: Harness) -> None:
    approval_id = await approved(harness)
    await set_clock(harness, timedelta(hours=-1))
    row = await harness.row(approval_id)
    assert (row.execute_at, row.wait(harness.clock.time)) == (EIGHT, None)
    await set_clock(harness, EIGHT - harness.clock.time)
    await harness.run()
    assert await harness.state(approval_id) == "done"


async def test_send_now_waits_for_a_length_of_time(harness: Harness) -> None:
    approval_id = await approved(harness)
    await harness.tap("Send now")
    await set_clock(harness, timedelta(days=-1))
    assert (await harness.row(approval_id)).wait(harness.clock.time) == timedelta(seconds=10)
    harness.clock.turn(seconds=10)
    await harness.run()
    assert await harness.state(approval_id) == "done"
    assert harness.clock.time < NOON
