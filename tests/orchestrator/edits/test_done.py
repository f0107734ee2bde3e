"""A reply to the card of what was sent corrects it, by another card; one to a card that waits picks the account."""
# names: made up here

from collections.abc import AsyncIterator

import pytest

from approvals.correct import WAITS
from approvals.follow_ups import FollowUpKind, name_of
from butler.contract.card import Card, rich_text
from butler.orchestrator.edits.answers import NO_FILES, NOT_DELETED_BY_WORDS
from butler.orchestrator.edits.marked_reading import OR_TEXT
from butler.orchestrator.planning.plan_types import Command
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from tests.approvals.harness import create_tables
from tests.orchestrator.builders import BILL
from tests.orchestrator.harness import Harness, planned, step
from tests.orchestrator.letters import ANNA, DELETE, EDIT, REPLY, SEND, LetterHarness

LATE, LATER = "I'll be ten minutes late", "I'll be twenty minutes late"


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = create_tables(Store("sqlite://"))
    harness = Harness(store)
    LetterHarness(harness)
    await harness.meet()
    yield harness
    await store.close()


async def waiting(harness: Harness, **account: str) -> str:
    """A card that waits; the id of its message."""
    await harness.say("write Anna", planned(step(1, SEND, to={"address": ANNA}, text=LATE, **account)))
    return list(harness.phone.cards)[-1]


async def sent(harness: Harness) -> str:
    card = await waiting(harness)
    await harness.tap("Approve")
    assert rich_text(harness.phone.cards[card].outcome).endswith("Sent at 13:00:00 on 5 March 2026.")
    return card


async def the_row(harness: Harness) -> ApprovalRow:
    """The letter that was asked for first."""
    rows = await harness.store.read(lambda c: approvals.in_state(c, "pending", "done", "approved"))
    return next(row for row in rows if row.tool == SEND)


async def correction(harness: Harness, number: int = 1) -> ApprovalRow | None:
    row = await the_row(harness)
    return await harness.store.read(lambda c: approvals.by_call(c, name_of(row, FollowUpKind.CORRECT, number)))


def newest(harness: Harness) -> Card:
    return list(harness.phone.cards.values())[-1]


def outputs(harness: Harness, tool: str) -> list[str]:
    return [getattr(call.args, "text", "") for call in harness.calls if call.tool == tool]


# What was sent


async def test_a_reply_that_tells_what_to_change_is_a_card_for_the_correction(harness: Harness) -> None:
    card = await sent(harness)
    await harness.say("make it twenty minutes", reply_to=card)
    assert (newest(harness).title, newest(harness).body) == ("For your approval", LATER)
    assert rich_text(newest(harness).changes) == "I'll be tentwenty minutes late"
    assert outputs(harness, EDIT) == []
    await harness.tap("Approve")
    assert outputs(harness, EDIT) == [LATER]
    assert "Corrected at" in rich_text(harness.phone.cards[card].outcome)


@pytest.mark.parametrize("words", ["“I'll be an hour late”", "text: I'll be an hour late"])
async def test_a_reply_that_is_marked_as_the_text_is_the_new_text(harness: Harness, words: str) -> None:
    await harness.say(words, reply_to=await sent(harness))
    assert newest(harness).body == "I'll be an hour late"


async def test_any_words_are_the_new_text_once_correct_was_tapped(harness: Harness) -> None:
    card = await sent(harness)
    await harness.say("I had to help Mum first", Command.HELP, reply_to=card)
    assert harness.phone.said[-1].startswith("the answer to help")
    await harness.tap("Correct…")
    assert harness.phone.answers[-1] == "Reply to this card with what it should say."
    await harness.say("I had to help Mum first", reply_to=card)
    assert newest(harness).body == "I had to help Mum first"
    await harness.tap("Approve")
    await harness.say("And what did she say", Command.HELP, reply_to=card)
    assert outputs(harness, EDIT) == ["I had to help Mum first"]
    assert harness.phone.said[-1].startswith("the answer to help")


async def test_a_reply_that_its_owner_edits_is_one_correction(harness: Harness) -> None:
    card = await sent(harness)
    await harness.tap("Correct…")
    item = await harness.say("I had to help Mom first", reply_to=card)
    edited = {"kind": "edited", "message_ref": item.message_ref, "reply_to": card}
    await harness.say("I had to help Mum first", **edited)
    first, second = await correction(harness), await correction(harness, 2)
    assert first is not None
    assert second is not None
    assert (first.state, second.state) == ("superseded", "pending")
    assert newest(harness).body == "I had to help Mum first"


async def test_a_reply_to_the_card_of_a_correction_corrects_the_same_letter_again(harness: Harness) -> None:
    await harness.say("make it twenty minutes", reply_to=await sent(harness))
    await harness.tap("Approve")
    await harness.say("make it thirty minutes", reply_to=list(harness.phone.cards)[-1])
    assert rich_text(newest(harness).changes) == "I'll be twentythirty minutes late"
    await harness.tap("Approve")
    assert outputs(harness, EDIT) == [LATER, "I'll be thirty minutes late"]
    assert await correction(harness, 2) is not None


