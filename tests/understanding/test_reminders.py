"""Plans of `reminders` from requests as the reader marks them, in the four languages."""

from dataclasses import replace
from typing import Any

import pytest

from bench.understanding_scenes import NOW
from butler.orchestrator.planning.plan_types import Unclear
from butler.orchestrator.understanding.reminders.builders import BUILDERS
from butler.orchestrator.understanding.requests.mending import mended
from tests.understanding.marked import made, said, steps

Steps = list[tuple[str, dict[str, Any]]]

FRIDAY_FOR_ANNA = {"text": "Book the table", "at": "2026-03-06T09:00:00", "answer_from": "Anna", "assumed": True}
PLANS: tuple[tuple[str, str, str, Steps], ...] = (
    (
        "reminder.create",
        "en",
        "remind me when [Anna](from) answers, or [on Friday](time) at the latest, to [book the table](text)",
        [("bot_reminders_create", FRIDAY_FOR_ANNA)],
    ),
    (
        "reminder.create",
        "en",
        "remind me when [Anna answers](trigger), or [on Friday](time) at the latest, to [book the table](text)",
        [("bot_reminders_create", FRIDAY_FOR_ANNA)],
    ),
    (
        "reminder.create",
        "de",
        "erinner mich, wenn [Anna](from) schreibt, [spätestens Freitag](time), an [den Tisch](text)",
        [("bot_reminders_create", FRIDAY_FOR_ANNA | {"text": "Den Tisch"})],
    ),
    (
        "reminder.create",
        "de",
        "sobald [Anna](from) schreibt, erinner mich an [den Tisch](text)",
        [
            (
                "bot_reminders_create",
                {"text": "Den Tisch", "at": "2026-03-11T09:00:00", "answer_from": "Anna", "latest_assumed": True},
            ),
        ],
    ),
    (
        "reminder.create",
        "en",
        "remind me [tomorrow at 9](time) to [call mum](text)",
        [("bot_reminders_create", {"text": "Call mum", "at": "2026-03-05T09:00:00"})],
    ),
    (
        "reminder.create",
        "en",
        "remind me at [5](time) to [call mum](text)",
        [("bot_reminders_create", {"text": "Call mum", "at": "2026-03-04T17:00:00"})],
    ),
    (
        "reminder.create",
        "en",
        "wake me up at [6.30](time)",
        [("bot_reminders_create", {"text": "Wake up", "at": "2026-03-05T06:30:00"})],
    ),
    (
        "reminder.create",
        "en",
        "set me a timer for [forty minutes](time)",
        [("bot_reminders_create", {"text": "Your timer is up", "at": "2026-03-04T11:10:00"})],
    ),
    (
        "reminder.create",
        "en",
        "[every other tuesday at 7pm](every) remind me to [put the bins out](text)",
        [
            (
                "bot_reminders_create",
                {
                    "text": "Put the bins out",
                    "at": "2026-03-10T19:00:00",
                    "every": "week",
                    "interval": 2,
                    "on": ["tuesday"],
                },
            )
        ],
    ),
    (
        "reminder.create",
        "en",
        "remind me [an hour](lead) before my [dentist appointment](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentist"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 60},
            ),
        ],
    ),
    (
        "reminder.create",
        "en",
        "remind me [a day](lead) before my [flight to Oslo](topic) to [check in online](text)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "flight Oslo"}),
            (
                "bot_reminders_create",
                {"text": "Check in online", "at": {"step": 1, "fact": "events.0.start", "minutes": -1440}},
            ),
        ],
    ),
    (
        "reminder.create",
        "en",
        "remind me [tomorrow at 9](time) and then [every day](every) to [take a pill](text)",
        [("bot_reminders_create", {"text": "Take a pill", "at": "2026-03-05T09:00:00", "every": "day"})],
    ),
    (
        "reminder.create",
        "de",
        "erinner mich [morgen um neun](time) an [den Müll](text)",
        [("bot_reminders_create", {"text": "Den Müll", "at": "2026-03-05T09:00:00"})],
    ),
    (
        "reminder.create",
        "de",
        "[jeden ersten Montag im Monat](every) [Miete zahlen](text)",
        [
            (
                "bot_reminders_create",
                {
                    "text": "Miete zahlen",
                    "at": "2026-04-06T09:00:00",
                    "every": "month",
                    "on": ["monday"],
                    "nth": [1],
                    "assumed": True,
                },
            )
        ],
    ),
    (
        "reminder.create",
        "de",
        "weck mich um [vier Uhr zwanzig](time)",
        [("bot_reminders_create", {"text": "Wake up", "at": "2026-03-05T04:20:00"})],
    ),
    (
        "reminder.create",
        "de",
        "Gib mir [zehn Minuten](lead) vor der [Videokonferenz](topic) ein Zeichen",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Videokonferenz"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 10},
            ),
        ],
    ),
    (
        "reminder.create",
        "fr",
        "[dans une demi-heure](time) dis-moi de [retourner le gâteau](text)",
        [("bot_reminders_create", {"text": "Retourner le gâteau", "at": "2026-03-04T11:00:00"})],
    ),
    (
        "reminder.create",
        "fr",
        "[matin et soir](every) [prendre mes gouttes](text)",
        [
            (
                "bot_reminders_create",
                {
                    "text": "Prendre mes gouttes",
                    "at": "2026-03-04T18:00:00",
                    "every": "day",
                    "clocks": ["09:00", "18:00"],
                },
            )
        ],
    ),
    (
        "reminder.create",
        "es",
        "recuérdame [comprar pilas](text) [mañana a las diez](time)",
        [("bot_reminders_create", {"text": "Comprar pilas", "at": "2026-03-05T10:00:00"})],
    ),
    (
        "reminder.create",
        "es",
        "despiértame a las [6:45](time)",
        [("bot_reminders_create", {"text": "Wake up", "at": "2026-03-05T06:45:00"})],
    ),
    (
        "reminder.create",
        "es",
        "avísame [una hora](lead) antes de la [cita con el dentista](topic)",
        [
            ("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentista"}),
            (
                "user_calendar_remind_event",
                {"events": [{"step": 1, "fact": "events.0.event_id"}], "remind_minutes": 60},
            ),
        ],
    ),
    ("reminder.list", "en", "what reminders do I have", [("bot_reminders_list", {})]),
    ("reminder.list", "en", "what reminders do I have [tomorrow](time)", [("bot_reminders_list", {})]),
    (
        "reminder.list",
        "de",
        "wann erinnerst du mich an [die Steuer](topic)",
        [("bot_reminders_list", {"words": "steuer"})],
    ),
    (
        "reminder.list",
        "fr",
        "y a-t-il un rappel sur les [impôts](topic)",
        [("bot_reminders_list", {"words": "impôts"})],
    ),
    ("reminder.list", "es", "qué recordatorios tengo", [("bot_reminders_list", {})]),
    (
        "reminder.change",
        "en",
        "move the [gym](topic) reminder to [8](time)",
        [("bot_reminders_change", {"words": "gym", "to_clock": "08:00"})],
    ),
    (
        "reminder.change",
        "en",
        "move the [gym](topic) reminder to [friday at 8](time)",
        [("bot_reminders_change", {"words": "gym", "at": "2026-03-06T08:00:00"})],
    ),
    (
        "reminder.change",
        "de",
        "Die Erinnerung an [die Miete](topic) soll [jeden 28.](every) kommen",
        [
            ("bot_reminders_list", {"words": "miete"}),
            (
                "bot_reminders_change",
                {
                    "words": "miete",
                    "at": {"step": 1, "fact": "reminders.0.local_time", "minutes": 0},
                    "every": "month",
                    "day": 28,
                },
            ),
        ],
    ),
    (
        "reminder.change",
        "en",
        "move the [gym](topic) reminder to [friday](time)",
        [
            ("bot_reminders_list", {"words": "gym"}),
            (
                "bot_reminders_change",
                {"words": "gym", "at": {"step": 1, "fact": "reminders.0.local_time", "on": "2026-03-06"}},
            ),
        ],
    ),
    (
        "reminder.create",
        "fr",
        "rappelle-moi le [19](time) d'[acheter des pralines](text)",
        [
            (
                "bot_reminders_create",
                {"text": "Acheter des pralines", "at": "2026-03-19T09:00:00", "assumed": True},
            )
        ],
    ),
    (
        "reminder.change",
        "fr",
        "change [celui de 18h](ref) pour [19h30](time)",
        [("bot_reminders_change", {"clock": "18:00", "to_clock": "19:30"})],
    ),
    (
        "reminder.change",
        "es",
        "cámbiale el texto al de [Mauricio](topic), que sea [pedirle la sierra](text)",
        [("bot_reminders_change", {"words": "mauricio", "text": "Pedirle la sierra"})],
    ),
    ("reminder.remove", "en", "cancel the [gym](topic) reminder", [("bot_reminders_remove", {"words": "gym"})]),
    (
        "reminder.remove",
        "en",
        "delete my [9 o'clock](time_of) reminder",
        [("bot_reminders_remove", {"clock": "09:00"})],
    ),
    (
        "reminder.remove",
        "de",
        "lösch die erinnerung an [den Friseur](topic)",
        [("bot_reminders_remove", {"words": "friseur"})],
    ),
    (
        "reminder.remove",
        "fr",
        "supprime le rappel [poubelles](topic)",
        [("bot_reminders_remove", {"words": "poubelles"})],
    ),
    (
        "reminder.remove",
        "es",
        "desactiva la alarma de las [6:45](time_of)",
        [("bot_reminders_remove", {"clock": "06:45"})],
    ),
    (
        "reminder.done",
        "en",
        "the [library books](topic) went back this morning so tick that off",
        [("bot_reminders_done", {"words": "library books"})],
    ),
    ("reminder.done", "de", "haken dran bei [blumen](topic)", [("bot_reminders_done", {"words": "blumen"})]),
    ("reminder.done", "fr", "coche le [loyer](topic)", [("bot_reminders_done", {"words": "loyer"})]),
    ("reminder.done", "es", "ya mandé [el contrato](topic)", [("bot_reminders_done", {"words": "contrato"})]),
    (
        "reminder.snooze",
        "en",
        "snooze the [gym](topic) reminder by [10 minutes](duration)",
        [("bot_reminders_snooze", {"words": "gym", "until": "2026-03-04T10:40:00"})],
    ),
    (
        "reminder.snooze",
        "en",
        "snooze the [gym](topic) reminder until [tomorrow at 8](time)",
        [("bot_reminders_snooze", {"words": "gym", "until": "2026-03-05T08:00:00"})],
    ),
    (
        "reminder.snooze",
        "en",
        "the [shed](topic) one, [later](time)",
        [("bot_reminders_snooze", {"words": "shed", "minutes": 60})],
    ),
    (
        "reminder.snooze",
        "de",
        "[Die Steuersache](topic) am [Samstag](time) wieder",
        [("bot_reminders_snooze", {"words": "steuersache", "until": "2026-03-07T10:30:00"})],
    ),
    (
        "reminder.snooze",
        "fr",
        "les [antibiotiques du chat](topic), attends [vingt minutes](duration)",
        [("bot_reminders_snooze", {"words": "antibiotiques chat", "until": "2026-03-04T10:50:00"})],
    ),
    (
        "reminder.snooze",
        "es",
        "lo del [seguro](topic), en [diez minutos](duration) otra vez",
        [("bot_reminders_snooze", {"words": "seguro", "until": "2026-03-04T10:40:00"})],
    ),
    ("reminder.skip", "en", "skip the next [gym](topic) reminder", [("bot_reminders_skip", {"words": "gym"})]),
    (
        "reminder.skip",
        "de",
        "[diese Woche](time_of) brauch ich die [Gymnastik](topic) nicht",
        [("bot_reminders_skip", {"words": "gymnastik"})],
    ),
    (
        "reminder.skip",
        "fr",
        "saute le rappel [yoga](topic) [cette semaine](time_of)",
        [("bot_reminders_skip", {"words": "yoga"})],
    ),
    ("reminder.skip", "es", "por hoy deja lo de la [pastilla](topic)", [("bot_reminders_skip", {"words": "pastilla"})]),
    ("reminder.travel", "en", "i'm in [New York](place)", [("bot_reminders_travel", {"zone": "America/New_York"})]),
    (
        "reminder.travel",
        "en",
        "i'm in [Lisbon](place) [until Sunday](time)",
        [("bot_reminders_travel", {"zone": "Europe/Lisbon", "until": "2026-03-08"})],
    ),
    ("reminder.travel", "en", "i'm back home", [("bot_reminders_travel", {"zone": ""})]),
    ("reminder.travel", "de", "ich bin jetzt in [Tokio](place)", [("bot_reminders_travel", {"zone": "Asia/Tokyo"})]),
    (
        "reminder.travel",
        "fr",
        "je suis à [Montréal](place) maintenant",
        [("bot_reminders_travel", {"zone": "America/Toronto"})],
    ),
    (
        "reminder.travel",
        "es",
        "estoy en [Sídney](place) [hasta el 14](time)",
        [("bot_reminders_travel", {"zone": "Australia/Sydney", "until": "2026-03-14"})],
    ),
)
ASKED: tuple[tuple[str, str, str, str, list[str]], ...] = (
    (
        "reminder.create",
        "en",
        "remind me to [call mum](text)",
        "When shall I remind you of “Call mum”?",
        ["remind me to call mum in 1 hour", "remind me to call mum in 3 hours", "remind me to call mum tomorrow at 9"],
    ),
    (
        "reminder.create",
        "en",
        "remind me",
        "Remind you of what? Say it like “remind me tomorrow at 9 to call mum”.",
        [],
    ),
    (
        "reminder.create",
        "en",
        "remind me [every monday at 5](every) to [run](text)",
        "In the afternoon or in the morning?",
        ["remind me every monday 05:00 to run", "remind me every monday 17:00 to run"],
    ),
    (
        "reminder.change",
        "es",
        "pasa el recordatorio del [dentista](topic) a las [cinco](time)",
        "In the afternoon or in the morning?",
        ["pasa el recordatorio del dentista a las 05:00", "pasa el recordatorio del dentista a las 17:00"],
    ),
    (
        "reminder.remove",
        "en",
        "remove [all of them](ref)",
        "I remove reminders one at a time: “what reminders do I have” lists them, each with a button.",
        [],
    ),
    (
        "reminder.create",
        "en",
        "once [the surveyor replies](trigger), remind me to [sign the offer](text)",
        "Whose answer do you wait for?",
        [],
    ),
    (
        "reminder.create",
        "en",
        "remind me once [Anna](from) replies",
        "Remind you of what? Say it like “remind me tomorrow at 9 to call mum”.",
        [],
    ),
    (
        "reminder.done",
        "en",
        "done",
        "Which reminder do you mean? Say what it is about, like “the reminder about the dentist”.",
        ["what reminders do I have"],
    ),
    (
        "reminder.travel",
        "en",
        "we land in [Dubai](place) [tomorrow](time)",
        "Tell me when you are there, like “I'm in Dubai”; I go by its clocks from then on.",
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


@pytest.mark.parametrize(
    ("language", "line", "text"),
    [
        ("en", "remind me at [8](time) [every day](every) to [leave](text), except on Sundays", "Leave"),
        ("de", "erinner mich [jeden Tag](every) um [8](time) ans [Gehen](text), außer [sonntags](every)", "Gehen"),
    ],
)
def test_days_that_are_left_out(language: str, line: str, text: str) -> None:
    asked = said(line, "reminder.create", language=language)
    ((tool, args),) = steps(BUILDERS, replace(asked, request=mended(replace(asked.request, language=language), NOW)))
    assert (tool, args["text"], args["every"]) == ("bot_reminders_create", text, "week")
    assert args["on"] == ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]


def test_days_that_nobody_knows_are_asked_about() -> None:
    asked = said("remind me at [8](time) [every day](every) to [leave](text), except on holidays", "reminder.create")
    question = made(BUILDERS, replace(asked, request=mended(asked.request, NOW)))
    assert isinstance(question, Unclear)
    assert question.question.startswith("On which days is that?")
