"""Words become rules: what is meant was worked out by hand from the words, on a Wednesday, 4 March 2026, 10:30."""

import json
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest

from butler.contract.asked_times import Times, rule_of
from butler.contract.referents import ReferentKind
from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.store.conversation import Referent
from tests.orchestrator.embedded.reminder_phrases import ASKED, DE, EN, ES, FR
from tests.orchestrator.embedded.scene import NOW, ZONE, plan

SHOWN = tuple(
    Referent(handle=f"reminder-{n}", kind=ReferentKind.REMINDER, key=f"r{n}", tool="bot_reminders_list", ordinal=n)
    for n in (1, 2)
)
THIS = {"reminder_id": {"handle": "reminder-1"}}


async def step(words: str, **changes: Any) -> tuple[str, dict[str, Any]]:
    output = await plan(words, **changes)
    assert isinstance(output, Planned), output
    (one,) = output.steps
    return one.tool_call.removeprefix("bot_reminders_"), one.args


async def first_times(words: str, how_many: int) -> list[str]:
    action, args = await step(words)
    assert action == "create"
    given = Times.model_validate(json.loads(json.dumps({k: v for k, v in args.items() if k in Times.model_fields})))
    rule = rule_of(given, ZONE.key, NOW)
    return [f"{rule.local(at):%Y-%m-%d %H:%M}" for at in islice(rule.fires(NOW), how_many)]


@pytest.mark.parametrize(("when", "times"), EN)
async def test_a_time_in_words_is_the_time_that_is_meant(when: str, times: list[str]) -> None:
    assert await first_times(f"remind me {when} to call mum", len(times)) == times
    assert await first_times(f"remind me to call mum {when}", len(times)) == times


@pytest.mark.parametrize(("words", "times"), DE + FR + ES)
async def test_it_is_the_same_time_in_other_languages(words: str, times: list[str]) -> None:
    assert await first_times(words, len(times)) == times


@pytest.mark.parametrize("words", ASKED)
async def test_what_is_not_clear_is_asked(words: str) -> None:
    assert isinstance(await plan(words), Unclear)


async def test_what_ends_has_no_time_beyond_its_end() -> None:
    assert await first_times("remind me every day for the next 3 weeks at 9 to stretch", 30) == [
        f"2026-03-{day:02} 09:00" for day in range(5, 26)
    ]
    assert len(await first_times("remind me every Friday at 9 to stretch, 5 times", 30)) == 5
    assert (await first_times("remind me every day at 9 to stretch until 8 March", 30))[-1] == "2026-03-08 09:00"


async def test_an_hour_that_nobody_said_is_told_to_be_assumed() -> None:
    assert (await step("remind me every first Monday to call mum"))[1]["assumed"] is True
    assert "assumed" not in (await step("remind me every first Monday at 9 to call mum"))[1]


async def test_five_o_clock_may_be_either() -> None:
    output = await plan("remind me every day at 5 to feed the cat")
    assert isinstance(output, Unclear)
    assert [choice.label for choice in output.choices] == ["05:00", "17:00"]
    assert (await step(output.choices[1].words))[1]["at"] == "2026-03-04T17:00:00"


@pytest.mark.parametrize(
    ("words", "at", "assumed"),
    [
        (
            "remind me when Anna answers, or on Friday at 10 at the latest, to send the form",
            "2026-03-06T10:00:00",
            None,
        ),
        ("remind me when Anna answers, or on Friday at the latest, to send the form", "2026-03-06T09:00:00", "assumed"),
        ("remind me to send the form when Anna replies", "2026-03-11T10:30:00", "latest_assumed"),
        ("remind me to send the form as soon as Anna writes or by Friday at 10", "2026-03-06T10:00:00", None),
    ],
)
async def test_it_may_wait_for_an_answer_and_has_a_latest_time(words: str, at: str, assumed: str | None) -> None:
    action, args = await step(words)
    assert (action, args["text"], args["answer_from"], args["at"]) == ("create", "Send the form", "Anna Berg", at)
    assert [name for name in ("assumed", "latest_assumed") if args.get(name)] == ([assumed] if assumed else [])


