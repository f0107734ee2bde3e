"""What a first user says becomes exactly the right call, or a question; never somebody else's message."""

from collections.abc import Mapping
from typing import Any

import pytest

from butler.contract.agents import When
from butler.contract.tools import Attachment
from butler.orchestrator.execution.binding import Sources, bind
from butler.orchestrator.planning.plan_types import Command, Planned, Unclear
from modules.email.parsing.parsed import ParsedMail
from modules.email.views import MailEntry, whole
from tests.orchestrator.embedded import requests, scene


@pytest.mark.parametrize(("words", "tool", "args"), requests.ONE_STEP, ids=[row[0] for row in requests.ONE_STEP])
async def test_a_plain_request_becomes_exactly_one_call(words: str, tool: str, args: Mapping[str, Any]) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    assert [(step.step_id, step.tool_call, step.args) for step in output.steps] == [(1, tool, dict(args))]


@pytest.mark.parametrize(("words", "tool", "args"), requests.ONE_STEP, ids=[row[0] for row in requests.ONE_STEP])
async def test_a_planned_call_fits_its_tool_and_its_text_is_the_owners(words: str, tool: str, args: object) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned)
    request = scene.request(words)
    sources = Sources(
        request.words, {c.contact_id: c for c in scene.PEOPLE}, {r.handle: r for r in request.referents}, {}
    )
    spec = next(spec for spec in scene.TOOLS if spec.tool_name == tool)
    bound = bind(output.steps[0], spec, sources)
    for name in {"text", "body", "words"} & set(output.steps[0].args):
        assert bound.labels[name] == request.words.origins


@pytest.mark.parametrize(("words", "handle", "to"), requests.FORWARDED, ids=[row[0] for row in requests.FORWARDED])
async def test_a_mail_is_read_and_then_forwarded_as_it_is(words: str, handle: str, to: list[dict[str, str]]) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    read, send = output.steps
    assert (read.step_id, read.tool_call, read.args) == (1, requests.READ, {"message_id": {"handle": handle}})
    assert (send.step_id, send.tool_call, send.depends_on) == (2, requests.MAIL, [1])
    assert send.args == {
        "to": to,
        "subject": {"step": 1, "fact": "forward.subject"},
        "body": {"step": 1, "fact": "forward.body"},
        "attachments": {"step": 1, "fact": "forward.attachments"},
    }


async def test_a_forwarded_mail_takes_its_text_and_its_files_along() -> None:
    output = await scene.plan("forward the second one to Carol")
    assert isinstance(output, Planned)
    file = {"name": "bill.pdf", "size": 3, "sha256": "a" * 64, "media_type": "application/pdf"}
    shown = whole(
        ParsedMail(subject="Bill", text="Please pay."), MailEntry("key-3", "t", None, False, 9), [Attachment(**file)]
    )
    outcome = {"ok": True, "data": shown.data, "origins": []}
    request = scene.request("")
    sources = Sources(request.words, {c.contact_id: c for c in scene.PEOPLE}, {}, {1: outcome})
    spec = next(spec for spec in scene.TOOLS if spec.tool_name == requests.MAIL)
    bound = bind(output.steps[1], spec, sources)
    assert bound.args["subject"] == "Fwd: Bill"
    assert "Please pay." in bound.args["body"]
    assert bound.args["attachments"] == [file]


@pytest.mark.parametrize(("words", "question", "choices"), requests.UNCLEAR, ids=[row[0] for row in requests.UNCLEAR])
async def test_doubt_becomes_a_question_with_the_answers_as_requests(
    words: str, question: str, choices: list[str]
) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Unclear), output
    assert question in output.question
    assert [choice.words for choice in output.choices] == choices


@pytest.mark.parametrize("words", [row[0] for row in requests.UNCLEAR if row[2]])
async def test_the_words_behind_a_button_are_understood_and_lead_on(words: str) -> None:
    asked = await scene.plan(words)
    assert isinstance(asked, Unclear)
    for choice in asked.choices:
        output = await scene.plan(choice.words)
        assert output != asked
        assert not isinstance(output, Unclear) or "did not understand" not in output.question


