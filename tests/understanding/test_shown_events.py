"""Events that were shown: moved, changed, read, cancelled."""

import pytest

from butler.contract.referents import ReferentKind as K
from butler.orchestrator.understanding.calendar import changing as calendar_changing
from tests.understanding.shown import Asked, Planned, buttons_of, planned

BUILDERS = calendar_changing.BUILDERS
PLANS: tuple[Planned, ...] = (
    (K.EVENT, "calendar.move", "en", "make it [half past four](time)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-1"}, "start": {"step": 1, "fact": "start", "at": "16:30"}})]),
    (K.EVENT, "calendar.move", "en", "[same time on monday](time)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-1"}, "start": {"step": 1, "fact": "start", "on": "2026-03-09"}})]),
    (K.EVENT, "calendar.move", "fr", "décale-[le](ref) d'[une demi-heure](duration)", (1,), (),
     [("user_calendar_move_event", {"events": [{"handle": "event-1"}], "minutes": 30})]),
    (K.EVENT, "calendar.move", "de", "lieber [eine Stunde früher](time)", (1,), (),
     [("user_calendar_move_event", {"events": [{"handle": "event-1"}], "minutes": -60})]),
    (K.EVENT, "calendar.move", "es", "pása[lo](ref) al [día siguiente](time)", (1,), (),
     [("user_calendar_move_event", {"events": [{"handle": "event-1"}], "days": 1})]),
    (K.EVENT, "calendar.move", "en", "move [both](ref) to [thursday](time)", (2,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-1"}, "start": {"step": 1, "fact": "start", "on": "2026-03-05"}}),
      ("user_calendar_read_event", {"event": {"handle": "event-2"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-2"}, "start": {"step": 3, "fact": "start", "on": "2026-03-05"}})]),
    (K.EVENT, "calendar.move", "en", "[eight](time) is too early, make it [nine](time)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-1"}, "start": {"step": 1, "fact": "start", "at": "09:00"}})]),
    (K.EVENT, "calendar.change", "en", "make it [two hours](duration)", (1,), (),
     [("user_calendar_change_event", {"event": {"handle": "event-1"}, "minutes": 120})]),
    (K.EVENT, "calendar.change", "en",
     "rename [it](ref) to [Dr Patel](title) and add the address [14 Mill Lane](place)",
     (1,), (),
     [("user_calendar_change_event",
       {"event": {"handle": "event-1"}, "location": "14 Mill Lane", "title": "Dr Patel"})]),
    (K.EVENT, "calendar.change", "en", "rename [it](ref) to [Dr Patel](to)", (1,), (),
     [("user_calendar_change_event", {"event": {"handle": "event-1"}, "title": "Dr Patel"})]),
    (K.EVENT, "calendar.change", "es",
     "ponle [Cumple de la abuela](value) y que sea en [el merendero](place), [una hora más tarde](time)",
     (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-1"},
        "start": {"step": 1, "fact": "start", "minutes": 60},
        "location": "El merendero",
        "title": "Cumple de la abuela"})]),
    (K.EVENT, "calendar.change", "de", "[eine halbe Stunde](duration) länger", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("user_calendar_change_event",
       {"event": {"handle": "event-1"}, "end": {"step": 1, "fact": "end", "minutes": 30}})]),
    (K.EVENT, "calendar.delete", "en", "take [it](ref) off my calendar", (1,), (),
     [("user_calendar_delete_event", {"events": [{"handle": "event-1"}]})]),
    (K.EVENT, "calendar.delete", "fr", "supprime [les deux](ref)", (2,), (),
     [("user_calendar_delete_event", {"events": [{"handle": "event-1"}, {"handle": "event-2"}]})]),
    (K.EVENT, "calendar.decline", "de", "sag ab, [ich bin krank](text)", (1,), (),
     [("user_calendar_decline_event", {"events": [{"handle": "event-1"}], "comment": "Ich bin krank"})]),
    (K.EVENT, "calendar.remind", "de", "erinner mich [eine Stunde](lead) vorher", (1,), (),
     [("user_calendar_remind_event", {"events": [{"handle": "event-1"}], "remind_minutes": 60})]),
    (K.EVENT, "calendar.remind", "fr", "préviens-moi [la veille](lead)", (1,), (),
     [("user_calendar_remind_event", {"events": [{"handle": "event-1"}], "remind_minutes": 1440})]),
    (K.EVENT, "calendar.read", "en", "where is [it](ref)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}})]),
    (K.EVENT, "calendar.read", "de", "wer ist beim [zweiten](ref) dabei", (3,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-2"}})]),
    (K.EVENT, "calendar.read", "en", "has [Ada](with) accepted for the [board meeting](topic)", (), (),
     [("user_calendar_list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "board", "limit": 1}),
      ("user_calendar_read_event", {"event": {"step": 1, "fact": "events.0.event_id"}})]),
    (K.EVENT, "calendar.read", "fr", "c'est où [le dentiste](topic) de [jeudi](time_of)", (), (),
     [("user_calendar_list_events", {"since": "2026-03-05", "before": "2026-03-06", "words": "dentiste"}),
      ("user_calendar_read_event", {"event": {"step": 1, "fact": "events.0.event_id"}})]),
)  # fmt: skip
ASKED: tuple[Asked, ...] = (
    (K.EVENT, "calendar.move", "fr", "[vendredi matin](time) plutôt", (3,), (),
     "Which one do you mean?", ["The first one", "The second one", "The third one"]),
    (K.EVENT, "calendar.delete", "es", "bórrala", (2,), (),
     "Which one do you mean?", ["The first one", "The second one"]),
    (K.EVENT, "calendar.decline", "es", "rechaza la de [las cuatro](ref)", (2,), (),
     "Which one do you mean?", ["The first one", "The second one"]),
)  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_a_plan(case: Planned) -> None:
    *scene, plan = case
    assert planned(BUILDERS, *scene) == plan


@pytest.mark.parametrize("case", ASKED)
def test_a_question(case: Asked) -> None:
    *scene, question, buttons = case
    assert buttons_of(BUILDERS, *scene) == (question, buttons)
