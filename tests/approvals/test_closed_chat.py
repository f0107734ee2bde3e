"""A chat that the owner has closed to the butler: cards wait there, and come once the owner writes again."""

from approvals.closed_chat import LOOK_AGAIN
from approvals.revise import Change, Put
from approvals.transition import redraw
from butler.contract.card import rich_text
from butler.store.queries import approvals, outbox
from tests.approvals.house import House
from tests.approvals.phone import OWNER
from tests.approvals.providers import ANNA, BOT_SEND, OWN_WORDS, STRANGER


async def test_a_card_that_a_closed_chat_refused_comes_once_the_owner_is_back(house: House) -> None:
    house.channel.closed = True
    approval_id = await house.ask()
    await house.run()
    assert house.channel.cards == {}
    assert await house.state(approval_id) == "pending"
    (line,) = await house.said()
    assert line == "While I could not write to you, something came up that waits for your yes."

    house.channel.closed = False
    assert await house.write(lambda c: outbox.revive(c, OWNER, house.clock.now())) == 1
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert len(house.channel.cards) == 1
    assert (await house.tap("Approve")).startswith("Approved by you")


async def test_a_card_that_was_seen_is_not_sent_again_and_one_refused_twice_waits_once(house: House) -> None:
    await house.ask()
    house.channel.closed = True
    await house.ask(call_id="plan:2")
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert len(house.channel.cards) == 1
    assert len(await house.said()) == 1


async def test_a_changed_card_that_a_closed_chat_refused_comes_once_the_owner_is_back(house: House) -> None:
    approval_id = await house.ask()
    house.channel.closed = True
    change = Change("reply-1", text=Put("I'll be very late", OWN_WORDS))
    await house.write(lambda c: house.approvals.revise(c, approval_id, 1, change, house.clock.now()))
    await house.run()
    house.channel.closed = False
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert [card.body for card in house.channel.cards.values() if card.buttons] == ["I'll be very late"]


async def test_a_yes_in_a_chat_that_closed_meanwhile_has_its_undo_once_it_is_open(house: House) -> None:
    approval_id = await house.ask()
    card = house.channel.newest
    house.channel.closed = True
    await house.approvals.decide(house.tap_of(house.channel.button("Approve", card)))
    await house.run()
    assert house.channel.newest == card, "nothing was drawn there"
    ((kind, subject, due),) = [work for work in await house.works() if work[0] == approvals.SHOW_CARD]
    assert (kind, subject, due) == (approvals.SHOW_CARD, approval_id, house.clock.now() + LOOK_AGAIN)
    assert await house.said() == [], "nothing new waits for a yes"

    house.channel.closed = False
    assert await house.store.read(lambda c: house.approvals.waits_for(c, OWNER, house.clock.now()))
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert [button.label for line in house.channel.newest.buttons for button in line] == ["Undo"]
    assert len(house.channel.cards) == 1
    assert not await house.store.read(lambda c: house.approvals.waits_for(c, OWNER, house.clock.now()))


async def test_a_card_that_waits_for_a_closed_chat_is_one_row_and_is_tried_by_itself(house: House) -> None:
    approval_id = await house.ask()
    row = await house.row(approval_id)
    house.channel.closed = True
    for _ in range(3):
        await house.write(lambda c: redraw(c, row, now=house.clock.now()))
        await house.run()
        assert [kind for kind, _, _ in await house.works()].count(approvals.SHOW_CARD) == 1
    edits = house.channel.edits
    house.clock.turn(hours=1)
    await house.run()
    assert [kind for kind, _, _ in await house.works()].count(approvals.SHOW_CARD) == 1
    house.channel.closed = False
    house.clock.turn(hours=1)
    await house.run()
    assert house.channel.edits == edits + 1
    assert approvals.SHOW_CARD not in [kind for kind, _, _ in await house.works()]


async def test_a_rules_card_that_a_closed_chat_would_not_change_is_changed_once_it_is_open(house: House) -> None:
    await house.know("Anna", ANNA)
    await house.ask()
    await house.tap("Always…")
    house.channel.closed = True
    await house.tap("Save rule")
    assert house.channel.button("Save rule"), "it stands there as it was"
    house.channel.closed = False
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert not [one for line in house.channel.newest.buttons for one in line if one.label == "Save rule"]


async def test_what_nobody_knows_the_outcome_of_is_asked_once_the_owner_is_back(house: House) -> None:
    await house.know("Anna", ANNA)
    house.channel.closed = True
    house.provider.script.append(RuntimeError())
    approval_id = await house.ask(BOT_SEND)
    assert await house.state(approval_id) == "unknown"
    assert house.channel.cards == {}
    house.channel.closed = False
    await house.write(lambda c: house.approvals.show_unseen(c, house.clock.now()))
    await house.run()
    assert (await house.tap("It was done")).startswith("Marked as sent by you")


async def test_a_reply_finds_the_card_that_waits_and_no_other_message(house: House) -> None:
    await house.ask()
    (message_id,) = house.channel.cards
    assert await house.store.read(lambda c: house.approvals.shown_at(c, OWNER, message_id)) is not None
    assert await house.store.read(lambda c: house.approvals.shown_at(c, OWNER, "999")) is None
    assert await house.store.read(lambda c: house.approvals.shown_at(c, STRANGER, message_id)) is None


async def test_a_strangers_guess_before_pairing_is_told_to_nobody(house: House) -> None:
    house.owner.telegram_user_id = None
    house.channel.home_chat = None
    await house.approvals.decide(house.tap_of("a:guess", sender=STRANGER))
    assert await house.said() == []


async def test_a_strangers_tap_on_a_decided_card_changes_nothing(house: House) -> None:
    await house.ask()
    card = house.channel.newest
    await house.tap("Deny")
    edits = house.channel.edits
    await house.tap("Approve", card, sender=STRANGER)
    assert house.channel.edits == edits
    assert "Somebody else" not in rich_text(house.channel.newest.outcome)
