"""What was approved when the clock is set: its time to undo is as long as it was, a time that was shown stays."""

from datetime import timedelta

import pytest

from butler.store.queries import approval_waits, work
from tests.approvals.house import House
from tests.approvals.phone import NOON
from tests.approvals.test_scheduled import EIGHT, approved

BY = (timedelta(days=-1), timedelta(hours=-1), timedelta(seconds=-1), timedelta(hours=1), timedelta(days=1))


async def set_clock(house: House, by: timedelta, *, seen: bool = True) -> None:
    """Set it; the engine sees that while it runs, and sets rows right with no step at a start."""
    house.clock.time += by
    step, now = by if seen else timedelta(), house.clock.time
    await house.write(lambda c: work.set_right(c, step, now))
    await house.write(lambda c: approval_waits.set_right(c, step, now))


@pytest.mark.parametrize("by", BY, ids=str)
async def test_the_time_to_undo_is_as_long_as_it_was(house: House, by: timedelta) -> None:
    approval_id = await house.ask()
    await house.tap("Approve")
    house.clock.turn(seconds=4)
    await set_clock(house, by)
    house.clock.turn(seconds=5)
    await house.run()
    assert await house.state(approval_id) == "approved"
    house.clock.turn(seconds=1)
    await house.run()
    assert await house.state(approval_id) == "done"
    assert len(await house.attempts(approval_id)) == 1


async def test_a_clock_set_back_while_nobody_ran_makes_no_time_to_undo_longer_than_it_is(house: House) -> None:
    approval_id = await house.ask()
    await house.tap("Approve")
    await set_clock(house, timedelta(days=-1), seen=False)
    await house.run()
    assert await house.state(approval_id) == "approved"
    house.clock.turn(seconds=10)
    await house.run()
    assert await house.state(approval_id) == "done"


async def test_the_time_that_a_card_showed_is_a_moment(house: House) -> None:
    approval_id = await approved(house)
    await set_clock(house, timedelta(hours=-1))
    row = await house.row(approval_id)
    assert (row.execute_at, row.wait(house.clock.time)) == (EIGHT, None)
    await set_clock(house, EIGHT - house.clock.time)
    await house.run()
    assert await house.state(approval_id) == "done"


async def test_send_now_waits_for_a_length_of_time(house: House) -> None:
    approval_id = await approved(house)
    await house.tap("Send now")
    await set_clock(house, timedelta(days=-1))
    assert (await house.row(approval_id)).wait(house.clock.time) == timedelta(seconds=10)
    house.clock.turn(seconds=10)
    await house.run()
    assert await house.state(approval_id) == "done"
    assert house.clock.time < NOON
