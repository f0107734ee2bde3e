"""What the pages promise of single requests, as the reader marks these: nothing that is said is dropped."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Command, Unclear
from butler.orchestrator.understanding.planner import BUILDERS
from tests.understanding.marked import made, said, steps


@pytest.mark.parametrize(
    ("line", "language", "args"),
    [
        ("[every sunday](every) [archive newsletters](action) [older than a week](action)", "en",
         {"category": "promotions", "before": "2026-02-25"}),
        ("[every month](every) [trash promotions over a year old](action), [at most 500](action)", "en",
         {"category": "promotions", "before": "2025-03-04"}),
        ("archive mails from [hostinger](from) [every weekday at 7 until 1 June](every)", "en",
         {"senders": ["hostinger"]}),
    ],
)  # fmt: skip
def test_an_act_that_recurs_keeps_its_age_and_its_limit(line: str, language: str, args: dict[str, Any]) -> None:
    ((tool, found),) = steps(BUILDERS, said(line, "automation.create", language=language))
    assert tool in {"user_email_archive", "user_email_trash"}
    assert {name: found.get(name) for name in args} == args
    assert found["repeat"].get("most") == (500 if "500" in line else None)


@pytest.mark.parametrize(
    ("line", "language", "day"),
    [
        ("remind me at [the end of every quarter](every) to [check the budget](text)", "en", 31),
        ("erinner mich [am Ende jedes Quartals](every) an [das Budget](text)", "de", 31),
        ("rappelle-moi [à la fin de chaque trimestre](every) de [vérifier le budget](text)", "fr", 31),
        ("recuérdame [al final de cada trimestre](every) [revisar el presupuesto](text)", "es", 31),
    ],
)
def test_the_end_of_a_quarter(line: str, language: str, day: int) -> None:
    ((_, args),) = steps(BUILDERS, said(line, "reminder.create", language=language))
    assert (args["every"], args["interval"], args["day"], args["at"]) == ("month", 3, day, "2026-03-31T09:00:00")


def test_birthdays_are_events_of_every_year() -> None:
    line = "add these birthdays: [Anna](title) [5 May](time), [Bob](place) [3 June](time) and Mum on 12 January 1950"
    found = steps(BUILDERS, said(line, "calendar.create"))
    assert [(args["title"], args["start"], args["repeat"]) for _, args in found] == [
        ("Anna's birthday", "2026-05-05", "yearly"),
        ("Bob's birthday", "2026-06-03", "yearly"),
        ("Mum's birthday", "2027-01-12", "yearly"),
    ]


def test_what_to_do_behind_birthdays_is_none() -> None:
    line = "add these birthdays: Anna 5 May, Bob 3 June, put them in"
    found = steps(BUILDERS, said(line, "calendar.create"))
    assert [args["title"] for _, args in found] == ["Anna's birthday", "Bob's birthday"]


@pytest.mark.parametrize("names", ["Anna 5 May, Bob someday", "Anna 5 May, Carol 3 June, Bob someday"])
def test_a_birthday_that_is_not_read_is_asked_about(names: str) -> None:
    asked = made(BUILDERS, said(f"add these birthdays: {names}", "calendar.create"))
    assert isinstance(asked, Unclear)
    assert "Bob someday" in asked.question


def test_a_call_for_later_is_a_reminder() -> None:
    asked = made(BUILDERS, said("call [Anna](to) [tomorrow at 5](time)", "call.start"))
    assert isinstance(asked, Unclear)
    (remind,) = asked.choices
    assert [(step.tool_call, step.args["at"]) for step in remind.steps] == [
        ("bot_reminders_create", "2026-03-05T17:00:00")
    ]


def test_a_page_is_named_without_its_scheme() -> None:
    ((tool, args),) = steps(
        BUILDERS, said("what does [shop.example/prices](url) say about [delivery](query)?", "web.read")
    )
    assert (tool, args["url"], args["question"]) == ("bot_web_read_page", "shop.example/prices", "delivery")


@pytest.mark.parametrize("words", ["what am I waiting for", "auf wen warte ich", "j'attends la réponse de qui"])
def test_what_the_owner_waits_for_is_not_what_waits_for_the_owner(words: str) -> None:
    assert made(BUILDERS, said(words, "approve.list")) is Command.WAITING


def test_an_answer_to_all_goes_to_all() -> None:
    line = "reply to all on [the second one](ref): [see my notes](text)"
    ((_, args),) = steps(BUILDERS, said(line, "mail.reply"))
    assert args["reply_all"] is True
    ((_, args),) = steps(BUILDERS, said("reply to [the second one](ref): [to all: hi](text)", "mail.reply"))
    assert "reply_all" not in args


def test_who_has_telegram_alone_is_answered_there() -> None:
    ((tool, args),) = steps(BUILDERS, said("answer [mum](to): [yes](text)", "message.reply"))
    assert (tool, args["to"]) == ("user_telegram_send_message", {"contact": "mum"})
