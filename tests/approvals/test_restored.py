"""A backup that is restored after an act must not have the act done a second time."""

import contextlib

from approvals.reason_words import details_in_words, in_words
from approvals.restored import CUT_OFF, LOOK_FIRST
from approvals.states import State
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.store.queries import cursors
from tests.approvals.house import House, card_text
from tests.approvals.phone import NOON
from tests.approvals.providers import STRANGER, fault
from tests.approvals.second import Killed


async def restored(house: House) -> None:
    """The rows as they stand come back from a backup, and a new process starts on them."""
    await house.write(lambda c: cursors.put_fact(c, cursors.RESTORED, "2026-03-01", NOON))
    house.restart()
    await house.approvals.after_restore()
    await house.run()


async def test_what_waited_for_its_undo_window_is_not_sent_after_a_restore(house: House) -> None:
    approval_id = await house.approved()
    await restored(house)
    await house.after_undo_window()
    assert house.provider.effects == []
    assert await house.state(approval_id) == State.UNKNOWN
    assert in_words(CUT_OFF) in card_text(house.channel.newest)
    assert "It was done" in [button.label for row in house.channel.newest.buttons for button in row]


async def test_what_waits_for_a_yes_says_that_it_may_have_been_done_before_the_restore(house: House) -> None:
    approval_id = await house.ask()
    await house.run()
    await restored(house)
    assert await house.state(approval_id) == State.PENDING
    assert in_words(LOOK_FIRST) in card_text(house.channel.newest)


async def test_a_start_that_follows_no_restore_does_what_was_approved(house: House) -> None:
    approval_id = await house.approved()
    house.restart()
    await house.approvals.after_restore()
    await house.after_undo_window()
    assert await house.state(approval_id) == State.DONE


async def test_what_was_under_way_when_the_backup_was_taken_is_unknown_with_its_attempt(house: House) -> None:
    approval_id = await house.approved()
    house.provider.die = "before"
    house.clock.turn(seconds=10)
    with contextlib.suppress(Killed):
        await house.run()
    house.provider.die = ""
    await restored(house)
    assert await house.state(approval_id) == State.UNKNOWN
    (attempt,) = await house.attempts(approval_id)
    assert (attempt.outcome, attempt.detail) == ("unknown", (CUT_OFF,))
    assert house.provider.effects == []


async def test_an_attempt_that_had_ended_before_the_backup_keeps_its_outcome(house: House) -> None:
    approval_id = await house.approved()
    house.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE, effect=Effect.NONE)]
    await house.after_undo_window()
    (before,) = await house.attempts(approval_id)
    await restored(house)
    assert await house.state(approval_id) == State.UNKNOWN
    assert await house.attempts(approval_id) == [before]


async def test_a_card_keeps_the_warning_that_it_has(house: House) -> None:
    approval_id = await house.ask()
    await house.tap("Approve", sender=STRANGER)
    await restored(house)
    assert "Somebody else" in details_in_words((await house.row(approval_id)).detail)
