"""What a source says is sent to somebody: read, drafted and shown on a card, without a language model."""
# names: made up here

from typing import Any

import pytest

from bench.understanding_scenes import tools
from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.store.conversation import Referent
from tests.orchestrator.embedded import scene
from tests.orchestrator.harness import Harness
from tests.orchestrator.readers import READ_FILE, document, found, passage, remember
from tests.orchestrator.readers import SEARCH as MEMORY

FILE = Referent(handle="file-1", kind=ReferentKind.FILE, key="k", tool=READ_FILE, at=scene.NOW, shown_in="m9")
TELEGRAM, MAIL, REPLY = "user_telegram_send_message", "user_email_send_message", "bot_email_reply_to_thread"
NOTICE = "what the contract says about notice"
CONTRACT = "Either side may give notice of three months to the end of a quarter. The rent is 840 euros."


async def plan(words: str) -> PlannerOutput:
    return await scene.plan(words, referents=(*scene.SHOWN, FILE), tools=tools())


async def steps(words: str) -> tuple[PlanStep, PlanStep]:
    output = await plan(words)
    assert isinstance(output, Planned), output
    first, second = output.steps
    assert second.depends_on == [1]
    return first, second


def draft(ask: str) -> dict[str, Any]:
    return {"draft": {"from": [1], "ask": ask}}


@pytest.mark.parametrize(
    "words",
    [
        f"tell Bob {NOTICE}",
        f"let Bob know {NOTICE}.",
        f"tell Bob on Telegram {NOTICE}",
        f"tell Bob {NOTICE} on Telegram",
        f"send Bob a Telegram message with {NOTICE}",
        f"please text Bob {NOTICE}",
    ],
)
async def test_what_memory_holds_of_a_source_is_looked_up_and_drafted_for_somebody(words: str) -> None:
    first, second = await steps(words)
    assert (first.tool_call, first.args) == (MEMORY, {"question": NOTICE})
    assert second.tool_call == TELEGRAM
    assert second.args == {"to": {"contact": "c-bob"}, "text": draft("What does it say about notice?")}


@pytest.mark.parametrize(
    ("words", "read", "ask"),
    [
        ("tell Bob what that file says about notice", READ_FILE, "What does it say about notice?"),
        ("send Bob a summary of this document", READ_FILE, "Summarise this."),
        ("send a short summary of file-1 to Bob", READ_FILE, "Summarise this."),
        ("send Bob what mail-3 says about dinner", "bot_email_read_message", "What does it say about dinner?"),
        ("send Bob a summary of https://house.example/a", "bot_web_read_page", "Summarise this."),
    ],
)
async def test_what_was_shown_and_what_is_linked_is_read_first(words: str, read: str, ask: str) -> None:
    first, second = await steps(words)
    assert first.tool_call == read
    assert "question" not in first.args
    assert second.args["text"] == draft(ask)


async def test_a_mail_has_the_matter_as_its_subject_and_a_reply_goes_into_its_thread() -> None:
    _, mail = await steps("mail Carol what the lease says about the deposit")
    assert (mail.tool_call, mail.args["subject"]) == (MAIL, "The deposit")
    assert mail.args["body"] == draft("What does it say about the deposit?")
    _, reply = await steps(f"reply to Anna's last mail with {NOTICE}")
    assert (reply.tool_call, reply.args["message_id"]) == (REPLY, {"handle": "mail-4"})
    assert reply.args["body"] == draft("What does it say about notice?")


@pytest.mark.parametrize(
    ("words", "one"),
    [
        (f"tell Anna {NOTICE}", f"send Anna a mail with {NOTICE}"),
        (f"mail Sam {NOTICE}", f"send sam hill a mail with {NOTICE}"),
        (f"reply with {NOTICE}", f"reply to mail-2 with {NOTICE}"),
    ],
)
async def test_a_question_about_who_or_which_way_has_answers_that_mean_the_same_draft(words: str, one: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear)
    assert one in [choice.words for choice in output.choices]
    for choice in output.choices:
        _, second = await steps(choice.words)
        assert any(value == draft("What does it say about notice?") for value in second.args.values())


@pytest.mark.parametrize(
    "words",
    [
        "tell Bob: what the contract says about notice",
        "tell Bob: what he says about me is wrong",
        "tell Bob what to say about it",
        "tell Bob that what the contract says about notice is wrong: three months",
        "what does the contract say about notice?",
    ],
)
async def test_what_is_dictated_is_no_draft(words: str) -> None:
    output = await plan(words)
    sent = [step for step in output.steps if step.tool_call == TELEGRAM] if isinstance(output, Planned) else []
    assert all(isinstance(step.args["text"], str) for step in sent)


async def test_nobody_who_is_not_known_is_written_to() -> None:
    output = await plan(f"tell Zed {NOTICE}")
    assert isinstance(output, Unclear)
    assert output.stranger == "Zed"


async def test_a_summary_and_an_answer_are_drafted_without_a_model_and_wait_on_a_card(harness: Harness) -> None:
    harness.planner, harness.tailor = EmbeddedPlanner(), ExtractiveTailor()
    remember(harness)
    harness.start()
    harness.results[MEMORY] = [found(passage(CONTRACT, title="Contract"))]
    await harness.say(f"tell Mum {NOTICE}")
    (card,) = harness.phone.cards.values()
    assert "Either side may give notice of three months to the end of a quarter." in card.body
    assert "840" not in card.body
    assert "[1]" not in card.body
    assert "a mail by landlord@flats.example" in "\n".join(card.reasons)
    await harness.tap("Approve")
    assert harness.sent() == [card.body]


async def test_where_the_source_does_not_say_it_nothing_is_drafted(harness: Harness) -> None:
    harness.planner, harness.tailor = EmbeddedPlanner(), ExtractiveTailor()
    harness.start()
    await harness.say("tell Mum what https://house.example/a says about cats")
    harness.results["bot_web_read_page"] = [document("The rent is 840 euros.", source_id="web:https://house.example/a")]
    await harness.say("tell Mum what https://house.example/a says about cats")
    assert harness.phone.cards == {}
    assert "what I found does not say that, so I drafted nothing" in harness.phone.said[-1]
