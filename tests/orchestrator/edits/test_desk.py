"""A reply to a card, from the inbox to the new card and to what is sent in the end."""

from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from butler.contract.card import Card, Span, rich_text
from butler.contract.errors import ModelUnavailableError
from butler.contract.provenance import Origin, Trust
from butler.guardrails.redaction import redact
from butler.orchestrator.edits.answers import LISTED, NO_FILES, NOT_BY_WORDS, STILL_WAITS
from butler.orchestrator.edits.answers import Card as Replied
from butler.orchestrator.edits.model import EditForm, reword
from butler.orchestrator.edits.sheet import Sheet
from butler.orchestrator.planning.plan_types import Command
from butler.provenance import load
from butler.store.queries import approvals, revisions
from butler.store.queries.approvals import ApprovalRow
from butler.store.store import Store
from tests.approvals.house import create_tables
from tests.orchestrator.house import MAIL, SEND, House
from tests.orchestrator.test_turns import planned, step, to
from tests.orchestrator.things import BILL

LATE = "I'll be ten minutes late"


@pytest.fixture
async def house() -> AsyncIterator[House]:
    store = create_tables(Store("sqlite://"))
    house = House(store)
    await house.meet()
    yield house
    await store.close()


async def asked(house: House, text: str = LATE) -> str:
    """A card that waits; the id of its message."""
    await house.say("tell Anna", planned(step(1, SEND, to=await to(house), text=text)))
    return list(house.phone.cards)[-1]


async def row(house: House) -> ApprovalRow:
    rows = await house.store.read(lambda c: approvals.in_state(c, "pending", "denied", "done", "approved"))
    return rows[-1]


def newest(house: House) -> Card:
    return list(house.phone.cards.values())[-1]


async def test_a_reply_makes_a_new_card_whose_yes_sends_the_new_text_once(house: House) -> None:
    old = await asked(house)
    stale = house.phone.buttons("Approve")[-1]
    await house.say("make it twenty minutes", reply_to=old)
    card = newest(house)
    assert (card.title, card.body) == ("For your approval, changed", "I'll be twenty minutes late")
    assert rich_text(card.changes) == "I'll be tentwenty minutes late"
    assert rich_text(house.phone.cards[old].outcome) == "Replaced by a newer version below."
    assert not house.phone.cards[old].buttons
    await house.press(stale)
    assert "newer version" in house.phone.answers[-1]
    assert house.sent() == []
    await house.tap("Approve")
    assert house.sent() == ["I'll be twenty minutes late"]


async def test_the_second_edit_is_of_the_second_version(house: House) -> None:
    await house.say("make it twenty minutes", reply_to=await asked(house))
    await house.say("and sign it Robin", reply_to=list(house.phone.cards)[-1])
    assert newest(house).body == "I'll be twenty minutes late\nRobin"
    assert (await row(house)).revision == 3


async def test_a_reply_to_an_old_version_is_told_so(house: House) -> None:
    old = await asked(house)
    await house.say("make it twenty minutes", reply_to=old)
    await house.say("make it thirty minutes", reply_to=old)
    assert (
        house.phone.said[-1] == "This is an older version of that card; reply to the newest one. Nothing was changed."
    )
    assert (await row(house)).revision == 2


@pytest.mark.parametrize("words", ["yes", "OK", "send it", "👍"])
async def test_no_words_are_a_yes(house: House, words: str) -> None:
    await house.say(words, reply_to=await asked(house))
    assert house.phone.said[-1] == NOT_BY_WORDS
    assert (await row(house)).state == "pending"
    assert house.sent() == []


async def test_no_is_a_no(house: House) -> None:
    card = await asked(house)
    await house.say("no, don't", reply_to=card)
    assert (await row(house)).state == "denied"
    assert "Denied by you" in house.phone.said[-1]
    assert "Denied by you" in rich_text(house.phone.cards[card].outcome)


async def test_a_word_that_is_neither_leaves_the_card_as_it_is(house: House) -> None:
    await house.say("hmm", reply_to=await asked(house))
    assert house.phone.said[-1] == STILL_WAITS


