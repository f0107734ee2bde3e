"""Acts on many mails that are done again and again: how often, how many, until when, and which dates move on."""
# names: made up here

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded import agenda_scene
from tests.orchestrator.embedded.scene import plan

PROMOTIONS = {"category": "promotions"}
WEEK_OLD = PROMOTIONS | {"before": "2026-02-25"}
SUNDAY = {"every": "week", "on": ["sunday"]}
ROWS: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("every Sunday archive newsletters older than a week", "archive", WEEK_OLD, SUNDAY | {"at": "09:00"}),
    ("archive newsletters older than a week every Sunday", "archive", WEEK_OLD, SUNDAY | {"at": "09:00"}),
    ("archive newsletters older than a week on Sundays at 8", "archive", WEEK_OLD, SUNDAY | {"at": "08:00"}),
    ("every Sunday at 7:30, archive all newsletters older than a week", "archive", WEEK_OLD, SUNDAY | {"at": "07:30"}),
    ("every Sunday evening archive newsletters older than a week", "archive", WEEK_OLD, SUNDAY | {"at": "18:00"}),
    ("every night at 2 mark promotions as read", "mark_read", PROMOTIONS, {"every": "day", "at": "02:00"}),
    ("mark promotions as read every night at 2", "mark_read", PROMOTIONS, {"every": "day", "at": "02:00"}),
    ("every day at 9 pm mark promotions as read", "mark_read", PROMOTIONS, {"every": "day", "at": "21:00"}),
    ("mark promotions as read daily", "mark_read", PROMOTIONS, {"every": "day", "at": "09:00"}),
    ("every morning mark promotions as read", "mark_read", PROMOTIONS, {"every": "day", "at": "09:00"}),
    ("every month trash promotions over a year old, at most 500", "trash", PROMOTIONS | {"before": "2025-03-04"},
     {"every": "month", "day": 1, "at": "09:00", "most": 500}),
    ("trash promotions over a year old every month, at most 500 at a time", "trash",
     PROMOTIONS | {"before": "2025-03-04"}, {"every": "month", "day": 1, "at": "09:00", "most": 500}),
    ("trash promotions older than a month on the 15th of every month", "trash", PROMOTIONS | {"before": "2026-02-04"},
     {"every": "month", "day": 15, "at": "09:00"}),
    ("every month on the third at 8 trash promotions older than a month", "trash",
     PROMOTIONS | {"before": "2026-02-04"}, {"every": "month", "day": 3, "at": "08:00"}),
    ("on the last day of every month trash promotions older than a month", "trash",
     PROMOTIONS | {"before": "2026-02-04"}, {"every": "month", "day": 31, "at": "09:00"}),
    ("every Monday and Thursday archive mails from hostinger", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["monday", "thursday"], "at": "09:00"}),
    ("every weekday archive mails from hostinger", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"], "at": "09:00"}),
    ("on weekends archive mails from hostinger", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["saturday"], "at": "09:00"}),
    ("every week on Friday archive mails from hostinger", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["friday"], "at": "09:00"}),
    ("weekly archive mails from hostinger", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["monday"], "at": "09:00"}),
    ("archive mails from hostinger every Friday until 1 June", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["friday"], "at": "09:00", "until": "2026-06-01"}),
    ("every Friday at 9 in the evening archive mails from hostinger", "archive", {"senders": ["hostinger"]},
     {"every": "week", "on": ["friday"], "at": "21:00"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "action", "args", "repeat"), ROWS, ids=[row[0] for row in ROWS])
async def test_how_often_is_read_with_what_is_done(
    words: str, action: str, args: dict[str, Any], repeat: dict[str, Any]
) -> None:
    found = await plan(words)
    assert isinstance(found, Planned), found
    (step,) = found.steps
    assert (step.tool_call, step.args) == (f"user_email_{action}", args | {"repeat": repeat})


