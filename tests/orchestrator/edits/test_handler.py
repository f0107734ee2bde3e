"""A reply to a card, from the inbox to the new card and to what is sent in the end."""

from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel

from butler.agents.errors import ModelUnavailableError
from butler.contract.card import Card, Span, rich_text
from butler.contract.provenance import Origin, Trust
from butler.guardrails.redaction import redact
from butler.orchestrator.edits.answers import LISTED, NO_FILES, NOT_BY_WORDS, NOT_REWORDED, STILL_WAITS
from butler.orchestrator.edits.answers import Card as Replied
from butler.orchestrator.edits.card_content import CardContent
from butler.orchestrator.edits.model import EditForm, reword
from butler.orchestrator.planning.card_orders import CardOrder
from butler.orchestrator.planning.plan_types import CardOrders, Command, PlannerInput
from butler.provenance import load
from butler.store.queries import approvals, revisions
from butler.store.queries.approvals import ApprovalRow
from tests.orchestrator.builders import BILL
from tests.orchestrator.harness import MAIL, SEND, Harness
from tests.orchestrator.test_turns import planned, step, to
from tests.support.models import FormsOnly

LATE = "I'll be ten minutes late"


async def asked(harness: Harness, text: str = LATE) -> str:
    """A card that waits; the id of its message."""
    await harness.say("tell Anna", planned(step(1, SEND, to=await to(harness), text=text)))
    return list(harness.phone.cards)[-1]


async def row(harness: Harness) -> ApprovalRow:
    rows = await harness.store.read(lambda c: approvals.in_state(c, "pending", "denied", "done", "approved"))
    return rows[-1]


def newest(harness: Harness) -> Card:
    return list(harness.phone.cards.values())[-1]


async def test_a_reply_makes_a_new_card_whose_yes_sends_the_new_text_once(harness: Harness) -> None:
    old = await asked(harness)
    stale = harness.phone.buttons("Approve")[-1]
    await harness.say("make it twenty minutes", reply_to=old)
    card = newest(harness)
    assert (card.title, card.body) == ("For your approval, changed", "I'll be twenty minutes late")
    assert rich_text(card.changes) == "I'll be tentwenty minutes late"
    assert rich_text(harness.phone.cards[old].outcome) == "Replaced by a newer version below."
    assert not harness.phone.cards[old].buttons
    await harness.press(stale)
    assert "newer version" in harness.phone.answers[-1]
    assert harness.sent() == []
    await harness.tap("Approve")
    assert harness.sent() == ["I'll be twenty minutes late"]


async def test_the_second_edit_is_of_the_second_version(harness: Harness) -> None:
    await harness.say("make it twenty minutes", reply_to=await asked(harness))
    await harness.say("and sign it Robin", reply_to=list(harness.phone.cards)[-1])
    assert newest(harness).body == "I'll be twenty minutes late\nRobin"
    assert (await row(harness)).revision == 3


async def test_a_reply_to_an_old_version_is_told_so(harness: Harness) -> None:
    old = await asked(harness)
    await harness.say("make it twenty minutes", reply_to=old)
    await harness.say("make it thirty minutes", reply_to=old)
    assert (
        harness.phone.said[-1] == "This is an older version of that card; reply to the newest one. Nothing was changed."
    )
    assert (await row(harness)).revision == 2


@pytest.mark.parametrize("words", ["yes", "OK", "send it", "👍"])
async def test_no_words_are_a_yes(harness: Harness, words: str) -> None:
    await harness.say(words, reply_to=await asked(harness))
    assert harness.phone.said[-1] == NOT_BY_WORDS
    assert (await row(harness)).state == "pending"
    assert harness.sent() == []