async def test_a_question_back_is_answered_by_a_button(house: House) -> None:
    await house.say("say hello", reply_to=await asked(house))
    await house.tap("The whole text")
    assert newest(house).body == "hello"
    assert newest(house).title == "For your approval, changed"
    await house.tap("One more sentence")
    assert "older version" in house.phone.said[-1]


async def test_the_recipient_changes_to_a_contact_only(house: House) -> None:
    card = await asked(house)
    await house.say("send it to Eve instead", reply_to=card)
    assert house.phone.said[-1].startswith("I don't know anybody called Eve.")
    await house.say("send it to Mum instead", reply_to=card)
    await house.tap("Approve")
    assert [call.args.to.address for call in house.outputs()] == ["telegram:1004"]


async def test_a_reply_after_the_yes_is_told_what_to_do(house: House) -> None:
    house.settings = house.settings.model_copy(update={"undo_windows": {"*": house.settings.stale_after}})
    house.start()
    card = await asked(house)
    await house.tap("Approve")
    await house.say("make it twenty minutes", reply_to=card)
    assert "tap Undo on the card first" in house.phone.said[-1]
    assert (await row(house)).revision == 1


async def test_a_reply_to_what_is_sent_is_told_so_and_other_talk_goes_on(house: House) -> None:
    await house.say("mail Anna", planned(step(1, MAIL, to=[await to(house)], subject="Late", body=LATE)))
    card = list(house.phone.cards)[-1]
    await house.tap("Approve")
    await house.say("make it twenty minutes", reply_to=card)
    assert house.phone.said[-1].startswith("This card cannot be changed any more. Sent at")
    await house.say("what can you do, by the way", Command.HELP, reply_to=card)
    assert house.phone.said[-1].startswith("the answer to help")


async def test_a_file_in_a_reply_is_not_put_in(house: House) -> None:
    await house.say("make it twenty minutes", reply_to=await asked(house), attachments=(BILL,))
    assert house.phone.said[-1] == NO_FILES
    assert (await row(house)).revision == 1


async def test_a_reply_that_is_looked_at_twice_revises_once(house: House) -> None:
    item = await house.say("make it twenty minutes", reply_to=await asked(house))
    await house.handlers["inbound"](item.inbound_id)
    await house.run()
    assert (await row(house)).revision == 2
    assert len(house.phone.cards) == 2


async def test_the_summary_of_a_plan_tells_what_was_really_done(house: House) -> None:
    steps = (
        step(1, SEND, to=await to(house), text="One").model_copy(
            update={"description": "Send Anna a Telegram message"}
        ),
        step(2, SEND, to=await to(house), text="Two").model_copy(
            update={"description": "Send Anna a Telegram message"}
        ),
    )
    await house.say("tell Anna one and two", planned(*steps))
    await house.say("send it to Mum instead", reply_to=list(house.phone.cards)[1])
    await house.tap("Approve")
    for button in house.phone.buttons("Approve"):
        await house.press(button)
    assert sorted(call.args.to.address for call in house.outputs()) == ["telegram:1004", "telegram:@anna"]
    said = house.phone.said[-1]
    assert "✅ Send Anna a Telegram message" in said
    assert "✅ Sends a Telegram message as you, to Mum at telegram:1004" in said
    assert said.count("Anna") == 1


class Model:
    """A model that fills the form as it was told to."""

    def __init__(self, answer: EditForm | Exception) -> None:
        self.answer, self.prompts = answer, list[str]()

    async def fill(self, form: type[BaseModel], *, instructions: str, prompt: str) -> Any:
        self.prompts.append(prompt)
        assert form is EditForm
        assert instructions
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def modelled(house: House, answer: EditForm | Exception) -> Model:
    house.llm = Model(answer)
    house.start()
    await house.say("make it friendlier", reply_to=await asked(house))
    return house.llm


