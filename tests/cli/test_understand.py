"""`butler understand` shows what would be made of words, and does nothing."""

import json

import pytest

from butler.contract.agents import PlanStep

NOW = "2026-03-02T08:30"


async def answer(butler, text: str, *options: str) -> dict:
    result = await butler("understand", text, "--json", "--now", NOW, *options)
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


async def test_a_request_becomes_steps(butler):
    [step] = (await answer(butler, "tell Anna on Telegram that I'll be ten minutes late"))["plan"]
    assert PlanStep.model_validate(step).tool_call == "user_telegram_send_message"
    assert step["args"]["to"] == {"contact": "anna"}
    assert "ten minutes late" in step["args"]["text"]


async def test_mails_that_were_shown_can_be_spoken_of(butler):
    steps = (await answer(butler, "forward the second one to Carol"))["plan"]
    assert steps[0]["args"] == {"message_id": {"handle": "mail-2"}}
    assert steps[1]["args"]["to"] == [{"contact": "carol"}]


async def test_now_is_when_it_is_said(butler):
    [step] = (await answer(butler, "remind me tomorrow at 9 to call mum"))["plan"]
    assert step["args"]["at"] == "2026-03-03T09:00:00"


async def test_what_is_unclear_is_said_as_a_question(butler):
    found = await answer(butler, "sort out the thing with the water")
    assert set(found) == {"unclear", "choices"}


async def test_a_command_has_no_steps(butler):
    assert await answer(butler, "help") == {"plan": [], "command": "help"}


async def test_people_read_it_as_text(butler):
    result = await butler("understand", "tell Anna on Telegram that I'll be late")
    assert result.stdout.startswith("1. ")
    assert "user_telegram_send_message" in result.stdout


async def test_people_read_when_it_would_be_sent(butler):
    result = await butler("understand", "tell Bob on Telegram tomorrow at 8 that I'm late", "--now", NOW)
    assert result.stdout.splitlines()[-1].strip() == "not before: 2026-03-03 08:00 (Europe/London)"


async def test_lines_are_answered_with_their_ids(butler):
    asked = [{"id": "a", "text": "help"}, {"id": 7, "text": "frobnicate"}]
    result = await butler("understand", "--jsonl", typed="\n".join(map(json.dumps, asked)))
    found = [json.loads(line) for line in result.stdout.splitlines()]
    assert [line["id"] for line in found] == ["a", 7]
    assert found[0]["command"] == "help"


async def test_a_line_that_is_no_json_is_named(butler):
    result = await butler("understand", "--jsonl", typed='{"id": 1, "text": "help"}\nhelp\n')
    assert result.exit_code == 1
    assert "line 2" in result.stderr


@pytest.mark.parametrize("args", [["help", "--now", "tomorrow"], [], ["help", "--jsonl"]])
async def test_wrong_usage_exits_with_2(butler, args):
    assert (await butler("understand", *args)).exit_code == 2
