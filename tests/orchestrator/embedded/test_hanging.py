"""A reminder for a day that a text says, and requests that hang on a yes in a mail, without a language model."""
# names: made up here

from typing import Any

import pytest

from bench.understanding_scenes import tools
from butler.agents.reader.rule_reader import RuleReader
from butler.contract.agents import PlanStep, ReadKind, When
from butler.contract.integration import IntegrationResult
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.store.conversation import Referent
from modules.email.views import whole
from tests.orchestrator.builders import mail_row, parsed, shelf
from tests.orchestrator.embedded import scene
from tests.orchestrator.harness import Harness, planned, step
from tests.orchestrator.readers import READ_FILE

FILE = Referent(handle="file-1", kind=ReferentKind.FILE, key="k", tool=READ_FILE, at=scene.NOW, shown_in="m9")
REMIND, TELEGRAM, READ = "bot_reminders_create", "user_telegram_send_message", "bot_email_read_message"
ASK = "Does it say yes or no?"


async def plan(words: str) -> PlannerOutput:
    return await scene.plan(words, referents=(*scene.SHOWN, FILE), tools=tools())


async def steps(words: str) -> tuple[PlanStep, ...]:
    output = await plan(words)
    assert isinstance(output, Planned), output
    return output.steps


def on(number: int, *, yes: bool) -> When:
    return When(step_id=number, read=ReadKind.YES_NO, ask=ASK, is_="equal", value=yes)


@pytest.mark.parametrize(
    ("words", "text", "at"),
    [
        ("remind me a day before the deadline in the second one", "The deadline", {"days": -1}),
        ("remind me two weeks before the final deadline in mail-3", "The final deadline", {"days": -14}),
        ("please remind me an hour before the meeting in file-1.", "The meeting", {"hours": -1}),
        ("set a reminder the day before the deadline in that file", "The deadline", {"days": -1}),
        ("remind me of the viewing in Anna's last mail", "The viewing", {}),
    ],
)
async def test_a_reminder_is_set_by_a_day_that_a_text_says(words: str, text: str, at: dict[str, Any]) -> None:
    read, remind = await steps(words)
    assert read.tool_call in {READ, READ_FILE}
    assert (remind.tool_call, remind.args["text"], remind.depends_on) == (REMIND, text, [1])
    asked = f"when is {text[:1].lower()}{text[1:]}?"
    assert remind.args["at"] == {"from": [1], "read": "date", "ask": asked, **at}


@pytest.mark.parametrize(
    "words",
    ["remind me of the dentist in March", "remind me a day before the party", "remind me in 2 hours to read that mail"],
)
async def test_what_names_no_text_is_a_reminder_as_ever(words: str) -> None:
    output = await plan(words)
    found = output.steps if isinstance(output, Planned) else ()
    assert all(isinstance(one.args.get("at", ""), str) for one in found)


@pytest.mark.parametrize(
    ("words", "yes", "text"),
    [
        ("if Anna's mail says yes, tell Bob on Telegram I'll come", True, "I'll come"),
        ("if mail-4 says no, tell Bob: a pity", False, "a pity"),
        ("If Anna says yes in her mail then tell Bob that I'll come", True, "I'll come"),
    ],
)
async def test_a_request_hangs_on_a_yes_or_a_no_in_a_mail(words: str, yes: bool, text: str) -> None:
    read, tell = await steps(words)
    assert (read.tool_call, read.args) == (READ, {"message_id": {"handle": "mail-4"}})
    assert (tell.tool_call, tell.args["text"], tell.when) == (TELEGRAM, text, on(1, yes=yes))


async def test_a_mail_that_was_not_shown_is_looked_for_and_read_first() -> None:
    search, read, tell = await steps("if Dave's last mail says yes, tell Mum: he comes")
    assert search.tool_call.endswith("_email_search_inbox")
    assert read.args["message_id"] == {"step": 1, "fact": "messages.0.message_id"}
    assert tell.when == on(2, yes=True)


async def test_all_that_is_said_behind_a_condition_hangs_on_it() -> None:
    _, *rest = await steps("if mail-4 says yes, tell Bob: I'll come; tell Mum: I'll be late")
    assert [one.args["text"] for one in rest] == ["I'll come", "I'll be late"]
    assert [one.when for one in rest] == [on(1, yes=True)] * 2


async def test_an_answer_to_a_question_keeps_the_condition() -> None:
    output = await plan("if mail-4 says yes, tell Anna: I'll come")
    assert isinstance(output, Unclear)
    assert [choice.words for choice in output.choices] == [
        "if mail-4 says yes, send Anna a Telegram message: I'll come",
        "if mail-4 says yes, send Anna a mail: I'll come",
    ]


async def told_to_hang(harness: Harness, answer: str) -> None:
    """The owner is shown a mail, and says what hangs on it."""
    row = mail_row("Dinner", "<1@x>")
    harness.results["bot_email_search_inbox"] = [
        IntegrationResult(ok=True, data={"messages": [row], "count": 1, "complete": True})
    ]
    await harness.say("any mail?", planned(step(1, "bot_email_search_inbox", words="")))
    harness.planner, harness.reader = EmbeddedPlanner(), RuleReader()
    harness.start()
    harness.results[READ] = [whole(parsed("Dinner", answer), shelf("<1@x>"), ())]
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