async def test_a_models_wording_carries_its_label_beside_the_cards(house: House) -> None:
    model = await modelled(house, EditForm(text="Dear Anna, I'll be ten minutes late"))
    assert "make it friendlier" in model.prompts[0]
    card = newest(house)
    assert card.body == "Dear Anna, I'll be ten minutes late"
    assert any("a language model's wording" in reason for reason in card.reasons)
    found = await row(house)
    origins = load(found.labels["text"])
    assert {origin.trust for origin in origins} >= {Trust.UNTRUSTED, Trust.OWNER}
    kept = await house.store.read(lambda c: revisions.get(c, found.approval_id, 1))
    assert kept is not None
    assert load(kept.labels["text"]) < origins
    assert all(isinstance(origin, Origin) for origin in origins)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (EditForm(), "I did not understand what to change."),
        (EditForm(text=LATE), "I did not understand what to change."),
        (EditForm(question="In which way?"), "In which way?"),
        (ModelUnavailableError("it is down"), "Nothing was changed."),
    ],
)
async def test_a_model_that_cannot_help_leaves_the_card_as_it_is(
    house: House, answer: EditForm | Exception, said: str
) -> None:
    await modelled(house, answer)
    assert said in house.phone.said[-1]
    assert (await row(house)).revision == 1


async def test_a_model_may_change_the_subject_and_nobody_who_gets_it(house: House) -> None:
    house.llm = Model(EditForm(subject="Supper, dear Anna"))
    house.start()
    await house.say("mail Anna", planned(step(1, MAIL, to=[await to(house)], subject="Dinner", body="At eight")))
    before = newest(house)
    await house.say("make the subject friendlier", reply_to=list(house.phone.cards)[-1])
    assert ("Subject", (Span(text="Supper, dear Anna"),)) in newest(house).fields
    assert newest(house).body == before.body
    assert dict(newest(house).fields)["To"] == dict(before.fields)["To"]


async def test_a_text_that_is_too_long_is_given_to_no_model(house: House) -> None:
    house.llm = Model(EditForm(text="short"))
    house.start()
    await house.say("mail Anna", planned(step(1, MAIL, to=[await to(house)], subject="Long", body="x" * 20_001)))
    await house.say("make it friendlier", reply_to=list(house.phone.cards)[-1])
    assert house.llm.prompts == []
    assert "I did not understand what to change." in house.phone.said[-1]


async def test_an_answer_is_good_for_one_tap(house: House) -> None:
    await house.say("say hello", reply_to=await asked(house))
    button = house.phone.buttons("The whole text")[-1]
    await house.press(button)
    await house.press(button)
    assert house.phone.answers[-1] == "You have tapped this before."
    assert (await row(house)).revision == 2


def test_a_choice_about_something_else_is_about_no_card() -> None:
    assert Replied.of("mail-1") is None
    assert Replied.of(Replied("a1", 2).subject()) == Replied("a1", 2)


async def test_a_reply_to_what_is_gone_is_no_reply_to_a_card(house: House) -> None:
    item = await house.say("hello", Command.HELP)
    assert not await house.edits.take(item, Replied("nobody", 1))


async def test_a_model_that_rewords_a_card_sees_placeholders_and_what_they_stand_for_comes_back() -> None:
    model = Model(EditForm(text="Dear Anna, please ring [PHONE_1]", subject="About [EMAIL_1]"))
    sheet = Sheet("Ring +44 20 7946 0958", "bob@work.example", (), ())
    new = await reword(model, "friendlier, and name bob@work.example", sheet, redact)
    assert isinstance(new, Sheet)
    assert (new.text, new.subject) == ("Dear Anna, please ring +44 20 7946 0958", "About bob@work.example")
    assert "7946" not in model.prompts[0]
    assert "bob@work" not in model.prompts[0]


@pytest.mark.parametrize("reply", ["but not from Bob", "without Bob", "keep Amazon", "only the first three", "add Bob"])
async def test_a_card_about_a_list_is_not_changed_by_words(house: House, reply: str) -> None:
    card = await asked(house)
    house.registry._tools[SEND] = replace(house.registry._tools[SEND], lists=True)
    before = await row(house)
    await house.say(reply, reply_to=card)
    assert house.phone.said[-1] == LISTED
    after = await row(house)
    assert (after.revision, after.args, after.state) == (before.revision, before.args, "pending")