@pytest.mark.parametrize(
    ("words", "tool", "args"),
    [
        ("every Sunday at 18:00 archive all cards in Done", "user_trello_archive_card", {"in_list": "Done"}),
        ("move all overdue cards to Later every Sunday at 18:00", "user_trello_move_card",
         {"overdue": True, "to_list": "Later"}),
        ("every Sunday at 18:00 delete all events called standup", "user_calendar_delete_event", {"words": "standup"}),
    ],
)  # fmt: skip
async def test_cards_and_events_are_tidied_up_too(words: str, tool: str, args: dict[str, Any]) -> None:
    found = await agenda_scene.plan(words)
    assert isinstance(found, Planned), found
    assert (found.steps[0].tool_call, found.steps[0].args) == (tool, args | {"repeat": SUNDAY | {"at": "18:00"}})


@pytest.mark.parametrize(
    "words",
    ["comment the first card every Monday: hello", "clear my calendar daily"],
)
async def test_what_is_not_done_to_many_is_not_done_again_and_again(words: str) -> None:
    assert isinstance(await agenda_scene.plan(words), Unclear)


FOREIGN = [
    "archiviere jeden Sonntag um 8 alle Newsletter, die älter als eine Woche sind",
    "Jeden Sonntag um 8 Uhr: archiviere alle Newsletter, die älter als eine Woche sind",
    "archive tous les dimanches à 8 h toutes les newsletters de plus d'une semaine",
    "Tous les dimanches à 8h, archive les newsletters de plus d'une semaine",
    "archiva cada domingo a las 8 todos los boletines de más de una semana",
    "todos los domingos a las 8 archiva los boletines de más de una semana",
]


@pytest.mark.parametrize("words", FOREIGN)
async def test_other_languages_say_it_too(words: str) -> None:
    found = await plan(words)
    assert isinstance(found, Planned), found
    (step,) = found.steps
    assert (step.tool_call, step.args) == (
        "user_email_archive",
        WEEK_OLD | {"repeat": SUNDAY | {"at": "08:00"}},
    )


async def test_a_date_that_was_said_as_one_stays_and_todays_moves_on() -> None:
    found = await plan("every Sunday archive newsletters before 1 January 2026")
    assert isinstance(found, Planned)
    assert found.steps[0].args["repeat"]["fixed"] == ["before"]
    found = await plan("every night mark mails from today as read")
    assert isinstance(found, Planned)
    assert "fixed" not in found.steps[0].args["repeat"]
    assert found.steps[0].args["since"] == "2026-03-04"


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        ("every month archive newsletters from last month", "say how old they are"),
        ("archive the first one every Sunday", "found anew each time"),
        ("every hour archive newsletters", "but not otherwise"),
        ("archive newsletters every other week", "but not otherwise"),
        ("every Sunday archive all mails", "Which mails do you mean"),
    ],
)
async def test_what_cannot_be_done_again_and_again_is_asked_about(words: str, asked: str) -> None:
    found = await plan(words)
    assert isinstance(found, Unclear), found
    assert asked in found.question


async def test_an_answer_to_a_question_is_still_about_again_and_again() -> None:
    found = await plan("every Sunday delete everything from Anna older than a week", referents=())
    assert isinstance(found, Unclear)
    again = await plan(found.choices[0].words)
    assert isinstance(again, Planned)
    assert (again.steps[0].tool_call, again.steps[0].args["repeat"]) == ("user_email_trash", SUNDAY | {"at": "09:00"})


@pytest.mark.parametrize(
    "words",
    [
        "tell Anna that I archive newsletters every Sunday",
        "archive newsletters older than a week",
        "archive all mails about every Sunday's run",
        "remind me every Sunday to archive newsletters",
        "archive mails from hostinger, at most 500",
    ],
)
async def test_what_only_sounds_like_it_is_no_such_order(words: str) -> None:
    found = await plan(words)
    assert not isinstance(found, Planned) or all("repeat" not in step.args for step in found.steps)
