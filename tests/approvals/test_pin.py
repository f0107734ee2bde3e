"""The PIN: required for the highest risk, typed once, checked before it is stored, and never stored."""

import asyncio
from typing import Any

import pytest
import sqlalchemy as sa

from approvals import pin
from approvals.decide import TAKES_PIN, decide_one, yes_held
from approvals.frozen import sha256
from approvals.pause import COMMAND_LINE
from approvals.pause import pause as set_pause
from approvals.pin_redactor import PinRedactor, digits_in
from approvals.states import State, Verb
from butler.contract.card import Button
from butler.contract.errors import Refuse
from butler.contract.inbound import Inbound, InboundKind
from butler.engine import LocalEngine
from butler.sink import StoreSink
from butler.store.queries import audit, buttons, inbox
from butler.store.queries.inbox import InboxState
from butler.store.tables import metadata
from tests.approvals.chat_input import chat_message
from tests.approvals.harness import Harness, card_text
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, STRANGER

PIN = "918273645012"
"""Long enough not to occur in a hash by chance."""
WRONG = "111222333444"
ASKED = "Type your PIN as a message; it will be deleted."
WHAT = "Sends a message (to Telegram 1002): “I'll be late”"


@pytest.fixture
async def guarded(harness: Harness) -> Harness:
    """A harness with a PIN, and a card of the highest risk: it acts as the owner towards a stranger."""
    await harness.write(lambda c: pin.set_pin(c, PIN, COMMAND_LINE, harness.clock.now()))
    return harness


async def came_in(harness: Harness, item: Inbound) -> Inbound:
    """Put an item through the sink into the inbox, as a source does; return the stored item."""
    engine = LocalEngine(harness.store, harness.clock)
    redact = PinRedactor(harness.store, harness.owner, harness.clock)
    assert await StoreSink(harness.store, harness.clock, engine, redact=redact.redact).put(item)
    found = await harness.store.read(lambda c: inbox.get(c, item.inbound_id))
    assert found is not None
    return found[0]


async def typed(harness: Harness, text: str, **more: Any) -> str:
    """Type text that must be taken for a PIN; return the answer."""
    item = await came_in(harness, chat_message(text, **more))
    assert (item.text, item.segments) == ("", ())
    await harness.approvals.pin_typed(item)
    await harness.run()
    return (await harness.said())[-1]


async def stored(harness: Harness) -> str:
    """Return every value of every table."""

    def dump(connection: sa.Connection) -> str:
        return "\n".join(
            str(tuple(row)) for table in metadata.sorted_tables for row in connection.execute(table.select())
        )

    return await harness.store.read(dump)


async def kinds(harness: Harness) -> list[str]:
    rows = await harness.store.read(audit.rows)
    return [row.kind for row in reversed(rows) if row.kind.startswith("pin.")]


