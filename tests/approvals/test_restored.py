"""Restoring a backup after an act must not execute the act again."""

import contextlib

from approvals.reason_words import details_in_words, in_words
from approvals.restored import CUT_OFF, LOOK_FIRST
from approvals.states import State
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.store.queries import cursors
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import NOON
from tests.approvals.providers import STRANGER, fault
from tests.approvals.second_channel import Killed


async def restored(harness: Harness) -> None:
    """Restore the current rows as from a backup, and start a new process on them."""
    await harness.write(lambda c: cursors.put_fact(c, cursors.RESTORED, "2026-03-01", NOON))
    harness.restart()
    await harness.approvals.after_restore()
    await harness.run()


async def test_what_waited_for_its_undo_window_is_not_sent_after_a_restore(harness: Harness) -> None:
    approval_id = await harness.approved()
    await restored(harness)
    await harness.after_undo_window()
    assert harness.provider.effects == []
    assert await harness.state(approval_id) == State.UNKNOWN
    assert in_words(CUT_OFF) in card_text(harness.channel.newest)
    assert "It was done" in [button.label for row in harness.channel.newest.buttons for button in row]


async def test_what_waits_for_a_yes_says_that_it_may_have_been_done_before_the_restore(harness: Harness) -> None:
    approval_id = await harness.ask()
    await harness.run()
    await restored(harness)
    assert await harness.state(approval_id) == State.PENDING
    assert in_words(LOOK_FIRST) in card_text(harness.channel.newest)


async def test_a_start_that_follows_no_restore_does_what_was_approved(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.restart()
    await harness.approvals.after_restore()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.DONE


async def test_what_was_under_way_when_the_backup_was_taken_is_unknown_with_its_attempt(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.provider.die = "before"
    harness.clock.turn(seconds=10)
    with contextlib.suppress(Killed):
        await harness.run()
    harness.provider.die = ""
    await restored(harness)
    assert await harness.state(approval_id) == State.UNKNOWN
    (attempt,) = await harness.attempts(approval_id)
    assert (attempt.outcome, attempt.detail) == ("unknown", (CUT_OFF,))
    assert harness.provider.effects == []


async def test_an_attempt_that_had_ended_before_the_backup_keeps_its_outcome(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.provider.script = [fault(IntegrationErrorCode.UNAVAILABLE, effect=Effect.NONE)]
    await harness.after_undo_window()
    (before,) = await harness.attempts(approval_id)
    await restored(harness)
    assert await harness.state(approval_id) == State.UNKNOWN
    assert await harness.attempts(approval_id) == [before]


async def test_a_card_keeps_the_warning_that_it_has(harness: Harness) -> None:
    approval_id = await harness.ask()
    await harness.tap("Approve", sender=STRANGER)
    await restored(harness)
    assert "Somebody else" in details_in_words((await harness.row(approval_id)).detail)
