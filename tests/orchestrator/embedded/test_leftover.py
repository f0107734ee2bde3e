"""No part of a time becomes part of a text: it is read, or a question is asked, whatever is made of the request."""
# names: made up here

import json
from datetime import UTC, datetime
from itertools import islice
from typing import Any

import pytest

from butler.contract.asked_times import Times, rule_of
from butler.contract.schedules import RecurrenceRule
from butler.orchestrator.planning.plan_types import Planned, Unclear
from tests.orchestrator.embedded.agenda_scene import plan as plan_agenda
from tests.orchestrator.embedded.scene import NOW, ZONE, plan
from tests.orchestrator.embedded.time_phrases import AS_SAID, ASKED, EXCEPTIONS, LENGTHS, ZONES, Row

READ = LENGTHS + EXCEPTIONS + ZONES + AS_SAID


async def reminded(words: str, **changes: Any) -> tuple[str, RecurrenceRule]:
    output = await plan(words, **changes)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == "bot_reminders_create"
    args = json.loads(json.dumps(step.args))
    given = Times.model_validate({k: v for k, v in args.items() if k in Times.model_fields})
    return args["text"], rule_of(given, ZONE.key, changes.get("now", NOW))


def shown(rule: RecurrenceRule, how_many: int) -> tuple[str, ...]:
    fires = [rule.local(at) for at in islice(rule.fires(NOW), how_many)]
    return tuple(f"{at:%m-%d %H:%M:%S}".removesuffix(":00") for at in fires)


@pytest.mark.parametrize("row", READ, ids=[row[0] for row in READ])
async def test_all_of_a_time_is_read_and_the_text_is_the_rest(row: Row) -> None:
    words, text, times = row
    said, rule = await reminded(words)
    assert (said, shown(rule, len(times))) == (text, times)


@pytest.mark.parametrize("words", ASKED)
async def test_what_is_not_all_read_is_asked_about(words: str) -> None:
    assert isinstance(await plan(words), Unclear)


async def test_an_abbreviation_out_of_season_is_the_clock_on_the_wall_there() -> None:
    july = datetime(2026, 7, 15, 8, 0, tzinfo=UTC)
    for said in ("EST", "EDT", "ET", "New York time"):
        _, rule = await reminded(f"remind me tomorrow at 12:00 {said} to call Bo", now=july)
        assert rule.next_fire(july) == datetime(2026, 7, 16, 16, 0, tzinfo=UTC)


async def test_another_date_on_the_other_clock_is_asked_about() -> None:
    late = datetime(2026, 3, 4, 20, 0, tzinfo=UTC)
    assert isinstance(await plan("remind me tomorrow at 9 Tokyo time to call Bo", now=late), Unclear)
    assert isinstance(await plan("remind me on 12 March at 9 Tokyo time to call Bo", now=late), Planned)


async def test_several_zones_are_buttons_that_are_understood() -> None:
    output = await plan("remind me tomorrow at 9 CST to call Bo")
    assert isinstance(output, Unclear)
    times = [shown((await reminded(one.words))[1], 1) for one in output.choices]
    assert times == [("03-05 16:00",), ("03-05 02:00",)]
    assert [one.label.split(":")[0] for one in output.choices] == ["Chicago", "Shanghai"]


async def test_a_time_on_another_clock_stays_that_moment() -> None:
    _, rule = await reminded("remind me tomorrow at 15:00 PST to call Bo")
    assert rule.keeps == "instant"


@pytest.mark.parametrize(
    ("words", "text", "at"),
    [
        ("tell Bob tomorrow at 18:00 EST that I am late", "I am late", "2026-03-05T23:00"),
        ("tomorrow at 9am Tokyo time tell Bob: hi", "hi", "2026-03-05T00:00"),
        ('send Bob "hi" tomorrow at 12:00 UTC', "hi", "2026-03-05T12:00"),
        ("sag Bob morgen um 18 Uhr Londoner Zeit, dass ich komme", "Ich komme", "2026-03-05T18:00"),
        ("dis à Bob demain à 18h heure de New York que j'arrive", "J'arrive", "2026-03-05T23:00"),
        ("dile a Bob mañana a las 18 hora de Tokio que llego tarde", "Llego tarde", "2026-03-05T09:00"),
    ],
)
async def test_what_is_sent_on_another_clock_waits_for_it(words: str, text: str, at: str) -> None:
    output = await plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.args["text"].casefold() == text.casefold()
    assert step.not_before == datetime.fromisoformat(at).replace(tzinfo=UTC)


