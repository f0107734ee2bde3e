"""A new pairing takes back what the old account could have set going, and tells the new one."""

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
from tests.approvals.house import House, card_text
from tests.approvals.providers import BOT_SEND, fault
from tests.approvals.second import Killed
from tests.approvals.standing_world import saved

NEW = "telegram:43"


async def handed_over(house: House) -> tuple[int, int]:
    done = await house.write(lambda c: hand_over(c, house.clock.now()))
    house.owner.telegram_user_id = 43
    house.channel.home_chat = NEW
    await house.run()
    return done


async def told(house: House) -> str:
    return await house.write(lambda c: house.approvals.withdrawn(c, house.clock.now()))


async def test_cards_acts_and_rules_are_taken_back_and_told_once(house: House) -> None:
    await saved(house)
    made_from = (await house.store.read(lambda c: rules.in_state(c, RuleState.ACTIVE)))[0].made_from
    bots = await house.ask(BOT_SEND, call_id="2", args={"to": ["mail:x@x.example"], "text": "hello"})
    passed = (await house.request(call_id="1")).approval_id
    assert passed is not None
    assert await handed_over(house) == (3, 1)
    for approval_id in (made_from, passed, bots):
        row = await house.row(approval_id)
        assert (row.state, details_in_words(row.detail)) == (State.CANCELLED, "Butler was paired anew")
    assert sum("Stopped at" in card_text(card) for card in house.channel.cards.values()) == 3
    rule = await house.store.read(lambda c: rules.by_number(c, 1))
    assert rule is not None
    assert rule.state == RuleState.DISABLED
    await house.after_undo_window()
    assert house.provider.calls == []
    house.restart()
    text = await told(house)
    assert "Withdrawn, and not done: 3." in text
    assert "• Sends a message – to telegram:1002" in text
    assert "Standing rules put out of force: 1." in text
    assert await told(house) == ""
    assert await house.store.read(audit.verify) is None


async def test_the_old_accounts_taps_are_foreign_and_a_found_button_is_dead(house: House) -> None:
    approval_id = await house.ask()
    button = house.channel.button("Approve")
    await handed_over(house)
    assert (await house.approvals.decide(house.tap_of(button))).tapped == "foreign"
    assert (await house.approvals.decide(house.tap_of(button, sender=NEW, chat=NEW))).tapped == "unknown"
    assert await house.state(approval_id) == State.CANCELLED


async def test_what_nobody_knows_the_end_of_is_shown_to_the_new_account(house: House) -> None:
    house.provider.script = [fault(IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)]
    approval_id = await house.approved()
    await house.after_undo_window()
    assert await house.state(approval_id) == State.UNKNOWN
    assert await handed_over(house) == (0, 0)
    await house.approvals.decide(house.tap_of(house.channel.button("It was done"), sender=NEW, chat=NEW))
    assert await house.state(approval_id) == State.DONE
    assert "Nothing was waiting or under way." in await told(house)


async def test_what_is_under_way_ends_as_it_ends_and_is_shown_to_the_new_account(house: House) -> None:
    approval_id = await house.approved()
    house.provider.die = "after"
    with pytest.raises(Killed):
        await house.after_undo_window()
    house.restart()
    await handed_over(house)
    row = await house.row(approval_id)
    assert (row.state, row.chat) == (State.UNKNOWN, "")
    assert "It was done" in str(house.channel.newest.buttons)


async def test_an_open_challenge_is_dropped(house: House) -> None:
    await house.write(lambda c: pin.set_pin(c, "4711", COMMAND_LINE, house.clock.now()))
    await house.ask()
    await house.tap("Approve")
    await handed_over(house)
    assert await house.store.read(pin.challenge_of) is None
    assert await house.store.read(pin.secret_of) is not None


async def test_what_two_pairings_took_back_is_told_together(house: House) -> None:
    await house.ask(call_id="1")
    await handed_over(house)
    await house.ask(call_id="2")
    await handed_over(house)
    assert "Withdrawn, and not done: 2." in await told(house)


async def test_many_are_counted_and_what_is_gone_is_said(house: House) -> None:
    for number in range(SHOWN + 2):
        await house.request(call_id=str(number))
        house.clock.turn(milliseconds=1)
    await house.write(lambda c: hand_over(c, house.clock.now()))
    await house.write(lambda c: c.execute(approvals_table.delete().where(approvals_table.c.call_id == "0")))
    text = await told(house)
    assert text.count("• Sends a message") == SHOWN - 1
    assert "• something that is gone" in text
    assert "• and 2 more" in text


async def test_a_call_without_recipients_is_told_by_its_effect(house: House) -> None:
    await house.request(args={"to": [], "text": "to nobody"})
    await house.write(lambda c: hand_over(c, house.clock.now()))
    assert "\n• Sends a message" in await told(house)


async def test_pausing_the_pin_and_a_new_pairing_work_on_every_database(lasting_house: House) -> None:
    house = lasting_house
    now = house.clock.now()
    await house.write(lambda c: pin.set_pin(c, "4711", COMMAND_LINE, now))
    approval_id = await house.ask()
    await house.tap("Approve")
    challenge = await house.store.read(pin.challenge_of)
    assert challenge is not None
    assert await house.write(lambda c: pin.note_wrong(c, challenge, COMMAND_LINE, now)) == 2
    await house.write(lambda c: pause(c, COMMAND_LINE, now))
    assert await house.approvals.paused() != ""
    assert await house.write(lambda c: resume(c, COMMAND_LINE, now)) is Resumed.LIFTED
    assert await handed_over(house) == (1, 0)
    assert await house.state(approval_id) == State.CANCELLED
    assert "Withdrawn, and not done: 1." in await told(house)
