"""/pending: lists pending approvals, each with a button that moves its card down."""
# names: made up here

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from approvals.card import REPLACED, SHOWN_BELOW
from approvals.pending_list import NO_UNDO, NONE, PAGE, UNDO_IS_ON_CARDS, UNDO_IS_THERE
from approvals.summary_lines import beginning
from butler.contract.card import Button, Card, OwnerMessage, rich_text
from butler.contract.inbound import Inbound, InboundKind
from butler.contract.names import Identity
from butler.contract.provenance import Origin
from butler.contract.tools import Preview
from butler.store.queries import approvals, inbox
from butler.store.tables import approvals as approvals_table
from tests.approvals.approval_batch_harness import OWN, ask_many, newest_batch
from tests.approvals.harness import Harness
from tests.approvals.phone import NOON, OWNER
from tests.approvals.providers import ANNA, BOT_SEND, MAIL, STRANGER
from tests.approvals.second_channel import Killed
from tests.approvals.test_revise import text

ELSEWHERE = "telegram:-1005"


async def listed(harness: Harness, chat: str = OWNER) -> list[OwnerMessage]:
    """Send /pending; return the resulting messages. Sending it twice makes no difference."""
    before = len(await harness.messages())
    for _ in range(2):
        await harness.write(lambda c: harness.approvals.say_pending(c, chat, f"turn:{before}", harness.clock.now()))
    return (await harness.messages())[before:]


def buttons(message: OwnerMessage) -> dict[str, Button]:
    return {button.label: button for line in message.buttons for button in line}


async def show(harness: Harness, message: OwnerMessage, label: str = "Show 1", **more: Any) -> str:
    answer = await harness.approvals.decide(harness.tap_of(buttons(message)[label], **more))
    await harness.run()
    return answer.text


def outcomes(harness: Harness) -> list[str]:
    return [rich_text(card.outcome) for card in harness.channel.cards.values()]


def tappable(harness: Harness) -> list[bool]:
    return [bool(card.buttons) for card in harness.channel.cards.values()]


async def test_where_nothing_waits_that_is_said(harness: Harness) -> None:
    (message,) = await listed(harness)
    assert rich_text(message.text) == NONE
    assert not message.buttons