@pytest.mark.parametrize("words", requests.NOT_UNDERSTOOD)
async def test_what_is_not_understood_is_said_to_be_so_with_three_examples(words: str) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Unclear)
    assert "did not understand" in output.question
    assert output.question.count("•") == 3


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("help", Command.HELP),
        ("what can you do?", Command.HELP),
        ("hi", Command.HELP),
        ("Hello Jeeves!", Command.HELP),
        ("what is pending", Command.PENDING),
        ("What's pending?", Command.PENDING),
        ("anything pending?", Command.PENDING),
        ("no", Command.PENDING),
        ("No thanks.", Command.PENDING),
        ("deny", Command.PENDING),
        ("never mind", Command.PENDING),
        ("status", Command.STATUS),
        ("are you there?", Command.STATUS),
        ("which rules are there?", Command.RULES),
        ("show me my standing rules", Command.RULES),
        ("what are my rules", Command.RULES),
        ("What are my standing rules?", Command.RULES),
        ("show my rules", Command.RULES),
        ("my standing rules", Command.RULES),
        ("my rules", Command.RULES),
        ("which rules do I have?", Command.RULES),
        ("please list all my rules", Command.RULES),
        ("what is running?", Command.BULK),
        ("What's still running", Command.BULK),
        ("is anything running?", Command.BULK),
    ],
)
async def test_the_house_answers_for_itself(words: str, command: Command) -> None:
    assert await scene.plan(words) is command


@pytest.mark.parametrize(
    ("words", "all_words", "telling"),
    [
        ("what's my locker number?", "locker number", "locker"),
        ("do you remember my locker number?", "locker number", "locker"),
        ("when is Anna's birthday?", "Anna birthday", "Anna"),
        ("what is Rossi’s phone number", "Rossi phone number", "Rossi"),
        ("where is my phone number", "phone number", "number"),
    ],
)
async def test_a_thing_is_looked_for_by_all_its_words_and_else_by_the_most_telling(
    words: str, all_words: str, telling: str
) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    first, second = output.steps
    assert (first.tool_call, first.args, first.when) == (requests.NOTES, {"words": all_words}, None)
    assert (second.tool_call, second.args) == (requests.NOTES, {"words": telling})
    assert second.when == When(step_id=1, fact="notes", is_="empty")


async def test_people_reached_by_telegram_get_one_message_each() -> None:
    output = await scene.plan("tell Bob, mum and Anna that I'm home")
    assert isinstance(output, Planned)
    assert [step.args["to"]["contact"] for step in output.steps] == ["c-bob", "c-mum", "c-anna"]
    assert [step.step_id for step in output.steps] == [1, 2, 3]


async def test_somebody_named_twice_gets_one_message() -> None:
    output = await scene.plan("tell Bob and bob: hi")
    assert isinstance(output, Planned)
    assert len(output.steps) == 1


async def test_a_step_is_described_by_the_contacts_own_name() -> None:
    output = await scene.plan("tell my boss I'm ill")
    assert isinstance(output, Planned)
    assert output.steps[0].description == "Send Dave a mail"


async def test_two_requests_are_told_apart_where_the_second_asks_for_a_reminder() -> None:
    output = await scene.plan("tell bob I'm late and remind me at 11 to call him")
    assert isinstance(output, Planned)
    assert [(s.step_id, s.tool_call, s.args["text"]) for s in output.steps] == [
        (1, requests.TELEGRAM, "I'm late"),
        (2, requests.REMIND, "Call him"),
    ]


async def test_a_later_request_keeps_its_own_references() -> None:
    output = await scene.plan("note: done\nforward mail-3 to Carol")
    assert isinstance(output, Planned)
    note, read, send = output.steps
    assert (note.tool_call, read.step_id, send.depends_on) == (requests.NOTE, 2, [2])
    assert send.args["body"] == {"step": 2, "fact": "forward.body"}
