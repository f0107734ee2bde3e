"""How people say which of many mails they mean; and that what is not understood is never left out of it."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.many import bulk_of
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded.scene import TWO_ACCOUNTS, plan, request

DB = "Deutsche Bahn"
ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("archive all mails from Deutsche Bahn and the school", "archive", {"senders": [DB, "school"]}),
    ("archive everything from my bank manager older than 2 weeks", "archive",
     {"senders": ["bank manager"], "before": "2026-02-18"}),
    ("archive all mails from “Marks and Spencer”", "archive", {"senders": ["Marks and Spencer"]}),
    ("archive Carol's mails", "archive", {"senders": ["carol@work.example"]}),
    ("archive all mails from Anna Schmidt", "archive", {"senders": ["Anna Schmidt"]}),
    ("archive newsletters from hostinger older than a month but keep Amazon and Mum", "archive",
     {"category": "promotions", "senders": ["hostinger"], "before": "2026-02-04", "keep": ["Amazon", "Mum"]}),
    ("trash all mails from Bob without attachments", "trash", {"senders": ["Bob"], "attachment": False}),
    ("trash all mails from Bob, but not the ones with attachments", "trash", {"senders": ["Bob"], "attachment": False}),
    ("trash all mails from 2023", "trash", {"since": "2023-01-01", "before": "2024-01-01"}),
    ("archive all newsletters before March", "archive", {"category": "promotions", "before": "2026-03-01"}),
    ("archive all mails from Bob since 2024", "archive", {"senders": ["Bob"], "since": "2024-01-01"}),
    ("trash mails over 10 MB", "trash", {"larger_kb": 10_240}),
    ("trash mails larger than 5mb from Bob", "trash", {"senders": ["Bob"], "larger_kb": 5_120}),
    ("trash promotions that are over a year old", "trash", {"category": "promotions", "before": "2025-03-04"}),
    ("archive all mails from Bob newer than a week", "archive", {"senders": ["Bob"], "since": "2026-02-25"}),
    ("archive all mails in the folder Shops", "archive", {"label": "Shops"}),
    ("archive everything labelled Old Stuff older than a year", "archive",
     {"label": "Old Stuff", "before": "2025-03-04"}),
    ("clear my inbox of newsletters", "archive", {"category": "promotions", "inbox": True}),
    ("move everything from Bob out of my inbox", "archive", {"senders": ["Bob"]}),
    ("archive all mails from Bob that I haven't read", "archive", {"senders": ["Bob"], "unread": True}),
    ("archive all mails from Bob that are read", "archive", {"senders": ["Bob"], "unread": False}),
    ("archive only the unread mails from Bob", "archive", {"senders": ["Bob"], "unread": True}),
    ("mark as read all newsletters older than a week", "mark_read",
     {"category": "promotions", "before": "2026-02-25"}),
    ("mark all mails from Bob as read", "mark_read", {"senders": ["Bob"]}),
    ("label everything from the school as Family older than a year", "label",
     {"senders": ["school"], "name": "Family", "before": "2025-03-04"}),
    ("mark everything from Bob as spam", "spam", {"senders": ["Bob"]}),
    ("report all mails from Bob as junk", "spam", {"senders": ["Bob"]}),
    ("mark everything from Bob as not spam", "unspam", {"senders": ["Bob"]}),
    ("move everything from Bob to Old Things", "move", {"senders": ["Bob"], "to": "Old Things"}),
    ("put all mails from school into School", "move", {"senders": ["school"], "to": "School"}),
    ("move all mails from Bob to the folder Work older than a month", "move",
     {"senders": ["Bob"], "to": "Work", "before": "2026-02-04"}),
    ("move all newsletters to the trash", "trash", {"category": "promotions"}),
    ("archive all mails about the trip from Bob and about money", "archive",
     {"senders": ["Bob"], "words": "trip money"}),
    ("archive all mails older than a month older than a year", "archive", {"before": "2025-03-04"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "action", "args"), ROWS, ids=[row[0] for row in ROWS])
async def test_exactly_what_is_said_of_mails_is_looked_for(words: str, action: str, args: dict[str, Any]) -> None:
    output = await plan(words, referents=())
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (step.tool_call, step.args) == (f"user_email_{action}", args)


@pytest.mark.parametrize(
    "words",
    [
        "archive all mails from Bob that are not from a contact",
        "archive all mails from Bob smaller than 3 MB",
        "archive all unread mails from Bob that are read",
        "archive all mails from Zed tomorrow",
        "archive all newsletters but keep the important ones",
        "trash promotions but keep receipts",
        "trash all mails from Bob but not about money",
        "archive all mails in the folder A in the folder B",
        "archive all mails from my very good old friend from school days",
        "archive all mails in my school mailbox",
        "archive all mails from Bob in my school account",
        "archive all mails from him",
        "move everything from Bob to the last year",
        "move all mails from Bob to it",
        "archive all mails from Bob unless they are new",
        "archive all mails from Bob if I have read them",
        "archive all but the newest mail from Bob",
    ],
)
async def test_what_is_not_understood_leads_to_a_question_and_to_no_act(words: str) -> None:
    output = await plan(words, referents=())
    assert isinstance(output, Unclear), output
    assert output.question


async def test_who_is_to_be_spared_is_asked_about_where_it_may_be_no_sender() -> None:
    asked = await plan("trash promotions over a year old but keep receipts", referents=())
    assert isinstance(asked, Unclear)
    assert asked.question == "Do you mean all that comes from “receipts”?"
    chosen = await plan(asked.choices[0].words, referents=())
    assert isinstance(chosen, Planned)
    assert chosen.steps[0].args == {"category": "promotions", "before": "2025-03-04", "keep": ["receipts"]}


async def test_the_mailbox_that_was_said_is_the_one_that_is_meant() -> None:
    output = await plan("archive all newsletters in my work mailbox", tools=TWO_ACCOUNTS)
    assert isinstance(output, Planned)
    assert output.steps[0].args == {"category": "promotions", "account": "work"}
    other = await plan("archive all newsletters in my shop mailbox", tools=TWO_ACCOUNTS)
    assert isinstance(other, Unclear)
    assert "shop" in other.question


def test_a_request_for_many_is_read_apart_from_its_occasion() -> None:
    scene = scene_of(request("archive all newsletters from hostinger", referents=()))
    bulk = bulk_of(lex("archive all newsletters from hostinger"), scene)
    assert bulk is not None
    assert (bulk.tool, bulk.args) == ("user_email_archive", {"category": "promotions", "senders": ["hostinger"]})
    assert bulk_of(lex("archive it"), scene) is None


async def test_a_name_that_begins_small_and_goes_on_large_is_asked_about() -> None:
    asked = await plan("archive all mails from Bob and call Carol", referents=())
    assert isinstance(asked, Unclear)
    assert asked.question == "Do you mean all that comes from “call Carol”?"
