"""Plans of `calendar_making` from requests as the reader marks them, in the four languages."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.calendar.making import BUILDERS
from tests.understanding.marked import made, said, steps

Steps = list[tuple[str, dict[str, Any]]]

PLANS: tuple[tuple[str, str, str, Steps], ...] = (
    (
        "calendar.create",
        "en",
        "add [dentist](title) on [friday at 3pm](time) for [an hour](duration)",
        [("user_calendar_create_event", {"title": "Dentist", "start": "2026-03-06T15:00", "minutes": 60})],
    ),
    (
        "calendar.create",
        "en",
        "add [lunch](title) with [anna](with) [tomorrow at noon](time)",
        [("user_calendar_create_event", {"title": "Lunch with anna", "start": "2026-03-05T12:00"})],
    ),
    (
        "calendar.create",
        "en",
        "invite [bob](with) to [lunch](title) [tomorrow at noon](time)",
        [
            (
                "user_calendar_create_event",
                {"title": "Lunch", "start": "2026-03-05T12:00", "guests": [{"contact": "bob"}]},
            )
        ],
    ),
    (
        "calendar.create",
        "en",
        "add [dinner](title) at [luigi's](place) [tomorrow at 8](time)",
        [("user_calendar_create_event", {"title": "Dinner", "start": "2026-03-05T20:00", "location": "luigi's"})],
    ),
    (
        "calendar.create",
        "en",
        "add [meeting](title) on [friday at 3](time)",
        [("user_calendar_create_event", {"title": "Meeting", "start": "2026-03-06T15:00"})],
    ),
    (
        "calendar.create",
        "en",
        "add [holiday](title) [from 3 to 10 august](time)",
        [("user_calendar_create_event", {"title": "Holiday", "start": "2026-08-03", "end": "2026-08-10"})],
    ),
    (
        "calendar.create",
        "en",
        "add [yoga](title) [every monday at 6pm](every)",
        [("user_calendar_create_event", {"title": "Yoga", "start": "2026-03-09T18:00", "repeat": "weekly"})],
    ),
    (
        "calendar.create",
        "en",
        "[football training](title) [Tuesdays and Thursdays at six](every), [90 min](duration)",
        [
            (
                "user_calendar_create_event",
                {"title": "Football training", "start": "2026-03-10T18:00", "minutes": 90, "repeat": "weekly"},
            ),
            (
                "user_calendar_create_event",
                {"title": "Football training", "start": "2026-03-05T18:00", "minutes": 90, "repeat": "weekly"},
            ),
        ],
    ),
    (
        "calendar.create",
        "en",
        "add [dentist](title) on [friday at 15:00](time) at [Main Street](place), remind me [an hour](lead) before",
        [
            (
                "user_calendar_create_event",
                {"title": "Dentist", "start": "2026-03-06T15:00", "location": "Main Street", "remind_minutes": 60},
            )
        ],
    ),
    (
        "calendar.create",
        "en",
        "add [dentist](title) on [friday from 15:00 to 16:30](time)",
        [("user_calendar_create_event", {"title": "Dentist", "start": "2026-03-06T15:00", "end": "2026-03-06T16:30"})],
    ),
    (
        "calendar.create",
        "en",
        "add [anna's birthday](title) on [5 may](time)",
        [("user_calendar_create_event", {"title": "Anna's birthday", "start": "2026-05-05", "repeat": "yearly"})],
    ),
    (
        "calendar.create",
        "en",
        "set up a [call](title) with [liz@forge.example](with) at [10:15 on Monday](time)",
        [
            (
                "user_calendar_create_event",
                {"title": "Call", "start": "2026-03-09T10:15", "guests": [{"address": "mail:liz@forge.example"}]},
            )
        ],
    ),
    (
        "calendar.create",
        "de",
        "trag [Zahnarzt](title) am [3. Dezember um 10:30](time) ein",
        [("user_calendar_create_event", {"title": "Zahnarzt", "start": "2026-12-03T10:30"})],
    ),
    (
        "calendar.create",
        "de",
        "block mir [donnerstag vormittag](time) für [Steuererklärung](title)",
        [("user_calendar_create_event", {"title": "Steuererklärung", "start": "2026-03-05T09:00"})],
    ),
    (
        "calendar.create",
        "de",
        "[Abendessen](title) mit [den Grubers](with) [Sonntag um 7](time)",
        [("user_calendar_create_event", {"title": "Abendessen mit den Grubers", "start": "2026-03-08T19:00"})],
    ),
    (
        "calendar.create",
        "fr",
        "[anniv de Lucie](title) le [9 juillet, chaque année](every)",
        [("user_calendar_create_event", {"title": "Anniv de Lucie", "start": "2026-07-09", "repeat": "yearly"})],
    ),
    (
        "calendar.create",
        "fr",
        "ajoute [aquagym](title) [tous les mercredis de 18 à 20h](every) à la [piscine](place)",
        [
            (
                "user_calendar_create_event",
                {
                    "title": "Aquagym",
                    "start": "2026-03-04T18:00",
                    "end": "2026-03-04T20:00",
                    "repeat": "weekly",
                    "location": "piscine",
                },
            )
        ],
    ),
    (
        "calendar.create",
        "fr",
        "prends [2h](duration) [jeudi après-midi](time) pour la [compta](title)",
        [("user_calendar_create_event", {"title": "Compta", "start": "2026-03-05T14:00", "minutes": 120})],
    ),
    (
        "calendar.create",
        "es",
        "pon [cena empresa](title) [viernes 20](time) [21:30](time) en [Casa Paco](place)",
        [
            (
                "user_calendar_create_event",
                {"title": "Cena empresa", "start": "2026-03-20T21:30", "location": "Casa Paco"},
            )
        ],
    ),
    (
        "calendar.create",
        "es",
        "tengo [fisio](title) [los miércoles a las 18:15](every), ponlo",
        [("user_calendar_create_event", {"title": "Fisio", "start": "2026-03-04T18:15", "repeat": "weekly"})],
    ),
)
ASKED: tuple[tuple[str, str, str, str, list[str]], ...] = (
    (
        "calendar.create",
        "en",
        "add [meeting](title) on [friday](time)",
        "At what time on Friday 6 March 2026?",
        [
            "add meeting on 2026-03-06 09:00",
            "add meeting on 2026-03-06 12:00",
            "add meeting on 2026-03-06 18:00",
            "add meeting on 2026-03-06 all day",
        ],
    ),
    (
        "calendar.create",
        "en",
        "add [yoga](title) [every other monday at 6pm](every)",
        "I can repeat an event every day, week, month or year, and on one day of the week.",
        [],
    ),
    ("calendar.create", "en", "put [dentist](title) into my calendar", "When is “Dentist”?", []),
)


@pytest.mark.parametrize(("intent", "language", "line", "plan"), PLANS)
def test_a_plan(intent: str, language: str, line: str, plan: Steps) -> None:
    assert steps(BUILDERS, said(line, intent, language=language)) == plan


@pytest.mark.parametrize(("intent", "language", "line", "question", "words"), ASKED)
def test_a_question(intent: str, language: str, line: str, question: str, words: list[str]) -> None:
    asked = made(BUILDERS, said(line, intent, language=language))
    assert isinstance(asked, Unclear)
    assert (asked.question, [one.words for one in asked.choices]) == (question, words)
