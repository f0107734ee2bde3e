"""A new pairing withdraws what the old account could have started, and tells the new owner."""

import pytest

from approvals import pin
from approvals.handover import SHOWN, hand_over
from approvals.pause import COMMAND_LINE, Resumed, pause, resume
from approvals.reason_words import details_in_words
from approvals.states import State
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.store.queries import audit, rules
from butler.store.queries.rules import RuleState
from butler.store.tables import approvals as approvals_table
from tests.approvals.harness import Harness, card_text
from tests.approvals.providers import BOT_SEND, fault
from tests.approvals.second_channel import Killed
from tests.approvals.standing_rule_harness import saved

NEW = "telegram:43"


async def handed_over(harness: Harness) -> tuple[int, int]:
    done = await harness.write(lambda c: hand_over(c, harness.clock.now()))
    harness.owner.telegram_user_id = 43
    harness.channel.home_chat = NEW
    await harness.run()
    return done


async def told(harness: Harness) -> str:
    return await harness.write(lambda c: harness.approvals.withdrawn(c, harness.clock.now()))


async def test_cards_acts_and_rules_are_taken_back_and_told_once(harness: Harness) -> None:
    await saved(harness)
    made_from = (await harness.store.read(lambda c: rules.in_state(c, RuleState.ACTIVE)))[0].made_from
    bots = await harness.ask(BOT_SEND, call_id="2", args={"to": ["mail:x@x.example"], "text": "hello"})
    passed = (await harness.request(call_id="1")).approval_id
    assert passed is not None
    assert await handed_over(harness) == (3, 1)
    for approval_id in (made_from, passed, bots):
        row = await harness.row(approval_id)
        assert (row.state, details_in_words(row.detail)) == (State.CANCELLED, "Butler was paired anew")
    assert sum("Stopped at" in card_text(card) for card in harness.channel.cards.values()) == 3
    rule = await harness.store.read(lambda c: rules.by_number(c, 1))
    assert rule is not None
    assert rule.state == RuleState.DISABLED
    await harness.after_undo_window()
    assert harness.provider.calls == []
    harness.restart()
    text = await told(harness)
    assert "Withdrawn, and not done: 3." in text
    assert "• Sends a message – to Telegram 1002" in text
    assert "Standing rules put out of force: 1." in text
    assert await told(harness) == ""
    assert await harness.store.read(audit.verify) is None


async def test_the_old_accounts_taps_are_foreign_and_a_found_button_is_dead(harness: Harness) -> None:
    approval_id = await harness.ask()
    button = harness.channel.button("Approve")
    await handed_over(harness)
    assert (await harness.approvals.decide(harness.tap_of(button))).tapped == "foreign"
    assert (await harness.approvals.decide(harness.tap_of(button, sender=NEW, chat=NEW))).tapped == "unknown"
    assert await harness.state(approval_id) == State.CANCELLED


async def test_what_nobody_knows_the_end_of_is_shown_to_the_new_account(harness: Harness) -> None:
    harness.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    approval_id = await harness.approved()
    await harness.after_undo_window()
    assert await harness.state(approval_id) == State.UNKNOWN
    assert await handed_over(harness) == (0, 0)
    await harness.approvals.decide(harness.tap_of(harness.channel.button("It was done"), sender=NEW, chat=NEW))
    assert await harness.state(approval_id) == State.DONE
    assert "Nothing was waiting or under way." in await told(harness)


async def test_what_is_under_way_ends_as_it_ends_and_is_shown_to_the_new_account(harness: Harness) -> None:
    approval_id = await harness.approved()
    harness.provider.die = "after"
    with pytest.raises(Killed):
        await harness.after_undo_window()
    harness.restart()
    await handed_over(harness)
    row = await harness.row(approval_id)
    assert (row.state, row.chat) == (State.UNKNOWN, "")
    assert "It was done" in str(harness.channel.newest.buttons)


async def test_an_open_challenge_is_dropped(harness: Harness) -> None:
    await harness.write(lambda c: pin.set_pin(c, "4711", COMMAND_LINE, harness.clock.now()))
    await harness.ask()
    await harness.tap("Approve")
    await handed_over(harness)
    assert await harness.store.read(pin.challenge_of) is None
    assert await harness.store.read(pin.secret_of) is not None


async def test_what_two_pairings_took_back_is_told_together(harness: Harness) -> None:
    await harness.ask(call_id="1")
    await handed_over(harness)
    await harness.ask(call_id="2")
    await handed_over(harness)
    assert "Withdrawn, and not done: 2." in await told(harness)


async def test_many_are_counted_and_what_is_gone_is_said(harness: Harness) -> None:
    for number in range(SHOWN + 2):
        await harness.request(call_id=str(number))
        harness.clock.turn(milliseconds=1)
    await harness.write(lambda c: hand_over(c, harness.clock.now()))
    await harness.write(lambda c: c.execute(approvals_table.delete().where(approvals_table.c.call_id == "0")))
    text = await told(harness)
    assert text.count("• Sends a message") == SHOWN - 1
    assert "• something that is gone" in text
    assert "• and 2 more" in text


async def test_a_call_without_recipients_is_told_by_its_effect(harness: Harness) -> None:
    await harness.request(args={"to": [], "text": "to nobody"})
    await harness.write(lambda c: hand_over(c, harness.clock.now()))
    assert "\n• Sends a message" in await told(harness)


async def test_pausing_the_pin_and_a_new_pairing_work_on_every_database(lasting_harness: Harness) -> None:
    harness = lasting_harness
    now = harness.clock.now()
    await harness.write(lambda c: pin.set_pin(c, "4711", COMMAND_LINE, now))
    approval_id = await harness.ask()
    await harness.tap("Approve")
    challenge = await harness.store.read(pin.challenge_of)
    assert challenge is not None
    assert await harness.write(lambda c: pin.note_wrong(c, challenge, COMMAND_LINE, now)) == 2
    await harness.write(lambda c: pause(c, COMMAND_LINE, now))
    assert await harness.approvals.paused() != ""
    assert await harness.write(lambda c: resume(c, COMMAND_LINE, now)) is Resumed.LIFTED
    assert await handed_over(harness) == (1, 0)
    assert await harness.state(approval_id) == State.CANCELLED
    assert "Withdrawn, and not done: 1." in await told(harness)
