"""A reply to the card of what was sent corrects it, by another card; one to a card that waits picks the account."""
# names: made up here

from collections.abc import AsyncIterator

import pytest

from approvals.correct import WAITS
from approvals.follow_ups import Follow, name_of
from butler.contract.card import Card, rich_text
from butler.orchestrator.edits.answers import NO_FILES, NOT_DELETED_BY_WORDS
from butler.orchestrator.planning.plan_types import Command
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from tests.approvals.house import create_tables
from tests.orchestrator.house import House, planned, step
from tests.orchestrator.letters import ANNA, DELETE, EDIT, REPLY, SEND, Desk
from tests.orchestrator.things import BILL

LATE, LATER = "I'll be ten minutes late", "I'll be twenty minutes late"


@pytest.fixture
async def house() -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    house = House(store)
    Desk(house)
    await house.meet()
    yield house
    await store.close()


async def waiting(house: House, **account: str) -> str:
    """A card that waits; the id of its message."""
    await house.say("write Anna", planned(step(1, SEND, to={"address": ANNA}, text=LATE, **account)))
    return list(house.phone.cards)[-1]


async def sent(house: House) -> str:
    card = await waiting(house)
    await house.tap("Approve")
    assert rich_text(house.phone.cards[card].outcome).endswith("Sent at 13:00:00 on 5 March 2026.")
    return card


async def the_row(house: House) -> ApprovalRow:
    """The letter that was asked for first."""
    rows = await house.store.read(lambda c: approvals.in_state(c, "pending", "done", "approved"))
    return next(row for row in rows if row.tool == SEND)


async def correction(house: House, number: int = 1) -> ApprovalRow | None:
    row = await the_row(house)
    return await house.store.read(lambda c: approvals.by_call(c, name_of(row, Follow.CORRECT, number)))


def newest(house: House) -> Card:
    return list(house.phone.cards.values())[-1]


def outputs(house: House, tool: str) -> list[str]:
    return [getattr(call.args, "text", "") for call in house.calls if call.tool == tool]


# What was sent


async def test_a_reply_that_tells_what_to_change_is_a_card_for_the_correction(house: House) -> None:
    card = await sent(house)
    await house.say("make it twenty minutes", reply_to=card)
    assert (newest(house).title, newest(house).body) == ("For your approval", LATER)
    assert rich_text(newest(house).changes) == "I'll be tentwenty minutes late"
    assert outputs(house, EDIT) == []
    await house.tap("Approve")
    assert outputs(house, EDIT) == [LATER]
    assert "Corrected at" in rich_text(house.phone.cards[card].outcome)


@pytest.mark.parametrize("words", ["“I'll be an hour late”", "text: I'll be an hour late"])
async def test_a_reply_that_is_marked_as_the_text_is_the_new_text(house: House, words: str) -> None:
    await house.say(words, reply_to=await sent(house))
    assert newest(house).body == "I'll be an hour late"


async def test_any_words_are_the_new_text_once_correct_was_tapped(house: House) -> None:
    card = await sent(house)
    await house.say("I had to help Mum first", Command.HELP, reply_to=card)
    assert house.phone.said[-1].startswith("the answer to help")
    await house.tap("Correct…")
    assert house.phone.answers[-1] == "Reply to this card with what it should say."
    await house.say("I had to help Mum first", reply_to=card)
    assert newest(house).body == "I had to help Mum first"
    await house.tap("Approve")
    await house.say("And what did she say", Command.HELP, reply_to=card)
    assert outputs(house, EDIT) == ["I had to help Mum first"]
    assert house.phone.said[-1].startswith("the answer to help")


async def test_a_reply_that_its_owner_edits_is_one_correction(house: House) -> None:
    card = await sent(house)
    await house.tap("Correct…")
    item = await house.say("I had to help Mom first", reply_to=card)
    edited = {"kind": "edited", "message_ref": item.message_ref, "reply_to": card}
    await house.say("I had to help Mum first", **edited)
    first, second = await correction(house), await correction(house, 2)
    assert first is not None
    assert second is not None
    assert (first.state, second.state) == ("superseded", "pending")
    assert newest(house).body == "I had to help Mum first"


async def test_a_reply_to_the_card_of_a_correction_corrects_the_same_letter_again(house: House) -> None:
    await house.say("make it twenty minutes", reply_to=await sent(house))
    await house.tap("Approve")
    await house.say("make it thirty minutes", reply_to=list(house.phone.cards)[-1])
    assert rich_text(newest(house).changes) == "I'll be twentythirty minutes late"
    await house.tap("Approve")
    assert outputs(house, EDIT) == [LATER, "I'll be thirty minutes late"]
    assert await correction(house, 2) is not None


