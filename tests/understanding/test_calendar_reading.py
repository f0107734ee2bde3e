"""Plans of `calendar_reading` from requests as the reader marks them, in the four languages."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.calendar.reading import BUILDERS
from tests.understanding.marked import made, said, steps

Steps = list[tuple[str, dict[str, Any]]]

PLANS: tuple[tuple[str, str, str, Steps], ...] = (
    (
        "calendar.list",
        "en",
        "what's on [friday](time)",
        [("user_calendar_list_events", {"since": "2026-03-06", "before": "2026-03-07"})],
    ),
    (
        "calendar.list",
        "en",
        "when is my [dentist appointment](topic)",
        [("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"})],
    ),
    (
        "calendar.list",
        "en",
        "what's my next appointment",
        [("user_calendar_list_events", {"since": "2026-03-04T10:30", "limit": 1})],
    ),
    (
        "calendar.list",
        "en",
        "what's my next meeting with [anna](with)",
        [
            (
                "user_calendar_list_events",
                {"since": "2026-03-04T10:30", "before": "2027-03-04", "words": "anna", "limit": 1},
            )
        ],
    ),
    (
        "calendar.list",
        "en",
        "what's on [tomorrow afternoon](time)",
        [("user_calendar_list_events", {"since": "2026-03-05T12:00", "before": "2026-03-05T18:00"})],
    ),
    ("calendar.list", "en", "what's on my calendar", [("user_calendar_list_events", {"since": "2026-03-04"})]),
    (
        "calendar.list",
        "en",
        "what's on [thursday after three](time)",
        [("user_calendar_list_events", {"since": "2026-03-05T15:00", "before": "2026-03-06"})],
    ),
    (
        "calendar.list",
        "de",
        "wann ist [der Zahnarzttermin](topic)",
        [("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Zahnarzt"})],
    ),
    (
        "calendar.list",
        "de",
        "was hab ich [nächste Woche](time)",
        [("user_calendar_list_events", {"since": "2026-03-09", "before": "2026-03-16"})],
    ),
    (
        "calendar.list",
        "fr",
        "où dois-je être à [16h](time)",
        [("user_calendar_list_events", {"since": "2026-03-04T16:00", "before": "2026-03-04T17:00"})],
    ),
    (
        "calendar.list",
        "fr",
        "montre l'agenda de la [semaine](time)",
        [("user_calendar_list_events", {"since": "2026-03-02", "before": "2026-03-09"})],
    ),
    ("calendar.list", "es", "próxima cita", [("user_calendar_list_events", {"since": "2026-03-04T10:30", "limit": 1})]),
    (
        "calendar.list",
        "es",
        "dónde es la cita de las [cinco](time)",
        [("user_calendar_list_events", {"since": "2026-03-04T17:00", "before": "2026-03-04T18:00"})],
    ),
    (
        "calendar.list",
        "es",
        "cuándo veo a [mi psicóloga](with)",
        [("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "psicóloga"})],
    ),
    (
        "calendar.free",
        "en",
        "am i free on [sunday at five](time)",
        [("user_calendar_find_free_time", {"since": "2026-03-08T17:00", "before": "2026-03-08T18:00"})],
    ),
    (
        "calendar.free",
        "en",
        "when am I free on [Thursday](time) for [an hour](duration)",
        [("user_calendar_find_free_time", {"since": "2026-03-05", "before": "2026-03-06", "minutes": 60})],
    ),
    (
        "calendar.free",
        "en",
        "when could I meet [Anna](with) [next week](time)",
        [("user_calendar_find_free_time", {"since": "2026-03-09", "before": "2026-03-16"})],
    ),
    (
        "calendar.free",
        "en",
        "am I free [tomorrow at five in the morning](time)",
        [("user_calendar_find_free_time", {"since": "2026-03-05T05:00", "before": "2026-03-05T06:00"})],
    ),
    (
        "calendar.free",
        "de",
        "bin ich [morgen um drei](time) frei",
        [("user_calendar_find_free_time", {"since": "2026-03-05T15:00", "before": "2026-03-05T16:00"})],
    ),
    (
        "calendar.free",
        "fr",
        "je suis libre [jeudi soir](time) ?",
        [("user_calendar_find_free_time", {"since": "2026-03-05T18:00", "before": "2026-03-06"})],
    ),
    (
        "calendar.free",
        "es",
        "busca [una hora](duration) libre [esta semana](time)",
        [("user_calendar_find_free_time", {"since": "2026-03-02", "before": "2026-03-09", "minutes": 60})],
    ),
    (
        "calendar.list",
        "fr",
        "montre mes rendez-vous [d'](time)[après demain](time)",
        [("user_calendar_list_events", {"since": "2026-03-06", "before": "2026-03-07"})],
    ),
    (
        "calendar.list",
        "en",
        "meetings the [day after tomorrow](time)",
        [("user_calendar_list_events", {"since": "2026-03-06", "before": "2026-03-07"})],
    ),
    (
        "calendar.list",
        "de",
        "Termine nach [dem Wochenende](time)",
        [("user_calendar_list_events", {"since": "2026-03-09"})],
    ),
    ("calendar.list", "en", "meetings [after May](time)", [("user_calendar_list_events", {"since": "2026-06-01"})]),
    ("calendar.list", "de", "Termine nach [Montag](time)", [("user_calendar_list_events", {"since": "2026-03-10"})]),
    *(
        (
            "calendar.list",
            language,
            line,
            [("user_calendar_list_events", {"since": f"2026-{day}", "before": f"2026-{next_day}"})],
        )
        for language, line, day, next_day in (
            ("fr", "mes rendez-vous du [22](time)", "03-22", "03-23"),
            ("es", "mis citas del [22](time)", "03-22", "03-23"),
            ("de", "Termine am [3.4](time)", "04-03", "04-04"),
        )
    ),
    ("calendar.calendars", "en", "which calendars do i have", [("user_calendar_list_calendars", {})]),
    ("calendar.calendars", "de", "welche kalender hab ich", [("user_calendar_list_calendars", {})]),
    ("calendar.calendars", "fr", "liste mes agendas", [("user_calendar_list_calendars", {})]),
    ("calendar.calendars", "es", "qué calendarios tengo", [("user_calendar_list_calendars", {})]),
)
ASKED: tuple[tuple[str, str, str, str, list[str]], ...] = (
    (
        "calendar.free",
        "de",
        "hab ich am [langen wochenende](time) frei",
        "Which time is “langen wochenende”? Say it like “tomorrow at 9”.",
        [],
    ),
    (
        "calendar.list",
        "es",
        "qué tengo el día [después del lunes](time)",
        "Which time is “después del lunes”? Say it like “tomorrow at 9”.",
        [],
    ),
)


@pytest.mark.parametrize(("intent", "language", "line", "plan"), PLANS)
def test_a_plan(intent: str, language: str, line: str, plan: Steps) -> None:
    assert steps(BUILDERS, said(line, intent, language=language)) == plan


@pytest.mark.parametrize(("intent", "language", "line", "question", "words"), ASKED)
def test_a_question(intent: str, language: str, line: str, question: str, words: list[str]) -> None:
    asked = made(BUILDERS, said(line, intent, language=language))
    assert isinstance(asked, Unclear)
    assert (asked.question, [one.words for one in asked.choices]) == (question, words)