async def test_a_second_correction_waits_for_the_first(harness: Harness) -> None:
    card = await sent(harness)
    await harness.say("make it twenty minutes", reply_to=card)
    await harness.say("make it thirty minutes", reply_to=card)
    assert harness.phone.said[-1] == WAITS
    await harness.say("make it thirty minutes", reply_to=list(harness.phone.cards)[-1])
    assert newest(harness).title == "For your approval, changed"
    assert newest(harness).body == "I'll be thirty minutes late"


@pytest.mark.parametrize("words", ["no", "delete it", "cancel that"])
async def test_words_take_nothing_back(harness: Harness, words: str) -> None:
    await harness.say(words, reply_to=await sent(harness))
    assert harness.phone.said[-1] == NOT_DELETED_BY_WORDS
    assert outputs(harness, DELETE) == []


async def test_a_question_back_about_a_correction_is_answered_by_a_button(harness: Harness) -> None:
    await harness.say("say hello", reply_to=await sent(harness))
    await harness.tap("The whole text")
    assert newest(harness).body == "hello"
    assert await correction(harness) is not None


async def test_what_cannot_be_corrected_is_said(harness: Harness) -> None:
    card = await sent(harness)
    await harness.say("make it twenty minutes", reply_to=card, attachments=(BILL,))
    assert harness.phone.said[-1] == NO_FILES
    await harness.say("send it from work", reply_to=card)
    assert harness.phone.said[-1] == "This was done already: only its text can be corrected. Nothing was changed."
    await harness.say("make it friendlier", reply_to=card)
    assert harness.phone.said[-1].startswith("I did not understand what to change.")
    assert await correction(harness) is None


async def test_a_reply_that_comes_too_late_is_told_so(harness: Harness) -> None:
    card = await sent(harness)
    harness.clock.time += harness.settings.correct_for
    await harness.run()
    assert not harness.phone.cards[card].buttons
    await harness.say("make it twenty minutes", reply_to=card)
    assert harness.phone.said[-1].startswith("This card cannot be changed any more. Sent at")


async def test_a_reply_that_is_looked_at_twice_is_one_correction(harness: Harness) -> None:
    item = await harness.say("make it twenty minutes", reply_to=await sent(harness))
    await harness.handlers["inbound"](item.inbound_id)
    await harness.run()
    assert await correction(harness) is not None
    assert await correction(harness, 2) is None


# The account


@pytest.mark.parametrize(
    "words",
    [
        "send it from work", "use work", "from my work account", "through work", "use my Work account",
        "please send it via work", "change the account to work", "account: work",
        "send it from the work account instead",
    ],
)  # fmt: skip
async def test_an_account_is_picked_by_words(harness: Harness, words: str) -> None:
    await harness.say(words, reply_to=await waiting(harness))
    assert rich_text(dict(newest(harness).fields)["As"]) == "you, through work"
    assert rich_text(newest(harness).changes) == "Through: main, work"
    await harness.tap("Approve")
    assert [call.account for call in harness.outputs()] == ["work"]


async def test_the_account_and_the_text_change_in_one_reply(harness: Harness) -> None:
    await harness.say("make it twenty minutes and send it from work", reply_to=await waiting(harness))
    row = await the_row(harness)
    assert (row.account, newest(harness).body) == ("work", LATER)
    assert rich_text(newest(harness).changes) == "Through: main, work\nText: I'll be tentwenty minutes late"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("from my club account", "There is no account club. This can go through main, work."),
        ("send it from main", "That is what the card says already, so nothing was changed."),
        ("switch to the account nowhere", "There is no account nowhere. This can go through main, work."),
    ],
)
async def test_an_account_that_cannot_be_picked_is_told(harness: Harness, words: str, said: str) -> None:
    await harness.say(words, reply_to=await waiting(harness))
    assert harness.phone.said[-1] == said
    assert (await the_row(harness)).revision == 1


async def test_an_answer_stays_in_its_account(harness: Harness) -> None:
    await harness.say("answer it", planned(step(1, REPLY, letter_id="7", text="Fine!", account="work")))
    await harness.say("send it from main", reply_to=list(harness.phone.cards)[-1])
    assert harness.phone.said[-1].startswith("This is about something that lies in work, so it goes through that")


async def test_words_that_only_look_like_an_account_may_be_the_text(harness: Harness) -> None:
    await harness.say("from tomorrow on I'll be on time", reply_to=await waiting(harness))
    assert harness.phone.said[-1] == OR_TEXT
    await harness.tap("The text: ")
    assert newest(harness).body == "from tomorrow on I'll be on time"