async def test_no_is_a_no(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("no, don't", reply_to=card)
    assert (await row(harness)).state == "denied"
    assert "Denied by you" in harness.phone.said[-1]
    assert "Denied by you" in rich_text(harness.phone.cards[card].outcome)


async def test_a_word_that_is_neither_leaves_the_card_as_it_is(harness: Harness) -> None:
    await harness.say("hmm", reply_to=await asked(harness))
    assert harness.phone.said[-1] == STILL_WAITS


async def test_a_question_back_is_answered_by_a_button(harness: Harness) -> None:
    await harness.say("say hello", reply_to=await asked(harness))
    await harness.tap("The whole text")
    assert newest(harness).body == "hello"
    assert newest(harness).title == "For your approval, changed"
    await harness.tap("One more sentence")
    assert "older version" in harness.phone.said[-1]


async def test_the_recipient_changes_to_a_contact_only(harness: Harness) -> None:
    card = await asked(harness)
    await harness.say("send it to Eve instead", reply_to=card)
    assert harness.phone.said[-1].startswith("I don't know anybody called Eve.")
    await harness.say("send it to Mum instead", reply_to=card)
    await harness.tap("Approve")
    assert [call.args.to.address for call in harness.outputs()] == ["telegram:1004"]


async def test_a_reply_after_the_yes_is_told_what_to_do(harness: Harness) -> None:
    harness.settings = harness.settings.model_copy(update={"undo_windows": {"*": harness.settings.stale_after}})
    harness.start()
    card = await asked(harness)
    await harness.tap("Approve")
    await harness.say("make it twenty minutes", reply_to=card)
    assert "tap Undo on the card first" in harness.phone.said[-1]
    assert (await row(harness)).revision == 1


async def test_a_reply_to_what_is_sent_is_told_so_and_other_talk_goes_on(harness: Harness) -> None:
    await harness.say("mail Anna", planned(step(1, MAIL, to=[await to(harness)], subject="Late", body=LATE)))
    card = list(harness.phone.cards)[-1]
    await harness.tap("Approve")
    await harness.say("make it twenty minutes", reply_to=card)
    assert harness.phone.said[-1].startswith("This card cannot be changed any more. Sent at")
    await harness.say("what can you do, by the way", Command.HELP, reply_to=card)
    assert harness.phone.said[-1].startswith("the answer to help")


async def test_a_file_in_a_reply_is_not_put_in(harness: Harness) -> None:
    await harness.say("make it twenty minutes", reply_to=await asked(harness), attachments=(BILL,))
    assert harness.phone.said[-1] == NO_FILES
    assert (await row(harness)).revision == 1


async def test_a_reply_that_is_looked_at_twice_revises_once(harness: Harness) -> None:
    item = await harness.say("make it twenty minutes", reply_to=await asked(harness))
    await harness.handlers["inbound"](item.inbound_id)
    await harness.run()
    assert (await row(harness)).revision == 2
    assert len(harness.phone.cards) == 2


async def test_the_summary_of_a_plan_tells_what_was_really_done(harness: Harness) -> None:
    steps = (
        step(1, SEND, to=await to(harness), text="One").model_copy(
            update={"description": "Send Anna a Telegram message"}
        ),
        step(2, SEND, to=await to(harness), text="Two").model_copy(
            update={"description": "Send Anna a Telegram message"}
        ),
    )
    await harness.say("tell Anna one and two", planned(*steps))
    await harness.say("send it to Mum instead", reply_to=list(harness.phone.cards)[1])
    await harness.tap("Approve")
    for button in harness.phone.buttons("Approve"):
        await harness.press(button)
    assert sorted(call.args.to.address for call in harness.outputs()) == ["telegram:1004", "telegram:@anna"]
    said = harness.phone.said[-1]
    assert "✅ Send Anna a Telegram message" in said
    assert "✅ Sends a Telegram message as you, to Mum at Telegram 1004" in said
    assert said.count("Anna") == 1


class Model(FormsOnly):
    """A model that fills the form as it was told to."""

    def __init__(self, answer: EditForm | Exception) -> None:
        self.answer, self.prompts = answer, list[str]()

    async def fill(self, form: type[BaseModel], *, instructions: str, prompt: str, check: Any = None) -> Any:
        self.prompts.append(prompt)
        assert form is EditForm
        assert instructions
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def modelled(harness: Harness, answer: EditForm | Exception) -> Model:
    harness.llm = Model(answer)
    harness.start()
    await harness.say("make it friendlier", rewords, reply_to=await asked(harness))
    return harness.llm


def rewords(request: PlannerInput) -> CardOrders:
    """What a planner says that is not told the text of a card."""
    return CardOrders((CardOrder(request.cards[-1], wording=request.words.value),))


async def test_a_models_wording_carries_its_label_beside_the_cards(harness: Harness) -> None:
    model = await modelled(harness, EditForm(text="Dear Anna, I'll be ten minutes late"))
    assert "make it friendlier" in model.prompts[0]
    card = newest(harness)
    assert card.body == "Dear Anna, I'll be ten minutes late"
    assert any("a language model's wording" in reason for reason in card.reasons)
    found = await row(harness)
    origins = load(found.labels["text"])
    assert {origin.trust for origin in origins} >= {Trust.UNTRUSTED, Trust.OWNER}
    kept = await harness.store.read(lambda c: revisions.get(c, found.approval_id, 1))
    assert kept is not None
    assert load(kept.labels["text"]) < origins
    assert all(isinstance(origin, Origin) for origin in origins)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (EditForm(), NOT_REWORDED),
        (EditForm(text=LATE), NOT_REWORDED),
        (EditForm(question="In which way?"), "In which way?"),
        (ModelUnavailableError("it is down"), "Nothing was changed."),
    ],
)
async def test_a_model_that_cannot_help_leaves_the_card_as_it_is(
    harness: Harness, answer: EditForm | Exception, said: str
) -> None:
    await modelled(harness, answer)
    assert said in harness.phone.said[-1]
    assert (await row(harness)).revision == 1


