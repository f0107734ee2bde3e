"""A chat that the owner has closed to the butler: cards wait, and are sent once the owner writes again."""

from approvals.closed_chat import LOOK_AGAIN
from approvals.revise import Change, NewValue
from approvals.transition import redraw
from butler.contract.card import rich_text
from butler.store.queries import approvals, outbox
from tests.approvals.harness import Harness
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, BOT_SEND, OWN_WORDS, STRANGER


async def test_a_card_that_a_closed_chat_refused_comes_once_the_owner_is_back(harness: Harness) -> None:
    harness.channel.closed = True
    approval_id = await harness.ask()
    await harness.run()
    assert harness.channel.cards == {}
    assert await harness.state(approval_id) == "pending"
    (line,) = await harness.said()
    assert line == "While I could not write to you, something came up that waits for your yes."

    harness.channel.closed = False
    assert await harness.write(lambda c: outbox.revive(c, OWNER, harness.clock.now())) == 1
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert len(harness.channel.cards) == 1
    assert (await harness.tap("Approve")).startswith("Approved by you")


async def test_a_card_that_was_seen_is_not_sent_again_and_one_refused_twice_waits_once(harness: Harness) -> None:
    await harness.ask()
    harness.channel.closed = True
    await harness.ask(call_id="plan:2")
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert len(harness.channel.cards) == 1
    assert len(await harness.said()) == 1


async def test_a_changed_card_that_a_closed_chat_refused_comes_once_the_owner_is_back(harness: Harness) -> None:
    approval_id = await harness.ask()
    harness.channel.closed = True
    change = Change("reply-1", text=NewValue("I'll be very late", OWN_WORDS))
    await harness.write(lambda c: harness.approvals.revise(c, approval_id, 1, change, harness.clock.now()))
    await harness.run()
    harness.channel.closed = False
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert [card.body for card in harness.channel.cards.values() if card.buttons] == ["I'll be very late"]


async def test_a_yes_in_a_chat_that_closed_meanwhile_has_its_undo_once_it_is_open(harness: Harness) -> None:
    approval_id = await harness.ask()
    card = harness.channel.newest
    harness.channel.closed = True
    await harness.approvals.decide(harness.tap_of(harness.channel.button("Approve", card)))
    await harness.run()
    assert harness.channel.newest == card, "nothing was drawn there"
    ((kind, subject, due),) = [work for work in await harness.works() if work[0] == approvals.SHOW_CARD]
    assert (kind, subject, due) == (approvals.SHOW_CARD, approval_id, harness.clock.now() + LOOK_AGAIN)
    assert await harness.said() == [], "nothing new waits for a yes"

    harness.channel.closed = False
    assert await harness.store.read(lambda c: harness.approvals.waits_for(c, OWNER, harness.clock.now()))
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert [button.label for line in harness.channel.newest.buttons for button in line] == ["Undo"]
    assert len(harness.channel.cards) == 1
    assert not await harness.store.read(lambda c: harness.approvals.waits_for(c, OWNER, harness.clock.now()))


async def test_a_card_that_waits_for_a_closed_chat_is_one_row_and_is_tried_by_itself(harness: Harness) -> None:
    approval_id = await harness.ask()
    row = await harness.row(approval_id)
    harness.channel.closed = True
    for _ in range(3):
        await harness.write(lambda c: redraw(c, row, now=harness.clock.now()))
        await harness.run()
        assert [kind for kind, _, _ in await harness.works()].count(approvals.SHOW_CARD) == 1
    edits = harness.channel.edits
    harness.clock.turn(hours=1)
    await harness.run()
    assert [kind for kind, _, _ in await harness.works()].count(approvals.SHOW_CARD) == 1
    harness.channel.closed = False
    harness.clock.turn(hours=1)
    await harness.run()
    assert harness.channel.edits == edits + 1
    assert approvals.SHOW_CARD not in [kind for kind, _, _ in await harness.works()]


async def test_a_rules_card_that_a_closed_chat_would_not_change_is_changed_once_it_is_open(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    await harness.ask()
    await harness.tap("Always…")
    harness.channel.closed = True
    await harness.tap("Save rule")
    assert harness.channel.button("Save rule"), "it stands there as it was"
    harness.channel.closed = False
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert not [one for line in harness.channel.newest.buttons for one in line if one.label == "Save rule"]


async def test_what_nobody_knows_the_outcome_of_is_asked_once_the_owner_is_back(harness: Harness) -> None:
    await harness.know("Anna", ANNA)
    harness.channel.closed = True
    harness.provider.script.append(RuntimeError())
    approval_id = await harness.ask(BOT_SEND)
    assert await harness.state(approval_id) == "unknown"
    assert harness.channel.cards == {}
    harness.channel.closed = False
    await harness.write(lambda c: harness.approvals.show_unseen(c, harness.clock.now()))
    await harness.run()
    assert (await harness.tap("It was done")).startswith("Marked as sent by you")


async def test_a_reply_finds_the_card_that_waits_and_no_other_message(harness: Harness) -> None:
    await harness.ask()
    (message_id,) = harness.channel.cards
    assert await harness.store.read(lambda c: harness.approvals.shown_at(c, OWNER, message_id)) is not None
    assert await harness.store.read(lambda c: harness.approvals.shown_at(c, OWNER, "999")) is None
    assert await harness.store.read(lambda c: harness.approvals.shown_at(c, STRANGER, message_id)) is None


async def test_a_strangers_guess_before_pairing_is_told_to_nobody(harness: Harness) -> None:
    harness.owner.telegram_user_id = None
    harness.channel.home_chat = None
    await harness.approvals.decide(harness.tap_of("a:guess", sender=STRANGER))
    assert await harness.said() == []


async def test_a_strangers_tap_on_a_decided_card_changes_nothing(harness: Harness) -> None:
    await harness.ask()
    card = harness.channel.newest
    await harness.tap("Deny")
    edits = harness.channel.edits
    await harness.tap("Approve", card, sender=STRANGER)
    assert harness.channel.edits == edits
    assert "Somebody else" not in rich_text(harness.channel.newest.outcome)