@pytest.mark.parametrize(
    "words",
    [
        "tell Bob tomorrow at 9 and again at 17: drink",
        "tell Bob tomorrow at 18:00 CST that I am late",
        "tell Bob tomorrow at 18:00 Hogwarts time that I am late",
        "tell Bob tomorrow at 9 in London that I am late",
        'send Bob "hi" tomorrow at 9 and again at 17',
        "tell Bob friday at 5 that I leave",
        "sag Bob morgen um 9 und nochmal um 17 Uhr: trinken",
        "dile a Bob mañana a las 9 y otra vez a las 17: bebe",
        "dis à Bob demain à 9h et encore à 17h : bois",
    ],
)
async def test_nothing_is_sent_at_once_for_a_time_that_is_not_understood(words: str) -> None:
    output = await plan(words)
    assert not isinstance(output, Planned), output


@pytest.mark.parametrize(
    ("words", "args"),
    [
        (
            "block 2 hours for deep work tomorrow morning",
            {"title": "Deep work", "start": "2026-03-05T09:00", "minutes": 120},
        ),
        ("book an hour with Anna tomorrow at 3", {"title": "Anna", "start": "2026-03-05T15:00", "minutes": 60}),
        ("block 30 minutes for lunch on Friday at 12", {"title": "Lunch", "start": "2026-03-06T12:00", "minutes": 30}),
        (
            "blockiere morgen früh 2 Stunden für Deep Work",
            {"title": "Deep Work", "start": "2026-03-05T09:00", "minutes": 120},
        ),
        (
            "bloque 2 heures pour le rapport demain à 14h",
            {"title": "Rapport", "start": "2026-03-05T14:00", "minutes": 120},
        ),
        (
            "bloquea 2 horas para el informe mañana a las 14",
            {"title": "Informe", "start": "2026-03-05T14:00", "minutes": 120},
        ),
        ("add dentist tomorrow at 15:00 PST to my calendar", {"title": "Dentist", "start": "2026-03-06T00:00"}),
        (
            "schedule a call with Bo on Friday from 9 to 10am New York time",
            {"title": "Call with Bo", "start": "2026-03-06T15:00", "end": "2026-03-06T16:00"},
        ),
        (
            "trag morgen um 15 Uhr New Yorker Zeit Zahnarzt in meinen Kalender ein",
            {"title": "Zahnarzt", "start": "2026-03-05T21:00"},
        ),
    ],
)
async def test_an_appointment_has_its_length_and_its_clock(words: str, args: dict[str, Any]) -> None:
    output = await plan_agenda(words)
    assert isinstance(output, Planned), output
    assert [(step.tool_call, step.args) for step in output.steps] == [("user_calendar_create_event", args)]


@pytest.mark.parametrize(
    "words",
    [
        "put Gym every day except Sunday in my calendar at 8",
        "add gym every Monday and every second Friday at 8 to my calendar",
        "add dentist tomorrow at 15:00 CST to my calendar",
        "add standup every day at 9 Tokyo time to my calendar",
        "trag Sport jeden Tag außer Sonntag um 8 in meinen Kalender ein",
        "ajoute sport tous les jours sauf dimanche à 8h dans mon calendrier",
        "añade deporte todos los días excepto el domingo a las 8 en mi calendario",
    ],
)
async def test_no_appointment_is_made_of_a_time_that_is_not_understood(words: str) -> None:
    assert not isinstance(await plan_agenda(words), Planned)


@pytest.mark.parametrize(
    "words", ["move all meetings on friday to monday", "verschiebe alle Termine am Freitag auf Montag"]
)
async def test_a_day_of_the_week_that_comes_before_as_well_is_asked_about(words: str) -> None:
    sunday = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)
    output = await plan_agenda(words, now=sunday)
    assert isinstance(output, Unclear)
    later, earlier = [await plan_agenda(one.words, now=sunday) for one in output.choices]
    assert isinstance(later, Planned)
    assert isinstance(earlier, Planned)
    assert [one.steps[0].args["days"] for one in (later, earlier)] == [3, -4]


@pytest.mark.parametrize(
    "words",
    [
        "remind me tomorrow PST to call Bo",
        "remind me on Friday and Saturday to call Bo",
        "erinnere mich morgen und Freitag an Bo",
        "rappelle-moi demain et vendredi d'appeler Bo",
        "recuérdame mañana y el viernes llamar a Bo",
    ],
)
async def test_no_button_holds_half_of_a_time_as_its_text(words: str) -> None:
    output = await plan(words)
    assert isinstance(output, Unclear)
    assert output.choices == ()
