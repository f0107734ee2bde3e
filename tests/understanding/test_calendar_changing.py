"""Plans of `calendar_changing` from requests as the reader marks them, in the four languages."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Planned, Unclear
from butler.orchestrator.understanding.calendar.changing import BUILDERS
from tests.understanding.marked import made, said, steps

Steps = list[tuple[str, dict[str, Any]]]

PLANS: tuple[tuple[str, str, str, Steps], ...] = (
    (
        "calendar.move",
        "fr",
        "repousse le [dentiste](topic) d'[une semaine](duration), [même heure](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentiste"}),
            ("user_calendar_move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "days": 7}),
        ],
    ),
    (
        "calendar.move",
        "en",
        "shift [Friday's](time_of) meetings to [Monday](time)",
        [("user_calendar_move_event", {"since": "2026-03-06", "before": "2026-03-07", "days": 3})],
    ),
    (
        "calendar.delete",
        "fr",
        "annule mes rendez-vous de [demain](time_of)",
        [("user_calendar_delete_event", {"since": "2026-03-05", "before": "2026-03-06"})],
    ),
    (
        "calendar.delete",
        "de",
        "sag meine Termine [morgen](time_of) ab",
        [("user_calendar_delete_event", {"since": "2026-03-05", "before": "2026-03-06"})],
    ),
    (
        "calendar.delete",
        "en",
        "cancel each of my meetings [tomorrow](time_of)",
        [("user_calendar_delete_event", {"since": "2026-03-05", "before": "2026-03-06"})],
    ),
    (
        "calendar.delete",
        "fr",
        "annule l'ensemble de mes rendez-vous de [demain](time_of)",
        [("user_calendar_delete_event", {"since": "2026-03-05", "before": "2026-03-06"})],
    ),
    (
        "calendar.delete",
        "en",
        "cancel one of my meetings [tomorrow](time_of)",
        [
            ("user_calendar_list_events", {"since": "2026-03-05", "before": "2026-03-06"}),
            ("user_calendar_delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.move",
        "en",
        "move [tuesday's](time_of) [lunch](topic) to [friday](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-10", "before": "2026-03-11", "words": "lunch"}),
            (
                "user_calendar_change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "on": "2026-03-13"},
                },
            ),
        ],
    ),
    (
        "calendar.move",
        "en",
        "move my meeting with [anna](with) to [4pm](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            (
                "user_calendar_change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "at": "16:00"},
                },
            ),
        ],
    ),
    (
        "calendar.move",
        "en",
        "move my meeting with [anna](with) to [friday](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            (
                "user_calendar_change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "on": "2026-03-06"},
                },
            ),
        ],
    ),
    (
        "calendar.move",
        "en",
        "move my meeting with [anna](with) to [friday at 10](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            (
                "user_calendar_change_event",
                {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-06T10:00"},
            ),
        ],
    ),
    (
        "calendar.move",
        "en",
        "push the [standup](topic) by [half an hour](duration)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "standup"}),
            ("user_calendar_move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "minutes": 30}),
        ],
    ),
    (
        "calendar.move",
        "en",
        "move the [standup](topic) [an hour](duration) earlier",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "standup"}),
            ("user_calendar_move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "minutes": -60}),
        ],
    ),
    (
        "calendar.move",
        "en",
        "move the [dentist](topic) to [next week](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
            ("user_calendar_move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "days": 7}),
        ],
    ),
    (
        "calendar.move",
        "de",
        "schieb die [Teamrunde](topic) um [eine halbe Stunde](duration) nach hinten",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Teamrunde"}),
            ("user_calendar_move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "minutes": 30}),
        ],
    ),
    (
        "calendar.move",
        "de",
        "[friseur](topic) vorziehen auf [14 uhr](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "friseur"}),
            (
                "user_calendar_change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "at": "14:00"},
                },
            ),
        ],
    ),
    (
        "calendar.move",
        "fr",
        "avance le [coiffeur](topic) d'[une heure](duration)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "coiffeur"}),
            ("user_calendar_move_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "minutes": -60}),
        ],
    ),
    (
        "calendar.move",
        "es",
        "pasa el [dentista](topic) al [viernes a las cinco](time)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentista"}),
            (
                "user_calendar_change_event",
                {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-06T17:00"},
            ),
        ],
    ),
    (
        "calendar.change",
        "en",
        "rename the meeting with [anna](with) to [kickoff](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            ("user_calendar_change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "title": "Kickoff"}),
        ],
    ),
    (
        "calendar.change",
        "en",
        "change the location of the meeting with [anna](with) to [room 5](place)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            ("user_calendar_change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "location": "Room 5"}),
        ],
    ),
    (
        "calendar.change",
        "en",
        "make the meeting with [anna](with) [half an hour](duration) longer",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            (
                "user_calendar_change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "end": {"step": 1, "fact": "events.0.end", "minutes": 30},
                },
            ),
        ],
    ),
    (
        "calendar.change",
        "en",
        "make the [standup](topic) [an hour](duration) long",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "standup"}),
            ("user_calendar_change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "minutes": 60}),
        ],
    ),
    (
        "calendar.change",
        "en",
        "invite [bob](with) to the [standup](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "standup"}),
            (
                "user_calendar_change_event",
                {"event": {"step": 1, "fact": "events.0.event_id"}, "add_guests": [{"contact": "bob"}]},
            ),
        ],
    ),
    (
        "calendar.change",
        "en",
        "put a note in the [dentist](topic) appointment: [take the X-rays](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
            (
                "user_calendar_change_event",
                {"event": {"step": 1, "fact": "events.0.event_id"}, "description": "Take the X-rays"},
            ),
        ],
    ),
    (
        "calendar.change",
        "de",
        "verkürze die [Mittagspause](topic) auf [30 Minuten](duration)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Mittagspause"}),
            ("user_calendar_change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "minutes": 30}),
        ],
    ),
    (
        "calendar.change",
        "fr",
        "rallonge l'[atelier](topic) d'[une heure](duration)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "atelier"}),
            (
                "user_calendar_change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "end": {"step": 1, "fact": "events.0.end", "minutes": 60},
                },
            ),
        ],
    ),
    (
        "calendar.change",
        "es",
        "cambia el título del [dentista](topic) a [revisión](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentista"}),
            ("user_calendar_change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "title": "Revisión"}),
        ],
    ),
    (
        "calendar.delete",
        "en",
        "cancel the meeting with [anna](with) on [friday](time_of)",
        [
            ("user_calendar_list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "anna"}),
            ("user_calendar_delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.delete",
        "en",
        "cancel the [dentist](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
            ("user_calendar_delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.delete",
        "en",
        "cancel everything [today](time_of)",
        [("user_calendar_delete_event", {"since": "2026-03-04", "before": "2026-03-05"})],
    ),
    (
        "calendar.delete",
        "de",
        "lösch das Treffen am [Montag](time_of)",
        [
            ("user_calendar_list_events", {"since": "2026-03-09", "before": "2026-03-10"}),
            ("user_calendar_delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.delete",
        "fr",
        "annule le [dentiste](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentiste"}),
            ("user_calendar_delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.delete",
        "es",
        "cancela la [cita con el dentista](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentista"}),
            ("user_calendar_delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.decline",
        "en",
        "decline [tomorrow's](time_of) [sync](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-05", "before": "2026-03-06", "words": "sync"}),
            ("user_calendar_decline_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.decline",
        "en",
        "say no to the [all-hands](topic) on [Friday](time_of), [I've got a funeral](text)",
        [
            ("user_calendar_list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "all-hands"}),
            (
                "user_calendar_decline_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "comment": "I've got a funeral"},
            ),
        ],
    ),
    (
        "calendar.decline",
        "de",
        "zum [Kegelabend](topic) komm ich nicht, lehn ab",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Kegelabend"}),
            ("user_calendar_decline_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.decline",
        "fr",
        "décline le [séminaire](topic) de [mardi](time_of)",
        [
            ("user_calendar_list_events", {"since": "2026-03-10", "before": "2026-03-11", "words": "séminaire"}),
            ("user_calendar_decline_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.decline",
        "es",
        "no voy a la [boda](topic), diles que no",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "boda"}),
            ("user_calendar_decline_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    (
        "calendar.remind",
        "en",
        "remind me [10 minutes](lead) before my meeting with [anna](with)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 10},
            ),
        ],
    ),
    *(
        (
            "calendar.remind",
            language,
            line,
            [("user_calendar_remind_event", {"since": "2026-03-05", "before": "2026-03-06", "off": True})],
        )
        for language, line in (
            ("en", "turn off the reminders for all meetings [tomorrow](time_of)"),
            ("de", "schalte die Erinnerungen für alle Termine [morgen](time_of) aus"),
            ("fr", "désactive les rappels de tous les rendez-vous de [demain](time_of)"),
            ("es", "quita los avisos de todas las citas de [mañana](time_of)"),
        )
    ),
    (
        "calendar.remind",
        "de",
        "beim [Elternabend](topic) will ich [zwei Stunden](lead) vorher ein Signal",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Elternabend"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 120},
            ),
        ],
    ),
    (
        "calendar.remind",
        "fr",
        "mets une notification la [veille](lead) pour le [dentiste](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentiste"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 1440},
            ),
        ],
    ),
    (
        "calendar.remind",
        "es",
        "ponle una alerta de [media hora](lead) al [vuelo](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "vuelo"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 30},
            ),
        ],
    ),
    (
        "calendar.colour",
        "en",
        "colour the meeting with [anna](with) [red](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "anna"}),
            ("user_calendar_colour_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "colour": "tomato"}),
        ],
    ),
    (
        "calendar.colour",
        "de",
        "markiere [Zahnarzt](topic) [knallrot](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Zahnarzt"}),
            ("user_calendar_colour_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "colour": "tomato"}),
        ],
    ),
    (
        "calendar.colour",
        "fr",
        "colore les [entraînements](topic) en [vert](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "entraînements"}),
            ("user_calendar_colour_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "colour": "basil"}),
        ],
    ),
    (
        "calendar.colour",
        "es",
        "pon el [dentista](topic) en [azul claro](value)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentista"}),
            ("user_calendar_colour_event", {"events": [{"step": 1, "fact": "events.0.event_id"}], "colour": "peacock"}),
        ],
    ),
)
ASKED: tuple[tuple[str, str, str, str, list[str]], ...] = (
    *(
        (
            "calendar.delete",
            language,
            line,
            "Which event do you mean? Say when it is or with whom, like “cancel the meeting with Anna on Friday”.",
            [],
        )
        for language, line in (
            ("en", "cancel two of my meetings [tomorrow](time_of)"),
            ("de", "sag zwei meiner Termine [morgen](time_of) ab"),
            ("fr", "annule la moitié de mes rendez-vous de [demain](time_of)"),
            ("es", "cancela algunas de mis citas de [mañana](time_of)"),
        )
    ),
    (
        "calendar.delete",
        "en",
        "delete [it](ref)",
        "Which event do you mean? Say when it is or with whom, like “cancel the meeting with Anna on Friday”.",
        [],
    ),
    (
        "calendar.colour",
        "en",
        "paint the [dentist](topic)",
        "Which colour shall it have: red, orange, yellow, green, turquoise, blue, purple, pink or grey?",
        [],
    ),
)


@pytest.mark.parametrize(("intent", "language", "line", "plan"), PLANS)
def test_a_plan(intent: str, language: str, line: str, plan: Steps) -> None:
    assert steps(BUILDERS, said(line, intent, language=language)) == plan


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "cancel the first two meetings [tomorrow](time_of)"),
        ("en", "cancel the other meetings [tomorrow](time_of)"),
        ("de", "sag die ersten Termine [morgen](time_of) ab"),
        ("de", "sag die beiden Termine [morgen](time_of) ab"),
        ("en", "cancel two of my meetings [tomorrow](time_of)"),
        ("en", "cancel half my meetings [tomorrow](time_of)"),
        ("de", "sag die Hälfte meiner Termine [morgen](time_of) ab"),
        ("fr", "annule deux de mes rendez-vous de [demain](time_of)"),
        ("es", "cancela dos de mis citas de [mañana](time_of)"),
        ("en", "cancel [lunch](topic) [tomorrow](time_of), it clashes with my meetings"),
        ("de", "sag das [Essen](topic) [morgen](time_of) vor meine Termine ab"),
        ("fr", "annule le [déjeuner](topic) de [demain](time_of), il tombe entre mes rendez-vous"),
        ("es", "cancela la [comida](topic) de [mañana](time_of), choca con mis citas"),
    ],
)
def test_some_of_them_are_not_all(language: str, line: str) -> None:
    output = made(BUILDERS, said(line, "calendar.delete", language=language))
    deleted = [step.args for step in output.steps] if isinstance(output, Planned) else []
    assert not any("since" in args for args in deleted[-1:])


@pytest.mark.parametrize(
    ("line", "days"),
    [
        ("move everything on [Saturday](time_of) to [Wednesday](time)", 4),
        ("move everything on [Saturday](time_of) to [Wednesday](time) earlier", -3),
        ("move everything on [Friday](time_of) to [Thursday](time)", -1),
        ("move everything on [Friday](time_of) to [Monday](time)", 3),
    ],
)
def test_all_of_a_day_go_to_a_day_behind_it_or_the_one_before(line: str, days: int) -> None:
    ((tool, args),) = steps(BUILDERS, said(line, "calendar.move"))
    assert (tool, args["days"]) == ("user_calendar_move_event", days)


@pytest.mark.parametrize(("intent", "language", "line", "question", "words"), ASKED)
def test_a_question(intent: str, language: str, line: str, question: str, words: list[str]) -> None:
    asked = made(BUILDERS, said(line, intent, language=language))
    assert isinstance(asked, Unclear)
    assert (asked.question, [one.words for one in asked.choices]) == (question, words)
