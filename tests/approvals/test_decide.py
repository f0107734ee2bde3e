"""One answer to one approval: what it does not change when it comes too late, or for something that is gone."""

from approvals.buttons import new_button
from approvals.decide import decide_one
from approvals.states import State, Verb
from approvals.tapped import Tapped
from butler.store.queries.buttons import ButtonKind
from tests.approvals.house import House
from tests.approvals.phone import OWNER


async def test_a_row_that_has_moved_on_since_it_was_read_is_not_decided(house: House) -> None:
    approval_id = await house.ask()
    row, now = await house.row(approval_id), house.clock.now()
    assert await house.write(lambda c: decide_one(house.context, c, row, Verb.DENY, OWNER, now))
    assert not await house.write(lambda c: decide_one(house.context, c, row, Verb.APPROVE, OWNER, now))
    assert await house.state(approval_id) == State.DENIED


async def test_a_button_of_an_approval_that_is_gone_does_nothing(house: House) -> None:
    now = house.clock.now()
    button = await house.write(
        lambda c: new_button(
            c, ButtonKind.APPROVAL, "gone", 1, Verb.APPROVE.value, "Approve", owner=OWNER, chat=OWNER, now=now
        )
    )
    answer = await house.approvals.decide(house.tap_of(button))
    assert answer.tapped is Tapped.UNKNOWN