@pytest.mark.parametrize(
    ("words", "action", "args"),
    [
        ("done", "done", {}),
        ("I did it", "done", {}),
        ("make it 10", "change", {"to_clock": "10:00"}),
        ("tomorrow at 8", "change", {"at": "2026-03-05T08:00:00"}),
        ("in an hour", "change", {"at": "2026-03-04T11:30:00"}),
        ("move it to Friday 10:00", "change", {"at": "2026-03-06T10:00:00"}),
        ("every Friday at 10", "change", {"at": "2026-03-06T10:00:00", "every": "week", "on": ["friday"]}),
        ("say: call dad", "change", {"text": "call dad"}),
        ("snooze for 20 minutes", "snooze", {"until": "2026-03-04T10:50:00"}),
        ("later", "snooze", {"minutes": 60}),
        ("an hour", "snooze", {"until": "2026-03-04T11:30:00"}),
        ("cancel it", "remove", {}),
        ("stop", "remove", {}),
        ("skip it", "skip", {}),
        ("erledigt", "done", {}),
        ("in einer Stunde", "change", {"at": "2026-03-04T11:30:00"}),
        ("lösch sie", "remove", {}),
        ("demain à 8h", "change", {"at": "2026-03-05T08:00:00"}),
        ("annule-le", "remove", {}),
        ("más tarde", "snooze", {"minutes": 60}),
    ],
)
async def test_a_reply_says_what_becomes_of_a_reminder(words: str, action: str, args: dict[str, Any]) -> None:
    assert await step(words, replied_to=SHOWN[:1], referents=SHOWN) == (action, THIS | args)


@pytest.mark.parametrize(
    ("words", "early", "late"),
    [
        ("make it 5", {"to_clock": "05:00"}, {"to_clock": "17:00"}),
        ("at half past five", {"to_clock": "05:30"}, {"to_clock": "17:30"}),
        (
            "every Friday at 5",
            {"at": "2026-03-06T05:00:00", "every": "week", "on": ["friday"]},
            {"at": "2026-03-06T17:00:00", "every": "week", "on": ["friday"]},
        ),
    ],
    ids=["an hour", "a half hour", "other days"],
)
async def test_five_o_clock_may_be_either_for_a_reminder_that_there_is_too(
    words: str, early: dict[str, Any], late: dict[str, Any]
) -> None:
    output = await plan(words, replied_to=SHOWN[:1], referents=SHOWN)
    assert isinstance(output, Unclear)
    for chosen, args in zip(output.choices, (early, late), strict=True):
        assert await step(chosen.words, replied_to=SHOWN[:1], referents=SHOWN) == ("change", THIS | args)


@pytest.mark.parametrize(
    ("words", "clock"), [("make it 5pm", "17:00"), ("make it 5 am", "05:00"), ("at 05:30", "05:30")]
)
async def test_an_hour_that_says_its_half_of_the_day_is_not_asked_about(words: str, clock: str) -> None:
    said = await step(words, replied_to=SHOWN[:1], referents=SHOWN)
    assert said == ("change", THIS | {"to_clock": clock})


@pytest.mark.parametrize(
    ("words", "action", "args"),
    [
        ("snooze it", "snooze", {"reminder_id": {"handle": "reminder-2"}, "minutes": 60}),
        ("cancel the reminder about mum", "remove", {"words": "mum"}),
        ("stop reminding me about the bins", "remove", {"words": "bins"}),
        ("move my 9 o'clock reminder to 10", "change", {"clock": "09:00", "to_clock": "10:00"}),
        ("move the reminder about mum to friday at 10", "change", {"words": "mum", "at": "2026-03-06T10:00:00"}),
        ("mark the reminder about the bins as done", "done", {"words": "bins"}),
        ("cancel the second reminder", "remove", {"reminder_id": {"handle": "reminder-2"}}),
        ("change the time of the reminder about mum to 10", "change", {"words": "mum", "to_clock": "10:00"}),
        ("skip the next reminder about the bins", "skip", {"words": "bins"}),
        ("erinnere mich nicht mehr an den Müll", "remove", {"words": "müll"}),
        ("supprime le rappel de maman", "remove", {"words": "maman"}),
        ("borra el recordatorio de mamá", "remove", {"words": "mamá"}),
        ("what do you remind me of", "list", {}),
    ],
)
async def test_a_reminder_is_named_by_its_words_its_hour_or_its_place(
    words: str, action: str, args: dict[str, Any]
) -> None:
    assert await step(words, referents=SHOWN) == (action, args)


