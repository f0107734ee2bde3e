"""Several accounts of the person: the one that is named is used, and none is guessed."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from tests.orchestrator.embedded import scene

MAIL, CHAT = "user_email_send_message", "user_telegram_send_message"
SEARCH, READ = "user_email_search_inbox", "user_email_read_message"


async def plan(words: str) -> PlannerOutput:
    return await scene.plan(words, tools=scene.TWO_ACCOUNTS)


def args(output: PlannerOutput) -> list[tuple[str, dict[str, Any]]]:
    assert isinstance(output, Planned), output
    return [(step.tool_call, step.args) for step in output.steps]


@pytest.mark.parametrize(
    "words",
    [
        "email Carol from my work account: hi",
        "send Carol a mail from my work address: hi",
        "email Carol with the work mail: hi",
    ],
)
async def test_a_mail_goes_through_the_account_that_is_named(words: str) -> None:
    ((tool, given),) = args(await plan(words))
    assert (tool, given["account"], given["body"]) == (MAIL, "work", "hi")


async def test_without_a_name_it_is_left_to_the_tool() -> None:
    ((_, given),) = args(await plan("email Carol: hi"))
    assert "account" not in given


async def test_a_telegram_message_goes_through_the_account_that_is_named() -> None:
    ((tool, given),) = args(await plan("tell Mum from my shop account: hi"))
    assert (tool, given["account"]) == (CHAT, "shop")


async def test_an_account_that_there_is_not_is_told_with_those_that_there_are() -> None:
    output = await plan("email Carol from my shop account: hi")
    assert isinstance(output, Unclear)
    assert output.question == "You have no account “shop” for mail; there are main, work."


async def test_an_account_at_the_end_of_the_text_is_asked_about() -> None:
    output = await plan("email Carol that I am late from my work account")
    assert isinstance(output, Unclear)
    assert [choice.words for choice in output.choices] == [
        "send Carol a mail from my work account: I am late",
        "send Carol a mail: I am late from my work account",
    ]
    ((_, given),) = args(await plan(output.choices[0].words))
    assert given["account"] == "work"


async def test_with_one_account_the_same_words_are_only_words() -> None:
    ((_, given),) = args(await scene.plan("email Carol that I am late from my work account"))
    assert given["body"] == "I am late from my work account"


@pytest.mark.parametrize("words", ["show unread mail in my work inbox", "my work unread mail"])
async def test_a_search_looks_into_the_mailbox_that_is_named(words: str) -> None:
    assert args(await plan(words)) == [(SEARCH, {"unread": True, "account": "work"})]


async def test_what_is_new_is_looked_for_where_it_is_said() -> None:
    assert args(await plan("what's new in my work mail?")) == [(SEARCH, {"unread": True, "account": "work"})]
    assert args(await plan("what did I miss on my shop telegram?")) == [
        ("user_telegram_get_updates", {"unread": True, "account": "shop"})
    ]
    everywhere = [(tool, given["account"]) for tool, given in args(await plan("what did I miss?"))]
    assert everywhere == [
        ("user_telegram_get_updates", "main"),
        ("user_telegram_get_updates", "shop"),
        (SEARCH, "main"),
        (SEARCH, "work"),
    ]


async def test_a_search_that_names_no_mailbox_looks_into_each() -> None:
    assert [given["account"] for _, given in args(await plan("any mail from Carol?"))] == ["main", "work"]


async def test_what_somebody_wrote_is_read_in_the_account_that_is_named() -> None:
    ((tool, given),) = args(await plan("what did Mum write on my shop telegram?"))
    assert (tool, given["account"]) == ("user_telegram_get_message_history", "shop")
