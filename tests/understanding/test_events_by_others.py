"""New events and free time by an event that was shown, or by what was asked for just before."""

import pytest

from butler.contract.referents import ReferentKind as K
from butler.orchestrator.understanding.calendar import making as calendar_making
from butler.orchestrator.understanding.calendar import reading as calendar_reading
from tests.understanding.shown import Asked, Planned, buttons_of, planned

BUILDERS = {**calendar_making.BUILDERS, **calendar_reading.BUILDERS}
PLANS: tuple[Planned, ...] = (
    (K.EVENT, "calendar.create", "en", "and [the same](ref) [the week after](time)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_create_event",
       {"title": {"step": 1, "fact": "title"},
        "start": {"step": 1, "fact": "start", "days": 7},
        "end": {"step": 1, "fact": "end", "days": 7}})]),
    (K.EVENT, "calendar.create", "de", "und [direkt danach](time) [Mittagessen](title)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_create_event",
       {"title": "Mittagessen", "start": {"step": 1, "fact": "end", "minutes": 0}, "minutes": 60})]),
    (K.EVENT, "calendar.create", "es", "pon [comida con Bob](title) [al día siguiente a las dos](time)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_create_event",
       {"title": "Comida con Bob", "start": {"step": 1, "fact": "start", "days": 1, "at": "14:00"}})]),
    (K.EVENT, "calendar.create", "en",
     "ok then put [it](ref) there, [an hour](duration) is enough, call it [budget talk](title)",
     (), ("when am I free on tuesday morning",),
     [("user_calendar_find_free_time", {"since": "2026-03-10T00:00", "before": "2026-03-10T12:00", "minutes": 60}),
      ("user_calendar_create_event",
       {"title": "Budget talk", "start": {"step": 1, "fact": "free.0.start", "minutes": 0}, "minutes": 60})]),
    (K.EVENT, "calendar.create", "de",
     "nimm die Lücke, [Physio](title), [45 Minuten](duration)",
     (), ("wann hab ich am Freitag Luft",),
     [("user_calendar_find_free_time", {"since": "2026-03-06", "before": "2026-03-07", "minutes": 45}),
      ("user_calendar_create_event",
       {"title": "Physio", "start": {"step": 1, "fact": "free.0.start", "minutes": 0}, "minutes": 45})]),
    (K.EVENT, "calendar.create", "es",
     "ponme la [cena](title) [ese día a las nueve](time)",
     (), ("¿tengo algo el sábado por la noche?",),
     [("user_calendar_create_event", {"title": "Cena", "start": "2026-03-07T21:00"})]),
    (K.EVENT, "calendar.create", "fr",
     ("ajoute [coiffeur](title) [le 5 mai à 15h](time) pour [une"
      " demi-heure](duration), [2 rue Haute](place), rappelle-le moi [une heure](lead) avant"),
     (), (),
     [("user_calendar_create_event",
       {"title": "Coiffeur",
        "start": "2026-05-05T15:00",
        "minutes": 30,
        "location": "2 rue Haute",
        "remind_minutes": 60})]),
    (K.EVENT, "calendar.create", "en",
     "add [haircut](title) on [5 May at 3pm](time) for [half an hour](duration)",
     (), (),
     [("user_calendar_create_event", {"title": "Haircut", "start": "2026-05-05T15:00", "minutes": 30})]),
    (K.EVENT, "calendar.create", "es",
     "[tutoría](title) [el viernes 13 a las 18:30](time), [media](duration) hora",
     (), (),
     [("user_calendar_create_event", {"title": "Tutoría", "start": "2026-03-13T18:30", "minutes": 30})]),
    (K.EVENT, "calendar.list", "en", "and [the day after](time)?", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_list_events",
       {"since": {"step": 1, "fact": "start", "days": 1, "at": "00:00"},
        "before": {"step": 1, "fact": "start", "days": 2, "at": "00:00"}})]),
    (K.EVENT, "calendar.list", "de", "was kommt [danach](time)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_list_events",
       {"since": {"step": 1, "fact": "end", "minutes": 0},
        "before": {"step": 1, "fact": "end", "days": 1, "at": "00:00"}})]),
    (K.EVENT, "calendar.free", "fr", "et [après](time), je suis libre ?", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_find_free_time",
       {"since": {"step": 1, "fact": "end", "minutes": 0},
        "before": {"step": 1, "fact": "end", "days": 1, "at": "00:00"}})]),
)  # fmt: skip
ASKED: tuple[Asked, ...] = (
    (K.EVENT, "calendar.create", "en", "[same again](ref) [next month](time)", (1,), (),
     "On which day shall it be?", []),
    (K.EVENT, "calendar.create", "de",
     "den [Samstag](time) bitte in den Kalender, als [Grillen bei Jonas](title)",
     (), (),
     "At what time on Saturday 7 March 2026?", ["09:00", "12:00", "18:00", "All day"]),
    (K.EVENT, "calendar.create", "fr", "mets [coiffeur](title) sur ce créneau", (), (),
     "When is “Coiffeur”?", []),
    (K.MAIL, "calendar.create", "en", "put [it](ref) in my calendar", (1,), (),
     "What is it, and when? Say it like “add dentist on Friday at 3pm for an hour”.", []),
    (K.MAIL, "calendar.create", "es", "apúnta[lo](ref) como [cena](title)", (1,), (),
     "When is “Cena”?", []),
)  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_a_plan(case: Planned) -> None:
    *scene, plan = case
    assert planned(BUILDERS, *scene) == plan


@pytest.mark.parametrize("case", ASKED)
def test_a_question(case: Asked) -> None:
    *scene, question, buttons = case
    assert buttons_of(BUILDERS, *scene) == (question, buttons)