async def test_a_yes_of_the_highest_risk_takes_the_pin_and_goes_on_as_any_yes(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    assert await guarded.tap("Approve") == ASKED
    assert not guarded.channel.answers[-1][2]
    assert (await guarded.said())[-1] == f"{ASKED} I wait for 5 minutes. It approves this: {WHAT}."
    assert await guarded.state(approval_id) == State.PENDING
    told = await typed(guarded, f" {PIN} ")
    assert told == "Approved by you at 12:00:00 on 5 March 2026. Sending in 10 s. Undo is on its card."
    assert "Undo" in [button.label for line in guarded.channel.newest.buttons for button in line]
    assert len(guarded.channel.deleted) == 1
    await guarded.after_undo_window()
    row = await guarded.row(approval_id)
    assert (row.state, row.decided_by) == (State.DONE, OWNER)
    assert await kinds(guarded) == ["pin.set", "pin.asked", "pin.right"]


async def test_where_a_yes_cannot_be_undone_the_answer_names_no_undo(guarded: Harness) -> None:
    guarded.configure(undo_window="0s")
    await guarded.ask()
    await guarded.tap("Approve")
    assert await typed(guarded, PIN) == "Approved by you at 12:00:00 on 5 March 2026. Sending now."


async def test_what_is_not_of_the_highest_risk_takes_no_pin(guarded: Harness) -> None:
    await guarded.know("Anna", ANNA)
    approval_id = await guarded.approved()
    assert await guarded.state(approval_id) == State.APPROVED


async def test_without_a_pin_set_none_is_asked_for(harness: Harness) -> None:
    approval_id = await harness.approved()
    assert (await harness.row(approval_id)).risk == "highest"
    assert await harness.state(approval_id) == State.APPROVED


async def test_a_no_takes_no_pin(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Deny")
    assert await guarded.state(approval_id) == State.DENIED


async def test_the_digits_are_stored_nowhere_whatever_becomes_of_them(guarded: Harness) -> None:
    await guarded.ask()
    await guarded.tap("Approve")
    for text in (WRONG, f"{PIN[:6]} {PIN[6:]}"):
        await typed(guarded, text, payload={"album": text}, kind=InboundKind.EDITED)
    dump = await stored(guarded)
    assert "Approved by you" in dump
    for digits in (PIN, WRONG, PIN[:6], PIN[6:]):
        assert digits not in dump


async def test_a_right_pin_works_once(guarded: Harness) -> None:
    await guarded.ask()
    button = guarded.channel.button("Approve")
    await guarded.tap("Approve")
    await typed(guarded, PIN)
    again = await came_in(guarded, chat_message(PIN))
    assert again.text == PIN, "nothing is asked for, so these are words like any others"
    answer = await guarded.approvals.decide(guarded.tap_of(button))
    assert answer.text.startswith("Already decided.")


async def test_after_a_crash_between_intake_and_decision_the_decision_is_made(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    item = await came_in(guarded, chat_message(PIN))
    guarded.restart()
    assert PIN not in await stored(guarded)
    await guarded.approvals.pin_typed(item)
    await guarded.approvals.pin_typed(item)
    assert await guarded.state(approval_id) == State.APPROVED
    assert (await guarded.said())[-1].startswith("Approved by you")
    assert len([text for text in await guarded.said() if text.startswith("Approved")]) == 1


async def test_the_challenge_outlives_a_restart(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    guarded.restart()
    await typed(guarded, PIN)
    assert await guarded.state(approval_id) == State.APPROVED


async def test_three_wrong_ones_lock_the_pin_and_the_card_still_waits(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    assert await typed(guarded, WRONG) == "That is not your PIN. You can try twice more."
    assert await typed(guarded, WRONG) == "That is not your PIN. You can try once more."
    assert "It is locked for 15 minutes, and nothing was done." in await typed(guarded, WRONG)
    locked = "Your PIN is locked until 12:15:00 on 5 March 2026. Nothing was done."
    assert await typed(guarded, PIN) == locked, "it is kept out of sight all the same"
    assert await guarded.tap("Approve") == locked
    assert await guarded.state(approval_id) == State.PENDING
    assert await kinds(guarded) == ["pin.set", "pin.asked", *["pin.wrong"] * 3, "pin.locked"]
    guarded.restart()
    guarded.clock.turn(minutes=15)
    assert await guarded.tap("Approve") == ASKED
    assert await typed(guarded, WRONG) == "That is not your PIN. You can try twice more."
    await typed(guarded, PIN)
    assert await guarded.state(approval_id) == State.APPROVED


async def test_a_new_tap_gives_no_new_tries(guarded: Harness) -> None:
    await guarded.ask()
    for told in ("twice", "once", "locked"):
        await guarded.tap("Approve")
        assert told in await typed(guarded, WRONG)


async def test_tries_that_came_in_at_once_are_not_more_than_three(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    items = [await came_in(guarded, chat_message(text)) for text in (WRONG, WRONG, WRONG, PIN)]
    for item in items:
        await guarded.approvals.pin_typed(item)
    assert await guarded.state(approval_id) == State.PENDING
    assert (await guarded.said())[-1].startswith("Your PIN is locked")


async def test_a_pin_that_comes_too_late_is_not_looked_at_and_not_kept(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    guarded.clock.turn(minutes=5)
    assert "I am not waiting for your PIN any more" in await typed(guarded, PIN)
    assert PIN not in await stored(guarded)
    assert await guarded.state(approval_id) == State.PENDING
    guarded.clock.turn(minutes=15)
    assert (await came_in(guarded, chat_message("1830"))).text == "1830"


async def test_a_pin_that_waited_too_long_for_its_turn_decides_nothing(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    item = await came_in(guarded, chat_message(PIN))
    guarded.clock.turn(minutes=6)
    await guarded.approvals.pin_typed(item)
    assert "did nothing" in (await guarded.said())[-1]
    assert await guarded.state(approval_id) == State.PENDING


async def test_a_pin_counts_for_the_card_it_was_typed_for_only(guarded: Harness) -> None:
    first = await guarded.ask(call_id="1")
    await guarded.tap("Approve")
    item = await came_in(guarded, chat_message(PIN))
    second = await guarded.ask(call_id="2")
    await guarded.tap("Approve")
    await guarded.approvals.pin_typed(item)
    assert [await guarded.state(approval_id) for approval_id in (first, second)] == [State.PENDING, State.PENDING]


async def test_other_words_are_chat_and_the_challenge_stays(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    for item in (
        chat_message("what is this?"),
        chat_message("PIN 12"),
        chat_message(PIN, sender=STRANGER),
        chat_message(WRONG, chat="telegram:-100"),
        chat_message(PIN, kind=InboundKind.COMMAND),
    ):
        assert (await came_in(guarded, item)).text == item.text
    await typed(guarded, PIN)
    assert await guarded.state(approval_id) == State.APPROVED


async def test_a_pin_in_another_chat_than_the_asked_one_decides_nothing_and_is_not_kept(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    told = await typed(guarded, PIN, chat="telegram:-100")
    assert told == "I took that for your PIN, so I did not keep it. I wait for it in our own chat."
    assert await guarded.state(approval_id) == State.PENDING
    await typed(guarded, PIN)
    assert await guarded.state(approval_id) == State.APPROVED


async def test_digits_that_nobody_asked_for_are_chat(guarded: Harness) -> None:
    assert (await came_in(guarded, chat_message("1830"))).text == "1830"


@pytest.mark.parametrize("why", ["offline", "may_not_delete"])
async def test_a_message_that_cannot_be_deleted_is_told_and_the_decision_stands(guarded: Harness, why: str) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    item = await came_in(guarded, chat_message(PIN))
    setattr(guarded.channel, why, True)
    await guarded.approvals.pin_typed(item)
    told = (await guarded.said())[-1]
    assert told.endswith("I could not delete the message with your PIN just now: please see that it is gone.")
    assert await guarded.state(approval_id) == State.APPROVED


async def test_in_a_group_the_pin_is_asked_for_where_nobody_else_reads(guarded: Harness) -> None:
    group = "telegram:-4001"
    approval_id = await guarded.ask(chat=group)
    answer = await guarded.approvals.decide(guarded.tap_of(guarded.channel.button("Approve"), chat=group))
    assert answer.text == ASKED
    assert (await came_in(guarded, chat_message("4711", chat=group))).text == "4711"
    await typed(guarded, PIN)
    assert await guarded.state(approval_id) == State.APPROVED


async def test_in_a_topic_of_the_owners_own_chat_it_is_asked_for_right_there(guarded: Harness) -> None:
    topic = f"{OWNER}:7"
    approval_id = await guarded.ask(chat=topic)
    await guarded.approvals.decide(guarded.tap_of(guarded.channel.button("Approve"), chat=topic))
    await typed(guarded, PIN, chat=topic)
    assert await guarded.state(approval_id) == State.APPROVED


async def test_a_card_that_was_decided_meanwhile_says_how(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    await guarded.tap("Deny")
    assert (await typed(guarded, PIN)).startswith("Denied by you")
    assert await guarded.state(approval_id) == State.DENIED


async def test_a_card_that_was_paused_meanwhile_waits(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    await guarded.write(lambda c: set_pause(c, OWNER, guarded.clock.now()))
    assert await guarded.tap("Approve") == "What acts as you is paused; /resume first. This still waits for you."
    assert await typed(guarded, PIN) == "This cannot be approved now; it still waits for you."
    assert await guarded.state(approval_id) == State.PENDING


async def test_a_card_whose_button_is_gone_is_not_approved_by_the_pin_for_it(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    button = guarded.channel.button("Approve")
    await guarded.tap("Approve")
    nonce = pin_nonce(button)
    await guarded.write(lambda c: buttons.use(c, nonce, guarded.clock.now()))
    assert await typed(guarded, PIN) == "The card has changed since you tapped Approve, so nothing was done."
    assert await guarded.state(approval_id) == State.PENDING


def pin_nonce(button: Button) -> str:
    return sha256(button.data.removeprefix("a:"))


async def test_an_answer_by_mail_or_to_many_at_once_gives_no_yes_that_takes_the_pin(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    row = await guarded.row(approval_id)
    now = guarded.clock.now()
    assert await guarded.store.read(lambda c: yes_held(c, row)) == TAKES_PIN
    assert not await guarded.write(lambda c: decide_one(guarded.context, c, row, Verb.APPROVE, OWNER, now))
    assert await guarded.write(lambda c: decide_one(guarded.context, c, row, Verb.DENY, OWNER, now))


async def test_resume_takes_the_pin(guarded: Harness) -> None:
    now = guarded.clock.now()
    resume = chat_message("/resume", kind=InboundKind.COMMAND, payload={"name": "resume", "rest": ""})
    await guarded.write(lambda c: set_pause(c, OWNER, now))
    assert await guarded.write(lambda c: guarded.approvals.resume(c, resume, now)) == ""
    assert (await guarded.said())[-1] == f"{ASKED} I wait for 5 minutes. It lifts the pause."
    assert await guarded.approvals.paused() != ""
    for _ in range(3):
        await typed(guarded, WRONG)
    assert "locked until" in await guarded.write(lambda c: guarded.approvals.resume(c, resume, now))
    guarded.clock.turn(minutes=15)
    await guarded.write(lambda c: guarded.approvals.resume(c, resume, guarded.clock.now()))
    assert "may be done again" in await typed(guarded, PIN)
    assert await guarded.approvals.paused() == ""


async def test_what_the_command_line_paused_asks_for_no_pin(guarded: Harness) -> None:
    now = guarded.clock.now()
    await guarded.write(lambda c: set_pause(c, COMMAND_LINE, now))
    resume = chat_message("/resume", kind=InboundKind.COMMAND, payload={"name": "resume", "rest": ""})
    assert "only be lifted there" in await guarded.write(lambda c: guarded.approvals.resume(c, resume, now))


@pytest.mark.parametrize("wrong", ["123", "1234567890123", "12a4", "", "１２３４", "12 34"])
async def test_a_pin_is_four_to_twelve_digits(harness: Harness, wrong: str) -> None:
    with pytest.raises(Refuse, match="4 to 12 digits"):
        await harness.write(lambda c: pin.set_pin(c, wrong, COMMAND_LINE, harness.clock.now()))


async def test_a_pin_is_stored_as_a_hash_with_a_salt_of_its_own(harness: Harness) -> None:
    secrets: list[pin.Secret] = []
    for _ in range(2):
        await harness.write(lambda c: pin.set_pin(c, PIN, COMMAND_LINE, harness.clock.now()))
        found = await harness.store.read(pin.secret_of)
        assert found is not None
        secrets.append(found)
    assert secrets[0] != secrets[1]
    assert await asyncio.to_thread(secrets[0].matches, PIN)
    assert not await asyncio.to_thread(secrets[0].matches, WRONG)


async def test_a_pin_that_is_cleared_or_set_anew_ends_its_challenge_and_its_lock(guarded: Harness) -> None:
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    for _ in range(3):
        await typed(guarded, WRONG)
    await guarded.write(lambda c: pin.set_pin(c, WRONG, COMMAND_LINE, guarded.clock.now()))
    await guarded.tap("Approve")
    await typed(guarded, WRONG)
    assert await guarded.state(approval_id) == State.APPROVED
    assert await guarded.write(lambda c: pin.clear_pin(c, COMMAND_LINE, guarded.clock.now()))
    assert not await guarded.write(lambda c: pin.clear_pin(c, COMMAND_LINE, guarded.clock.now()))
    assert await guarded.store.read(pin.secret_of) is None


async def test_a_challenge_that_was_dropped_answers_nothing(guarded: Harness) -> None:
    """Close it as a new pairing does."""
    approval_id = await guarded.ask()
    await guarded.tap("Approve")
    item = await came_in(guarded, chat_message(PIN))
    await guarded.write(lambda c: pin.drop_challenge(c, guarded.clock.now()))
    await guarded.approvals.pin_typed(item)
    assert "did nothing" in (await guarded.said())[-1]
    assert await guarded.state(approval_id) == State.PENDING
    found = await guarded.store.read(lambda c: inbox.get(c, item.inbound_id))
    assert found is not None
    assert found[1] is InboxState.DONE


async def test_a_button_that_was_used_asks_for_nothing(guarded: Harness) -> None:
    await guarded.ask()
    button = guarded.channel.button("Approve")
    await guarded.tap("Approve")
    await typed(guarded, PIN)
    await guarded.tap("Undo")
    answer = await guarded.approvals.decide(guarded.tap_of(button))
    assert "Undone at" in answer.text
    assert "Undone at" in card_text(guarded.channel.newest)


@pytest.mark.parametrize("named", ["PIN", "my pin:", "Meine PIN", "code PIN :", "mon code PIN", "mi PIN,"])
def test_a_pin_is_known_by_its_name_in_every_language_that_is_spoken(named: str) -> None:
    assert digits_in(f"{named} {PIN}") == PIN
