"""A decision that comes too late, or for a deleted approval, changes nothing."""

from approvals.buttons import new_button
from approvals.decide import decide_one
from approvals.states import State, Verb
from approvals.tap_result import TapResult
from butler.store.queries.buttons import ButtonKind
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER


async def test_a_row_that_has_moved_on_since_it_was_read_is_not_decided(harness: Harness) -> None:
    approval_id = await harness.ask()
    row, now = await harness.row(approval_id), harness.clock.now()
    assert await harness.write(lambda c: decide_one(harness.context, c, row, Verb.DENY, OWNER, now))
    assert not await harness.write(lambda c: decide_one(harness.context, c, row, Verb.APPROVE, OWNER, now))
    assert await harness.state(approval_id) == State.DENIED


async def test_a_button_of_an_approval_that_is_gone_does_nothing(harness: Harness) -> None:
    now = harness.clock.now()
    button = await harness.write(
        lambda c: new_button(
            c, ButtonKind.APPROVAL, "gone", 1, Verb.APPROVE.value, "Approve", owner=OWNER, chat=OWNER, now=now
        )
    )
    answer = await harness.approvals.decide(harness.tap_of(button))
    assert answer.tapped is TapResult.UNKNOWN