async def test_a_second_correction_waits_for_the_first(house: House) -> None:
    card = await sent(house)
    await house.say("make it twenty minutes", reply_to=card)
    await house.say("make it thirty minutes", reply_to=card)
    assert house.phone.said[-1] == WAITS
    await house.say("make it thirty minutes", reply_to=list(house.phone.cards)[-1])
    assert newest(house).title == "For your approval, changed"
    assert newest(house).body == "I'll be thirty minutes late"


@pytest.mark.parametrize("words", ["no", "delete it", "cancel that"])
async def test_words_take_nothing_back(house: House, words: str) -> None:
    await house.say(words, reply_to=await sent(house))
    assert house.phone.said[-1] == NOT_DELETED_BY_WORDS
    assert outputs(house, DELETE) == []


async def test_a_question_back_about_a_correction_is_answered_by_a_button(house: House) -> None:
    await house.say("say hello", reply_to=await sent(house))
    await house.tap("The whole text")
    assert newest(house).body == "hello"
    assert await correction(house) is not None


async def test_what_cannot_be_corrected_is_said(house: House) -> None:
    card = await sent(house)
    await house.say("make it twenty minutes", reply_to=card, attachments=(BILL,))
    assert house.phone.said[-1] == NO_FILES
    await house.say("send it from work", reply_to=card)
    assert house.phone.said[-1] == "This was done already: only its text can be corrected. Nothing was changed."
    await house.say("make it friendlier", reply_to=card)
    assert house.phone.said[-1].startswith("I did not understand what to change.")
    assert await correction(house) is None


async def test_a_reply_that_comes_too_late_is_told_so(house: House) -> None:
    card = await sent(house)
    house.clock.time += house.settings.correct_for
    await house.run()
    assert not house.phone.cards[card].buttons
    await house.say("make it twenty minutes", reply_to=card)
    assert house.phone.said[-1].startswith("This card cannot be changed any more. Sent at")


async def test_a_reply_that_is_looked_at_twice_is_one_correction(house: House) -> None:
    item = await house.say("make it twenty minutes", reply_to=await sent(house))
    await house.handlers["inbound"](item.inbound_id)
    await house.run()
    assert await correction(house) is not None
    assert await correction(house, 2) is None


# The account


@pytest.mark.parametrize(
    "words",
    [
        "send it from work", "use work", "from my work account", "through work", "use my Work account",
        "please send it via work", "change the account to work", "account: work",
        "send it from the work account instead",
    ],
)  # fmt: skip
async def test_an_account_is_picked_by_words(house: House, words: str) -> None:
    await house.say(words, reply_to=await waiting(house))
    assert rich_text(dict(newest(house).fields)["As"]) == "you, through work"
    assert rich_text(newest(house).changes) == "Through: main, work"
    await house.tap("Approve")
    assert [call.account for call in house.outputs()] == ["work"]


async def test_the_account_and_the_text_change_in_one_reply(house: House) -> None:
    await house.say("make it twenty minutes and send it from work", reply_to=await waiting(house))
    row = await the_row(house)
    assert (row.account, newest(house).body) == ("work", LATER)
    assert rich_text(newest(house).changes) == "Through: main, work\nText: I'll be tentwenty minutes late"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("from my club account", "There is no account club. This can go through main, work."),
        ("send it from main", "That is what the card says already, so nothing was changed."),
        ("switch to the account nowhere", "There is no account nowhere. This can go through main, work."),
    ],
)
async def test_an_account_that_cannot_be_picked_is_told(house: House, words: str, said: str) -> None:
    await house.say(words, reply_to=await waiting(house))
    assert house.phone.said[-1] == said
    assert (await the_row(house)).revision == 1


async def test_an_answer_stays_in_its_account(house: House) -> None:
    await house.say("answer it", planned(step(1, REPLY, letter_id="7", text="Fine!", account="work")))
    await house.say("send it from main", reply_to=list(house.phone.cards)[-1])
    assert house.phone.said[-1].startswith("This is about something that lies in work, so it goes through that")


async def test_words_that_only_look_like_an_account_are_read_as_before(house: House) -> None:
    await house.say("from tomorrow on I'll be on time", reply_to=await waiting(house))
    assert newest(house).body == "from tomorrow on I'll be on time"
