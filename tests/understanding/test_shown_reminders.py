"""Reminders after others were shown, made or told of: which one is meant, and another one by its time."""

import pytest

from butler.contract.referents import ReferentKind as K
from butler.orchestrator.understanding.reminders import builders as reminders
from tests.understanding.shown import Asked, Planned, buttons_of, planned

BUILDERS = reminders.BUILDERS
PLANS: tuple[Planned, ...] = (
    (K.REMINDER, "reminder.change", "en", "make it [half past four](time)", (1,), (),
     [("bot_reminders_change", {"reminder_id": {"handle": "reminder-1"}, "to_clock": "16:30"})]),
    (K.REMINDER, "reminder.change", "de", "lieber [am Freitag](time)", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_change",
       {"reminder_id": {"handle": "reminder-1"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "on": "2026-03-06"}})]),
    (K.REMINDER, "reminder.change", "fr", "[lundi à la même heure](time) plutôt", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_change",
       {"reminder_id": {"handle": "reminder-1"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "on": "2026-03-09"}})]),
    (K.REMINDER, "reminder.change", "es", "que sea [una hora más tarde](time)", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_change",
       {"reminder_id": {"handle": "reminder-1"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "minutes": 60}})]),
    (K.REMINDER, "reminder.change", "en", "make [it](ref) [every Monday](every)", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_change",
       {"reminder_id": {"handle": "reminder-1"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "minutes": 0},
        "every": "week",
        "on": ["monday"]})]),
    (K.REMINDER, "reminder.change", "en", "make [it](ref) say [buy oat milk](text), [at 6pm](time)", (1,), (),
     [("bot_reminders_change",
       {"reminder_id": {"handle": "reminder-1"}, "to_clock": "18:00", "text": "Buy oat milk"})]),
    (K.REMINDER, "reminder.change", "en", "[nine](time) instead, [eight](time)'s too early", (1,), (),
     [("bot_reminders_change", {"reminder_id": {"handle": "reminder-1"}, "to_clock": "09:00"})]),
    (K.REMINDER, "reminder.change", "de", "stell die [Tabletten](text) auf [neun Uhr früh](time)", (), (),
     [("bot_reminders_change", {"words": "tabletten", "to_clock": "09:00"})]),
    (K.REMINDER, "reminder.snooze", "en", "not now, [in half an hour](duration)", (1,), (),
     [("bot_reminders_snooze", {"reminder_id": {"handle": "reminder-1"}, "until": "2026-03-04T11:00:00"})]),
    (K.REMINDER, "reminder.snooze", "es", "[mañana a la misma hora](time)", (1,), (),
     [("bot_reminders_snooze", {"reminder_id": {"handle": "reminder-1"}, "until": "2026-03-05T10:30:00"})]),
    (K.REMINDER, "reminder.snooze", "de", "[später](time)", (1,), (),
     [("bot_reminders_snooze", {"reminder_id": {"handle": "reminder-1"}, "minutes": 60})]),
    (K.REMINDER, "reminder.skip", "en", "skip this week", (1,), (),
     [("bot_reminders_skip", {"reminder_id": {"handle": "reminder-1"}})]),
    (K.REMINDER, "reminder.skip", "de", "die [zweite](ref) diese Woche nicht", (3,), (),
     [("bot_reminders_skip", {"reminder_id": {"handle": "reminder-2"}})]),
    (K.REMINDER, "reminder.done", "en", "done", (1,), (),
     [("bot_reminders_done", {"reminder_id": {"handle": "reminder-1"}})]),
    (K.REMINDER, "reminder.done", "en", "done", (3, 1), (),
     [("bot_reminders_done", {"reminder_id": {"handle": "reminder-4"}})]),
    (K.REMINDER, "reminder.remove", "en", "remove [both](ref)", (2,), (),
     [("bot_reminders_remove", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_remove", {"reminder_id": {"handle": "reminder-2"}})]),
    (K.REMINDER, "reminder.remove", "es", "quita [la tercera](ref)", (3,), (),
     [("bot_reminders_remove", {"reminder_id": {"handle": "reminder-3"}})]),
    (K.REMINDER, "reminder.remove", "de", "lösch [die letzte](ref)", (3,), (),
     [("bot_reminders_remove", {"reminder_id": {"handle": "reminder-3"}})]),
    (K.REMINDER, "reminder.create", "en", "and another one for the [flowers](text), [same time](time)", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_create",
       {"text": "Flowers", "at": {"step": 1, "fact": "reminders.0.local_time", "minutes": 0}})]),
    (K.REMINDER, "reminder.create", "fr", "et un deuxième [la veille à 19h](time)", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_create",
       {"text": {"step": 1, "fact": "reminders.0.text"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "days": -1, "at": "19:00"}})]),
    (K.REMINDER, "reminder.create", "de", "und [am Sonntag](time) nochmal dasselbe", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_create",
       {"text": {"step": 1, "fact": "reminders.0.text"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "on": "2026-03-08"}})]),
    (K.REMINDER, "reminder.create", "es", "y otro [una hora antes](lead)", (1,), (),
     [("bot_reminders_list", {"reminder_id": {"handle": "reminder-1"}}),
      ("bot_reminders_create",
       {"text": {"step": 1, "fact": "reminders.0.text"},
        "at": {"step": 1, "fact": "reminders.0.local_time", "minutes": -60}})]),
    (K.EVENT, "reminder.create", "en", "remind me [an hour](lead) before", (1,), (),
     [("user_calendar_remind_event", {"events": [{"handle": "event-1"}], "remind_minutes": 60})]),
    (K.EVENT, "reminder.create", "de", "erinner mich [am Vorabend](time) [Blumen zu kaufen](text)", (1,), (),
     [("user_calendar_read_event", {"event": {"handle": "event-1"}}),
      ("bot_reminders_create",
       {"text": "Blumen zu kaufen", "at": {"step": 1, "fact": "start", "days": -1, "at": "18:00"}})]),
    (K.EVENT, "reminder.create", "fr", "rappelle-moi [la veille](time)", (1,), (),
     [("user_calendar_remind_event", {"events": [{"handle": "event-1"}], "remind_minutes": 1440})]),
    (K.MAIL, "reminder.create", "en", "remind me of [it](ref) [tomorrow at 9](time)", (1,), (),
     [("bot_reminders_create", {"text": "Look at this mail", "at": "2026-03-05T09:00:00"})]),
    (K.MAIL, "reminder.create", "es", "recuérdame [esto](ref) [mañana](time)", (1,), (),
     [("bot_reminders_create", {"text": "Look at this mail", "at": "2026-03-05T09:00:00", "assumed": True})]),
)  # fmt: skip
ASKED: tuple[Asked, ...] = (
    (K.REMINDER, "reminder.done", "fr", "c'est fait", (3,), (),
     "Which one do you mean?", ["The first one", "The second one", "The third one"]),
    (K.REMINDER, "reminder.remove", "de", "lösch [die fünfte](ref)", (3,), (),
     "There is no number 5 in the list.", ["The first one", "The second one", "The third one"]),
    (K.REMINDER, "reminder.create", "en", "remind me of [the flowers](text)", (1,), (),
     "When shall I remind you of “The flowers”?", ["At the same time", "In 1 hour", "In 3 hours", "Tomorrow at 9"]),
    (K.REMINDER, "reminder.create", "en", "remind me [an hour](lead) before it", (), (),
     "Remind you of what? Say it like “remind me tomorrow at 9 to call mum”.", []),
)  # fmt: skip


@pytest.mark.parametrize("case", PLANS)
def test_a_plan(case: Planned) -> None:
    *scene, plan = case
    assert planned(BUILDERS, *scene) == plan


@pytest.mark.parametrize("case", ASKED)
def test_a_question(case: Asked) -> None:
    *scene, question, buttons = case
    assert buttons_of(BUILDERS, *scene) == (question, buttons)
