"""Requests of the owner, from their words to what is done, with no language model: files, conditions, drafts."""
# names: made up here

from datetime import timedelta

import pytest

from butler.agents.reader.rule_reader import RuleReader
from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.contract.integration import IntegrationResult
from modules.email.views import whole
from tests.orchestrator.builders import BILL, NOON, mail_row, parsed, shelf
from tests.orchestrator.harness import Harness, planned, step
from tests.orchestrator.mails import DINNER, from_others, owners
from tests.orchestrator.readers import READ_FILE, SEARCH, document, found, passage, remember, wired, worded
from tests.support.reading import reading_planner

OTHER = BILL.model_copy(update={"sha256": "b" * 64, "name": "plan.pdf"})
FORGET, READ_MAIL = "bot_memory_forget", "bot_email_read_message"
NOTICE = "what the contract says about notice"
CONTRACT = "Either side may give notice of three months to the end of a quarter. The rent is 840 euros."
PARTY = "The dinner at the boathouse is on 12 March 2026. It takes place in Harbour Street 4."

QUESTION = "which street did they say the dinner is in"


def reading(harness: Harness) -> Harness:
    harness.planner = reading_planner()
    harness.start()
    return harness


@pytest.mark.parametrize("words", ["read the attached file", "what does the attachment say about the rent?"])
async def test_a_mail_of_the_owners_has_its_file_read(harness: Harness, words: str) -> None:
    wired(harness)
    reading(harness).results[READ_FILE] = [document()]
    await harness.come_in(owners(words, attachments=(BILL,)))
    await harness.run()
    (call,) = [call for call in harness.calls if call.tool == READ_FILE]
    assert call.args.file == BILL.sha256
    assert call.args.question == ("" if "read" in words else words.rstrip("?"))


async def test_the_file_of_a_mail_that_was_passed_on_is_meant_above_it(harness: Harness) -> None:
    wired(harness)
    reading(harness).results[READ_FILE] = [document()]
    later = NOON + timedelta(days=3)
    await harness.come_in(from_others("Here", attachments=(OTHER,), inbound_id="m-2", dedup_key="m-2", sent_at=later))
    await harness.come_in(owners("summarise the attached file", DINNER, attachments=(BILL,)))
    await harness.run()
    assert [call.args.file for call in harness.calls if call.tool == READ_FILE] == [BILL.sha256]


async def test_a_caption_asks_of_the_file_that_it_stands_under(harness: Harness) -> None:
    wired(harness)
    reading(harness).results[READ_FILE] = [document()]
    await harness.say("what does the attachment say about the rent?", attachments=(BILL,))
    (call,) = [call for call in harness.calls if call.tool == READ_FILE]
    assert (call.args.file, call.args.question) == (BILL.sha256, "what does the attachment say about the rent")


async def test_forgetting_an_answer_waits_for_a_yes(harness: Harness) -> None:
    wired(harness, worded())
    reading(harness).results[SEARCH] = [found(passage())]
    await harness.say("what is my rent according to the lease?")
    assert harness.phone.said[-1].startswith("It is 840 euros")
    await harness.say("forget that")
    assert [call for call in harness.calls if call.tool == FORGET] == []
    await harness.tap("Approve")
    (call,) = [call for call in harness.calls if call.tool == FORGET]
    assert call.args.source == passage().source_id


async def told_to_hang(harness: Harness, answer: str) -> None:
    """The owner is shown a mail, and says what hangs on it."""
    row = mail_row("Dinner", "<1@x>")
    harness.results["bot_email_search_inbox"] = [
        IntegrationResult(ok=True, data={"messages": [row], "count": 1, "complete": True})
    ]
    await harness.say("any mail?", planned(step(1, "bot_email_search_inbox", words="")))
    harness.reader = RuleReader()
    reading(harness).results[READ_MAIL] = [whole(parsed("Dinner", answer), shelf("<1@x>"), ())]
    await harness.say("if mail-1 says yes, tell Mum: we are coming")


async def test_a_yes_brings_its_card_and_a_no_is_told(harness: Harness) -> None:
    await told_to_hang(harness, "Yes, gladly!")
    (card,) = harness.phone.cards.values()
    assert card.body == "we are coming"
    assert "a mail by eve@evil.example" in "\n".join(card.reasons)


async def test_without_a_yes_nothing_is_brought_and_the_reason_is_told(harness: Harness) -> None:
    await told_to_hang(harness, "Perhaps. Let me see.")
    assert harness.phone.cards == {}
    assert "➖ Left out: Send Mum a Telegram message. The reason: I found neither" in harness.phone.said[-1]


async def test_a_summary_and_an_answer_are_drafted_without_a_model_and_wait_on_a_card(harness: Harness) -> None:
    harness.tailor = ExtractiveTailor()
    remember(harness)
    reading(harness).results[SEARCH] = [found(passage(CONTRACT, title="Contract"))]
    await harness.say(f"tell Mum {NOTICE}")
    (card,) = harness.phone.cards.values()
    assert "Either side may give notice of three months to the end of a quarter." in card.body
    assert "840" not in card.body
    assert "[1]" not in card.body
    assert "a mail by landlord@flats.example" in "\n".join(card.reasons)
    await harness.tap("Approve")
    assert harness.sent() == [card.body]


async def test_where_the_source_does_not_say_it_nothing_is_drafted(harness: Harness) -> None:
    harness.tailor = ExtractiveTailor()
    reading(harness).results["bot_web_read_page"] = [
        document("The rent is 840 euros.", source_id="web:https://house.example/a")
    ]
    await harness.say("tell Mum what https://house.example/a says about cats")
    assert harness.phone.cards == {}
    assert "what I found does not say that, so I drafted nothing" in harness.phone.said[-1]


async def test_a_chat_goes_on_from_its_own_questions_alone(harness: Harness) -> None:
    harness.tailor = ExtractiveTailor()
    remember(harness)
    reading(harness).results[SEARCH] = [found(passage(PARTY), question="x") for _ in range(2)]
    await harness.say(f"{QUESTION}?")
    await harness.say("and when?", chat="telegram:42:7")
    assert "12 March 2026" not in harness.phone.said[-1]
    await harness.say("and when?")
    asked = [call.args.question for call in harness.calls if call.tool == SEARCH]
    assert asked == [QUESTION, f"when ({QUESTION})"]
    assert "12 March 2026" in harness.phone.said[-1]
