"""A calendar and boards are spoken of in every language, and the same is meant as in English."""

from typing import Any

import pytest

from tests.orchestrator.embedded.agenda_scene import ONE_CARD, ONE_EVENT, calls, plan

ROWS: list[tuple[str, list[tuple[str, dict[str, Any]]]]] = [
    ("Was steht am Freitag an?", [("list_events", {"since": "2026-03-06", "before": "2026-03-07"})]),
    (
        "Was habe ich morgen Nachmittag vor?",
        [("list_events", {"since": "2026-03-05T12:00", "before": "2026-03-05T18:00"})],
    ),
    ("Was steht diese Woche an?", [("list_events", {"since": "2026-03-04", "before": "2026-03-09"})]),
    ("was steht nächste Woche in meinem Kalender?", [("list_events", {"since": "2026-03-09", "before": "2026-03-16"})]),
    ("Zeig mir meine Termine nächste Woche", [("list_events", {"since": "2026-03-09", "before": "2026-03-16"})]),
    (
        "Wann ist mein nächster Termin mit Anna?",
        [("list_events", {"since": "2026-03-04T10:30", "before": "2027-03-04", "words": "Anna", "limit": 1})],
    ),
    ("Wann habe ich am Donnerstag Zeit?", [("find_free_time", {"since": "2026-03-05", "before": "2026-03-06"})]),
    (
        "Wann bin ich am Donnerstag für eine Stunde frei",
        [("find_free_time", {"since": "2026-03-05", "before": "2026-03-06", "minutes": 60})],
    ),
    (
        "trag Zahnarzt am Freitag um 15 Uhr für eine Stunde ein",
        [("create_event", {"title": "Zahnarzt", "start": "2026-03-06T15:00", "minutes": 60})],
    ),
    (
        "Verschiebe den Zahnarzt auf Montag um 9 Uhr",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Zahnarzt"}),
            ("change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-09T09:00"}),
        ],
    ),
    (
        "déplace le dentiste à lundi à 9h",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentiste"}),
            ("change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-09T09:00"}),
        ],
    ),
    (
        "mueve el dentista al lunes a las 9",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "dentista"}),
            ("change_event", {"event": {"step": 1, "fact": "events.0.event_id"}, "start": "2026-03-09T09:00"}),
        ],
    ),
    (
        "Trag morgen um 12 Uhr Mittagessen mit Anna ein",
        [("create_event", {"title": "Mittagessen mit Anna", "start": "2026-03-05T12:00"})],
    ),
    (
        "Setz Mittagessen mit Anna morgen um 12 Uhr in meinen Kalender",
        [("create_event", {"title": "Mittagessen mit Anna", "start": "2026-03-05T12:00"})],
    ),
    (
        "Plane ein Treffen mit Anna am Montag von 10 bis 11 Uhr",
        [("create_event", {"title": "Treffen mit Anna", "start": "2026-03-09T10:00", "end": "2026-03-09T11:00"})],
    ),
    (
        "trag diese Geburtstage ein: Anna 5. Mai, Bob 3. Juni",
        [
            ("create_event", {"title": "Anna's birthday", "start": "2026-05-05", "repeat": "yearly"}),
            ("create_event", {"title": "Bob's birthday", "start": "2026-06-03", "repeat": "yearly"}),
        ],
    ),
    (
        "Verschiebe meinen Termin mit Anna auf 16 Uhr",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "at": "16:00"},
                },
            ),
        ],
    ),
    (
        "Verschiebe den Termin mit Anna auf Montag",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "on": "2026-03-09"},
                },
            ),
        ],
    ),
    (
        "verschiebe alle Termine am Freitag auf Montag",
        [("move_event", {"since": "2026-03-06", "before": "2026-03-07", "days": 3})],
    ),
    (
        "sag den Termin mit Anna am Freitag ab",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Anna"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    ("lösche alle Termine am Freitag", [("delete_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    ("Leere meinen Kalender am Freitag", [("delete_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    ("Lehne alles am Freitag ab", [("decline_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    (
        "Erinnere mich 30 Minuten vor allen Terminen nächste Woche",
        [("remind_event", {"since": "2026-03-09", "before": "2026-03-16", "remind_minutes": 30})],
    ),
    (
        "Schalte die Erinnerungen für alle Termine morgen aus",
        [("remind_event", {"since": "2026-03-05", "before": "2026-03-06", "off": True})],
    ),
    (
        "Désactive les rappels pour tous les rendez-vous de demain",
        [("remind_event", {"since": "2026-03-05", "before": "2026-03-06", "off": True})],
    ),
    (
        "Quita los recordatorios de todas las citas de mañana",
        [("remind_event", {"since": "2026-03-05", "before": "2026-03-06", "off": True})],
    ),
    ("Färbe alle Termine mit Anna grün", [("colour_event", {"people": ["anna@friends.example"], "colour": "basil"})]),
    ("zeig meine Boards", [("list_boards", {})]),
    ("Was ist auf der Liste To Do?", [("list_cards", {"in_list": "To Do"})]),
    ("Was ist auf meinem Board Home?", [("list_cards", {"board": "Home"})]),
    ("Welche Karten sind überfällig?", [("list_cards", {"overdue": True})]),
    ("Welche Karten sind diese Woche fällig?", [("list_cards", {"due_before": "2026-03-09T00:00"})]),
    ("zeig alle Karten", [("list_cards", {})]),
    ("alle Karten, die vor Freitag fällig sind", [("list_cards", {"due_before": "2026-03-06T00:00"})]),
    ("leg eine Karte Farbe kaufen in die Liste To Do", [("create_card", {"name": "Farbe kaufen", "in_list": "To Do"})]),
    ("Verschiebe alle Karten in Doing nach Done", [("move_card", {"in_list": "Doing", "to_list": "Done"})]),
    ("archiviere alle Karten in der Liste Done", [("archive_card", {"in_list": "Done"})]),
    (
        "Verschiebe die Karte Farbe kaufen nach Done",
        [
            ("list_cards", {"words": "Farbe kaufen"}),
            ("move_card", {"cards": [{"step": 1, "fact": "cards.0.card_id"}], "to_list": "Done"}),
        ],
    ),
    (
        "Markiere die Karte Farbe kaufen als erledigt",
        [
            ("list_cards", {"words": "Farbe kaufen"}),
            ("change_card", {"card": {"step": 1, "fact": "cards.0.card_id"}, "done": True}),
        ],
    ),
    ("Qu'est-ce que j'ai vendredi ?", [("list_events", {"since": "2026-03-06", "before": "2026-03-07"})]),
    ("qu’est-ce que j’ai cette semaine ?", [("list_events", {"since": "2026-03-04", "before": "2026-03-09"})]),
    ("Montre-moi mes rendez-vous de demain", [("list_events", {"since": "2026-03-05", "before": "2026-03-06"})]),
    (
        "Quand est mon prochain rendez-vous avec Anna ?",
        [("list_events", {"since": "2026-03-04T10:30", "before": "2027-03-04", "words": "Anna", "limit": 1})],
    ),
    ("Quand suis-je libre jeudi ?", [("find_free_time", {"since": "2026-03-05", "before": "2026-03-06"})]),
    (
        "ajoute dentiste vendredi à 15 heures pendant une heure",
        [("create_event", {"title": "Dentiste", "start": "2026-03-06T15:00", "minutes": 60})],
    ),
    (
        "ajoute ces anniversaires : Anna 5 mai, Bob 3 juin",
        [
            ("create_event", {"title": "Anna's birthday", "start": "2026-05-05", "repeat": "yearly"}),
            ("create_event", {"title": "Bob's birthday", "start": "2026-06-03", "repeat": "yearly"}),
        ],
    ),
    (
        "Déplace mon rendez-vous avec Anna à lundi",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "on": "2026-03-09"},
                },
            ),
        ],
    ),
    (
        "annule le rendez-vous avec Anna de vendredi",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Anna"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    ("supprime tous les rendez-vous de vendredi", [("delete_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    (
        "déplace tous les rendez-vous de vendredi à lundi",
        [("move_event", {"since": "2026-03-06", "before": "2026-03-07", "days": 3})],
    ),
    ("Vide mon calendrier vendredi", [("delete_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    ("montre mes tableaux", [("list_boards", {})]),
    ("montre toutes les cartes", [("list_cards", {})]),
    ("toutes les cartes dues avant vendredi", [("list_cards", {"due_before": "2026-03-06T00:00"})]),
    (
        "ajoute une carte Acheter de la peinture à la liste To Do",
        [("create_card", {"name": "Acheter de la peinture", "in_list": "To Do"})],
    ),
    ("archive toutes les cartes de la liste Done", [("archive_card", {"in_list": "Done"})]),
    ("Quelles cartes sont en retard ?", [("list_cards", {"overdue": True})]),
    ("Déplace toutes les cartes de Doing vers Done", [("move_card", {"in_list": "Doing", "to_list": "Done"})]),
    ("Qu'est-ce qu'il y a dans la liste To Do ?", [("list_cards", {"in_list": "To Do"})]),
    ("¿Qué tengo el viernes?", [("list_events", {"since": "2026-03-06", "before": "2026-03-07"})]),
    ("¿qué tengo esta semana?", [("list_events", {"since": "2026-03-04", "before": "2026-03-09"})]),
    ("Muéstrame mis citas de mañana", [("list_events", {"since": "2026-03-05", "before": "2026-03-06"})]),
    (
        "¿Cuándo es mi próxima cita con Anna?",
        [("list_events", {"since": "2026-03-04T10:30", "before": "2027-03-04", "words": "Anna", "limit": 1})],
    ),
    ("¿Cuándo estoy libre el jueves?", [("find_free_time", {"since": "2026-03-05", "before": "2026-03-06"})]),
    (
        "añade dentista el viernes a las 15:00 durante una hora",
        [("create_event", {"title": "Dentista", "start": "2026-03-06T15:00", "minutes": 60})],
    ),
    (
        "añade estos cumpleaños: Anna 5 de mayo, Bob 3 de junio",
        [
            ("create_event", {"title": "Anna's birthday", "start": "2026-05-05", "repeat": "yearly"}),
            ("create_event", {"title": "Bob's birthday", "start": "2026-06-03", "repeat": "yearly"}),
        ],
    ),
    (
        "Mueve mi cita con Anna al lunes",
        [
            ("list_events", {"since": "2026-03-04", "before": "2027-03-04", "words": "Anna"}),
            (
                "change_event",
                {
                    "event": {"step": 1, "fact": "events.0.event_id"},
                    "start": {"step": 1, "fact": "events.0.start", "on": "2026-03-09"},
                },
            ),
        ],
    ),
    (
        "cancela la cita con Anna del viernes",
        [
            ("list_events", {"since": "2026-03-06", "before": "2026-03-07", "words": "Anna"}),
            ("delete_event", {"events": [{"step": 1, "fact": "events.0.event_id"}]}),
        ],
    ),
    ("borra todas las citas del viernes", [("delete_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    (
        "mueve todas las citas del viernes al lunes",
        [("move_event", {"since": "2026-03-06", "before": "2026-03-07", "days": 3})],
    ),
    ("Vacía mi calendario el viernes", [("delete_event", {"since": "2026-03-06", "before": "2026-03-07"})]),
    ("muestra mis tableros", [("list_boards", {})]),
    ("muestra todas las tarjetas", [("list_cards", {})]),
    ("todas las tarjetas que vencen antes del viernes", [("list_cards", {"due_before": "2026-03-06T00:00"})]),
    (
        "añade una tarjeta Comprar pintura a la lista To Do",
        [("create_card", {"name": "Comprar pintura", "in_list": "To Do"})],
    ),
    ("archiva todas las tarjetas de la lista Done", [("archive_card", {"in_list": "Done"})]),
    ("¿Qué tarjetas están vencidas?", [("list_cards", {"overdue": True})]),
    ("Mueve todas las tarjetas de Doing a Done", [("move_card", {"in_list": "Doing", "to_list": "Done"})]),
    ("¿Qué hay en la lista To Do?", [("list_cards", {"in_list": "To Do"})]),
]
OF_WHAT_WAS_SHOWN: list[tuple[str, str, dict[str, Any]]] = [
    ("Verschiebe ihn um eine Stunde", "move_event", {"events": [{"handle": "event-1"}], "minutes": 60}),
    ("Lade Carol dazu ein", "change_event", {"event": {"handle": "event-1"}, "add_guests": [{"contact": "c-carol"}]}),
    ("Benenne es in Planung um", "change_event", {"event": {"handle": "event-1"}, "title": "Planung"}),
    ("Lösche die ganze Serie", "delete_event", {"events": [{"handle": "event-1"}], "series": True}),
    ("Verschiebe sie nach Done", "move_card", {"cards": [{"handle": "card-1"}], "to_list": "Done"}),
    (
        "Kommentiere sie: am Montag erledigt",
        "comment_card",
        {"card": {"handle": "card-1"}, "text": "am Montag erledigt"},
    ),
    ("Archiviere sie", "archive_card", {"cards": [{"handle": "card-1"}]}),
    ("Weise sie mir zu", "assign_card", {"cards": [{"handle": "card-1"}], "person": "me"}),
    ("Archive-la", "archive_card", {"cards": [{"handle": "card-1"}]}),
    ("Marca la como hecha", "change_card", {"card": {"handle": "card-1"}, "done": True}),
]


@pytest.mark.parametrize(("words", "expected"), ROWS, ids=[row[0] for row in ROWS])
async def test_the_same_is_meant_as_in_english(words: str, expected: list[tuple[str, dict[str, Any]]]) -> None:
    assert calls(await plan(words)) == expected


@pytest.mark.parametrize(("words", "tool", "args"), OF_WHAT_WAS_SHOWN, ids=[row[0] for row in OF_WHAT_WAS_SHOWN])
async def test_what_was_shown_is_spoken_of(words: str, tool: str, args: dict[str, Any]) -> None:
    shown = ONE_EVENT if tool.endswith("_event") else ONE_CARD
    assert calls(await plan(words, referents=shown)) == [(tool, args)]
