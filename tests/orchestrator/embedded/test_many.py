"""What is read as an act on mails, and above all what is not: nothing is deleted that may have meant something else."""
# names: made up here

from dataclasses import replace
from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded.scene import ANNA, mail, plan


def acts(planned: object) -> list[str]:
    return [step.tool_call for step in planned.steps] if isinstance(planned, Planned) else []


@pytest.mark.parametrize(
    "words",
    [
        "delete everything about Anna",
        "remove everything about the lease",
        "delete my messages from yesterday",
        "delete the messages from Anna",
        "remove all from the list",
        "get rid of everything from the notes",
        "delete messages older than a month",
    ],
)
async def test_what_may_be_about_a_chat_or_a_note_is_asked_about(words: str) -> None:
    asked = await plan(words, referents=())
    assert isinstance(asked, Unclear)
    assert asked.question == "Do you mean mails?"
    assert acts(await plan(asked.choices[0].words, referents=())) == ["user_email_trash"]


@pytest.mark.parametrize(
    "words", ["star Anna's last mail", "archive the last mail from Anna", "delete Anna's last mail"]
)
async def test_a_mail_that_was_not_shown_yet_is_looked_for_first(words: str) -> None:
    asked = await plan(words, referents=())
    assert isinstance(asked, Unclear)
    assert [one.words for one in asked.choices] == ["any mail from Anna?"]


async def test_it_is_not_asked_where_mails_were_shown() -> None:
    assert acts(await plan("delete everything from Anna", referents=(mail(1),))) == ["user_email_trash"]


@pytest.mark.parametrize(
    "words",
    [
        "delete all messages in this chat",
        "delete all messages from Anna on Telegram",
        "remove Anna from the list",
        "archive this chat",
        "mark my words",
        "trash talk",
        "flag this as important",
        "tag Anna in the photo",
        "get rid of the reminder",
        "delete all my notes about the lease",
        "delete all mails from Bob tomorrow",
        "don't delete all mails from Bob",
        "delete everything",
        "delete the newsletter",
        "delete all my mail",
        "archive everything except Anna",
        "archive all mails except from Anna",
        "delete mails from *",
        'delete mails from "',
        "label everything from the school as Family and archive it",
        "tell Anna: delete all mails from Bob",
        "remind me to delete all mails from Bob",
    ],
)
async def test_no_mail_is_touched_by_what_says_something_else(words: str) -> None:
    assert not any(act.startswith("user_email_") for act in acts(await plan(words, referents=())))


@pytest.mark.parametrize(
    ("words", "args"),
    [
        ("delete all mails in my inbox older than a month", {"inbox": True, "before": "2026-02-04"}),
        ("archive mails from Bob about money and", {"senders": ["Bob"], "words": "money"}),
        (
            "label everything from the school as Family and Friends",
            {"senders": ["school"], "name": "Family and Friends"},
        ),
    ],
)
async def test_exactly_what_was_said_is_looked_for(words: str, args: dict[str, Any]) -> None:
    planned = await plan(words, referents=())
    assert isinstance(planned, Planned)
    assert {
        name: said["value"] if isinstance(said, dict) and "value" in said else said
        for name, said in planned.steps[0].args.items()
    } == args


async def test_whose_mails_go_is_not_guessed_and_of_one_person_every_address_counts() -> None:
    unclear = await plan("archive all mails from Sam")
    assert isinstance(unclear, Unclear)
    assert [one.words for one in unclear.choices] == [
        "archive all mails from sam hill",
        "archive all mails from sam dale",
    ]
    chosen = await plan(unclear.choices[1].words)
    assert isinstance(chosen, Planned)
    assert chosen.steps[0].args == {"senders": ["sam@dale.example"]}
    two = replace(ANNA, addresses=("mail:anna@friends.example", "telegram:5001", "mail:a.berg@work.example"))
    both = await plan("archive all mails from Anna", contacts=(two,))
    assert isinstance(both, Planned)
    assert both.steps[0].args == {"senders": ["anna@friends.example", "a.berg@work.example"]}