@pytest.mark.parametrize(
    ("words", "args"),
    [
        ("I'm in New York", {"zone": "America/New_York"}),
        ("I'm in Lisbon until Sunday", {"zone": "Europe/Lisbon", "until": "2026-03-08"}),
        ("I'm back home", {"zone": ""}),
        ("I am in Tokyo now", {"zone": "Asia/Tokyo"}),
        ("ich bin bis Sonntag in Lissabon", {"zone": "Europe/Lisbon", "until": "2026-03-08"}),
        ("ich bin wieder zu Hause", {"zone": ""}),
        ("je suis à Lisbonne", {"zone": "Europe/Lisbon"}),
        ("estoy en Nueva York", {"zone": "America/New_York"}),
    ],
)
async def test_a_place_is_the_clocks_on_the_wall_there(words: str, args: dict[str, Any]) -> None:
    assert await step(words) == ("travel", args)


async def test_a_place_with_several_clocks_is_asked_about() -> None:
    output = await plan("I'm in Georgia")
    assert isinstance(output, Unclear)
    assert await step(output.choices[1].words) == ("travel", {"zone": "Asia/Tbilisi"})


async def test_a_meeting_is_no_place() -> None:
    assert isinstance(await plan("I'm in a meeting"), Unclear)


NIGHT = datetime(2027, 10, 31, 0, 40, tzinfo=UTC)
"""02:40 in Berlin, twenty minutes before the clocks go back to two."""


@pytest.mark.parametrize(("minutes", "moment"), [(10, "00:50"), (25, "01:05"), (60, "01:40"), (90, "02:10")])
async def test_a_length_of_time_is_real_time_also_as_the_clocks_go_back(minutes: int, moment: str) -> None:
    due = datetime.fromisoformat(f"2027-10-31T{moment}+00:00")
    action, args = await step(f"remind me in {minutes} minutes to stretch", now=NIGHT)
    given = Times.model_validate({key: value for key, value in args.items() if key in Times.model_fields})
    assert (action, rule_of(given, ZONE.key, NIGHT).next_fire(NIGHT)) == ("create", due)
    output = await plan(f"in {minutes} minutes tell Bob: hi", now=NIGHT)
    assert isinstance(output, Planned)
    assert output.steps[0].not_before == due
    action, args = await step(f"snooze the first one for {minutes} minutes", now=NIGHT, referents=SHOWN)
    assert action == "snooze"
    until = datetime.fromisoformat(args["until"]).replace(tzinfo=ZONE, fold=int(args.get("later", False)))
    assert until.astimezone(UTC) == due


@pytest.mark.parametrize(
    "words",
    [
        "remind me on 31 February at 9",
        "remind me at 9 on 30 February to pay rent",
        "remind me at 9 on Feb 30 to pay",
        "remind me at 9 on the 31st of April to pay",
        "remind me at 9 on 2027-02-30 to pay",
        "remind me at 9 on 30.2. to pay",
        "erinnere mich um 9 am 30. Februar an die Miete",
        "rappelle-moi à 9h le 30 février de payer",
        "recuérdame a las 9 el 30 de febrero pagar",
    ],
)
async def test_a_date_that_there_is_not_is_no_text_and_is_asked_about(words: str) -> None:
    assert isinstance(await plan(words), Unclear)