async def test_a_model_may_change_the_subject_and_nobody_who_gets_it(harness: Harness) -> None:
    harness.llm = Model(EditForm(subject="Supper, dear Anna"))
    harness.start()
    await harness.say("mail Anna", planned(step(1, MAIL, to=[await to(harness)], subject="Dinner", body="At eight")))
    before = newest(harness)
    await harness.say("make the subject friendlier", rewords, reply_to=list(harness.phone.cards)[-1])
    assert ("Subject", (Span(text="Supper, dear Anna"),)) in newest(harness).fields
    assert newest(harness).body == before.body
    assert dict(newest(harness).fields)["To"] == dict(before.fields)["To"]


async def test_a_text_that_is_too_long_is_given_to_no_model(harness: Harness) -> None:
    harness.llm = Model(EditForm(text="short"))
    harness.start()
    await harness.say("mail Anna", planned(step(1, MAIL, to=[await to(harness)], subject="Long", body="x" * 20_001)))
    await harness.say("make it friendlier", rewords, reply_to=list(harness.phone.cards)[-1])
    assert harness.llm.prompts == []
    assert NOT_REWORDED in harness.phone.said[-1]


async def test_an_answer_is_good_for_one_tap(harness: Harness) -> None:
    await harness.say("say hello", reply_to=await asked(harness))
    button = harness.phone.buttons("The whole text")[-1]
    await harness.press(button)
    await harness.press(button)
    assert harness.phone.answers[-1] == "You have tapped this before."
    assert (await row(harness)).revision == 2


def test_a_choice_about_something_else_is_about_no_card() -> None:
    assert Replied.of("mail-1") is None
    assert Replied.of(Replied("a1", 2).subject()) == Replied("a1", 2)


async def test_a_reply_to_what_is_gone_is_no_reply_to_a_card(harness: Harness) -> None:
    item = await harness.say("hello", Command.HELP)
    assert not await harness.edits.take(item, Replied("nobody", 1))


async def test_a_model_that_rewords_a_card_sees_placeholders_and_what_they_stand_for_comes_back() -> None:
    model = Model(EditForm(text="Dear Anna, please ring [PHONE_1]", subject="About [EMAIL_1]"))
    sheet = CardContent("Ring +44 20 7946 0958", "bob@work.example", (), ())
    new = await reword(model, "friendlier, and name bob@work.example", sheet, redact)
    assert isinstance(new, CardContent)
    assert (new.text, new.subject) == ("Dear Anna, please ring +44 20 7946 0958", "About bob@work.example")
    assert "7946" not in model.prompts[0]
    assert "bob@work" not in model.prompts[0]


@pytest.mark.parametrize("reply", ["but not from Bob", "without Bob", "keep Amazon", "only the first three", "add Bob"])
async def test_a_card_about_a_list_is_not_changed_by_words(harness: Harness, reply: str) -> None:
    card = await asked(harness)
    harness.registry._tools[SEND] = replace(harness.registry._tools[SEND], lists=True)
    before = await row(harness)
    await harness.say(reply, reply_to=card)
    assert harness.phone.said[-1] == LISTED
    after = await row(harness)
    assert (after.revision, after.args, after.state) == (before.revision, before.args, "pending")