async def test_each_line_says_what_waits_to_whom_it_goes_and_how_it_begins(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    harness.clock.turn(seconds=1)
    await harness.ask(MAIL, args={"to": ["mail:a\u202eb@x.example"], "text": "one\ntwo " + "x" * 100}, call_id="c2")
    (message,) = await listed(harness)
    line = f"2. Sends a message (to a[U+202E]b@x.example): “one two {'x' * 71}…”"
    assert rich_text(message.text) == (
        f"2 waiting for your yes:\n1. Sends a message (to Anna at Telegram 1002): “I'll be late”\n{line}\n"
        "Nothing is done without your yes. Show brings a card down here."
    )
    assert list(buttons(message)) == ["Show 1", "Show 2"]


async def test_many_that_wait_are_several_messages_with_at_most_eight_buttons_each(harness: Harness) -> None:
    row = await harness.row(await harness.ask())
    for number in range(2, PAGE + 3):
        at = NOON + timedelta(seconds=number)
        more = replace(row, approval_id=f"a-{number}", call_id=f"c-{number}", created_at=at)
        await harness.write(lambda c, more=more: approvals.insert(c, more))
    one, two = await listed(harness)
    assert [len(line) for line in one.buttons] == [4, 4]
    assert list(buttons(two)) == ["Show 9", "Show 10"]
    assert rich_text(two.text).startswith("9. Sends")
    assert "Nothing is done" not in rich_text(one.text)
    assert await show(harness, two, "Show 10") == ""
    assert harness.channel.newest.approval_id == "a-10"


async def test_a_card_is_brought_down_as_a_new_message_with_buttons_that_work(harness: Harness) -> None:
    approval_id = await harness.ask()
    (message,) = await listed(harness)
    assert await show(harness, message) == ""
    assert (outcomes(harness), tappable(harness)) == ([SHOWN_BELOW, ""], [False, True])
    assert list(harness.channel.replies.values())[-1] is None
    old = next(iter(harness.channel.cards.values()))
    assert (old.body, old.expires_at) == ("I'll be late", None)
    await harness.tap("Approve")
    await harness.after_undo_window()
    assert await harness.state(approval_id) == "done"
    assert [text.partition(" ")[0] for text in outcomes(harness)] == ["Shown", "Sent"]


async def test_each_button_brings_a_card_down_once_and_a_new_list_has_new_ones(harness: Harness) -> None:
    await harness.ask()
    (message,) = await listed(harness)
    await show(harness, message)
    assert await show(harness, message) == "You have tapped this before. /pending has new buttons."
    assert len(harness.channel.cards) == 2
    (again,) = await listed(harness)
    await show(harness, again)
    assert outcomes(harness) == [SHOWN_BELOW, SHOWN_BELOW, ""]


async def test_the_first_message_of_a_card_answers_what_asked_for_it_and_the_next_one_nothing(harness: Harness) -> None:
    asked = Inbound(
        inbound_id="in-1",
        kind=InboundKind.CHAT,
        channel="telegram",
        identity=Identity.BOT,
        account="bot",
        dedup_key="in-1",
        chat=OWNER,
        sender=OWNER,
        message_ref="7",
        received_at=NOON,
        origin=Origin.owner(OWNER),
    )
    await harness.write(lambda c: inbox.add(c, asked))
    await harness.ask()
    (message,) = await listed(harness)
    await show(harness, message)
    assert list(harness.channel.replies.values()) == ["7", None]


async def test_what_was_decided_or_expired_meanwhile_is_not_shown_and_that_is_said(harness: Harness) -> None:
    await harness.ask()
    (message,) = await listed(harness)
    await harness.tap("Deny")
    assert (await show(harness, message)).startswith("This no longer waits. Denied by you at 12:00:00")
    await harness.ask(call_id="c2")
    (message,) = await listed(harness)
    harness.clock.turn(hours=48)
    assert (await show(harness, message)).startswith("This no longer waits.")
    await harness.write(lambda c: c.execute(approvals_table.delete()))
    assert (await show(harness, message)).startswith("I do not know this button")
    assert len(harness.channel.cards) == 2


async def test_a_strangers_tap_brings_nothing_down(harness: Harness) -> None:
    await harness.ask()
    (message,) = await listed(harness)
    assert await show(harness, message, sender=STRANGER) == "This is not yours to decide. Nothing was done."
    assert len(harness.channel.cards) == 1


async def test_a_card_of_another_chat_is_shown_there_and_that_is_said(harness: Harness) -> None:
    await harness.ask(chat=ELSEWHERE)
    (message,) = await listed(harness)
    assert await show(harness, message) == "Shown in the chat that it belongs to."
    assert outcomes(harness) == [SHOWN_BELOW, ""]


async def test_a_card_that_was_changed_since_is_shown_as_it_is_and_its_older_messages_say_what_replaced_them(
    harness: Harness,
) -> None:
    approval_id = await harness.ask()
    (message,) = await listed(harness)
    later = text("Later")
    await harness.write(lambda c: harness.approvals.revise(c, approval_id, 1, later, harness.clock.now()))
    await harness.run()
    await show(harness, message)
    assert outcomes(harness) == [REPLACED, SHOWN_BELOW, ""]
    assert harness.channel.newest.body == "Later"


@pytest.mark.parametrize("when", ["before", "after"])
async def test_a_crash_while_a_card_is_brought_down_loses_no_card(harness: Harness, when: str) -> None:
    approval_id = await harness.ask()
    (message,) = await listed(harness)
    harness.channel.die = when
    with pytest.raises(Killed):
        await show(harness, message)
    harness.restart()
    await harness.run()
    assert outcomes(harness)[0] == SHOWN_BELOW
    assert tappable(harness) == [False, *([True] * (len(harness.channel.cards) - 1))]
    await harness.tap("Approve")
    assert await harness.state(approval_id) == "approved"


async def test_a_card_that_could_not_be_shown_in_a_closed_chat_is_sent_when_it_opens(harness: Harness) -> None:
    await harness.ask()
    (message,) = await listed(harness)
    harness.channel.closed = True
    await show(harness, message)
    assert tappable(harness) == [True]
    harness.channel.closed = False
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert (outcomes(harness), tappable(harness)) == ([SHOWN_BELOW, ""], [False, True])


async def test_a_member_of_a_digest_is_shown_on_the_digest_which_comes_down(harness: Harness) -> None:
    ids = await ask_many(harness, 6)
    assert (await newest_batch(harness)).showing == ids[3]
    (message,) = await listed(harness)
    assert await show(harness, message, "Show 6") == ""
    newest: Card = harness.channel.newest
    assert (newest.approval_id, newest.body) == (ids[-1], "Message number 6")
    assert len(harness.channel.cards) == 4
    assert len(harness.channel.deleted) == 1


async def test_what_is_held_back_in_quiet_hours_is_shown_when_the_owner_asks_for_it_on_a_card_of_its_own(
    harness: Harness,
) -> None:
    ids = await ask_many(harness, OWN)
    harness.configure(quiet_hours="22:00-07:00")
    harness.clock.time = NOON.replace(hour=23)
    approval_id = await harness.ask(args={"to": [ANNA], "text": "at night"}, call_id="night")
    assert len(harness.channel.cards) == len(ids)
    (message,) = await listed(harness)
    await show(harness, message, "Show 4")
    assert harness.channel.newest.approval_id == approval_id
    assert (await harness.row(approval_id)).batch_id is None


async def undoable(harness: Harness) -> OwnerMessage:
    key = f"undo:{len(await harness.messages())}"
    for _ in range(2):
        await harness.write(lambda c: harness.approvals.say_undoable(c, OWNER, key, harness.clock.now()))
    return (await harness.messages())[-1]


async def test_where_nothing_can_be_undone_that_is_said_with_what_waits(harness: Harness) -> None:
    assert rich_text((await undoable(harness)).text) == NO_UNDO
    await harness.ask()
    message = await undoable(harness)
    assert rich_text(message.text) == f"{NO_UNDO} 1 waiting for your yes: /pending shows them."
    assert not message.buttons


async def test_what_is_approved_and_not_begun_is_listed_and_its_card_brought_down_with_undo(harness: Harness) -> None:
    approval_id = await harness.approved()
    message = await undoable(harness)
    assert rich_text(message.text) == (
        "1 approved and not begun:\n1. Sends a message (to Telegram 1002): “I'll be late”\n"
        f"{UNDO_IS_THERE} Show brings a card down here."
    )
    assert await show(harness, message) == ""
    assert tappable(harness) == [False, True]
    await harness.tap("Undo")
    assert await harness.state(approval_id) == "cancelled"
    assert "no longer waits" in await show(harness, await undoable_after(harness, message))


async def undoable_after(harness: Harness, message: OwnerMessage) -> OwnerMessage:
    """The list as it was: nothing can be undone any more."""
    assert rich_text((await undoable(harness)).text) == NO_UNDO
    return message


async def test_a_list_of_what_the_butler_does_in_its_own_name_does_not_say_that_stop_stops_it(harness: Harness) -> None:
    await harness.approved(tool=BOT_SEND, args={"to": [STRANGER], "text": "hello"})
    assert rich_text((await undoable(harness)).text).endswith(f"{UNDO_IS_ON_CARDS} Show brings a card down here.")


async def test_what_only_a_card_of_several_shows_is_undone_there(harness: Harness) -> None:
    await ask_many(harness, OWN + 2)
    await harness.tap("Approve this")
    message = await undoable(harness)
    before = len(harness.channel.cards)
    assert await show(harness, message) == "Undo is on the card that shows several."
    assert len(harness.channel.cards) == before


def test_a_line_about_an_act_without_a_text_says_what_it_is_about() -> None:
    shown = Preview("Changes a card", facts=(("Note", ""), ("Card", "Buy paint"), ("Board", "Home")))
    assert beginning(shown) == ": “Buy paint”"
    assert beginning(Preview("Lists all")) == ""
