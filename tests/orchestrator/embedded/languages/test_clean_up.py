"""Cleaning up is asked for in every language, and means the same mails as in English."""

from typing import Any

import pytest

from butler.orchestrator.planning.plan_types import Planned
from tests.orchestrator.embedded import scene

ANNA = "anna@friends.example"
ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("Archiviere alle Mails von Anna", "archive", {"senders": [ANNA]}),
    ("Archiviere alle Newsletter von hostinger, die älter als einen Monat sind", "archive",
     {"category": "promotions", "senders": ["hostinger"], "before": "2026-02-04"}),
    ("Lösche alle Werbung über ein Jahr alt, aber behalte Amazon", "trash",
     {"category": "promotions", "before": "2025-03-04", "keep": ["Amazon"]}),
    ("Markiere alle ungelesenen Mails von Carol als gelesen", "mark_read",
     {"unread": True, "senders": ["carol@work.example"]}),
    ("Versieh alles von Anna mit dem Label Freunde", "label", {"senders": [ANNA], "name": "Freunde"}),
    ("Archiviere alle Mails über die Rechnung", "archive", {"words": "Rechnung"}),
    ("Archiviere alle Mails von Anna und Carol", "archive", {"senders": [ANNA, "carol@work.example"]}),
    ("Lösche alle Mails von Anna, aber nicht die ungelesenen", "trash", {"senders": [ANNA], "unread": False}),
    ("Supprime tous les mails d'Anna, sauf les non lus", "trash", {"senders": [ANNA], "unread": False}),
    ("Borra todos los correos de Anna, pero no los sin leer", "trash", {"senders": [ANNA], "unread": False}),
    ("Wirf alle Werbung in den Papierkorb, aber behalte Amazon", "trash",
     {"category": "promotions", "keep": ["Amazon"]}),
    ("Archiviere die erste", "archive", {"mails": [{"handle": "mail-2"}]}),
    ("Archive tous les mails d'Anna", "archive", {"senders": [ANNA]}),
    ("Supprime toutes les promotions de plus d'un an, mais garde Amazon", "trash",
     {"category": "promotions", "before": "2025-03-04", "keep": ["Amazon"]}),
    ("Marque tous les mails de Carol comme lus", "mark_read", {"senders": ["carol@work.example"]}),
    ("Archive le premier", "archive", {"mails": [{"handle": "mail-2"}]}),
    ("Archiva todos los correos de Anna", "archive", {"senders": [ANNA]}),
    ("Borra todas las promociones de hace más de un año, pero conserva Amazon", "trash",
     {"category": "promotions", "before": "2025-03-04", "keep": ["Amazon"]}),
    ("Marca todos los correos de Carol como leídos", "mark_read", {"senders": ["carol@work.example"]}),
    ("Archiva el primero", "archive", {"mails": [{"handle": "mail-2"}]}),
    ("Archiviere alle Mails von Deutsche Bahn aus 2023 ohne Anhang", "archive",
     {"senders": ["Deutsche Bahn"], "since": "2023-01-01", "before": "2024-01-01", "attachment": False}),
    ("Lösche alle Mails über 10 MB", "trash", {"larger_kb": 10_240}),
    ("Lösche alle Mails vor März", "trash", {"before": "2026-03-01"}),
    ("Archiviere alle Mails im Ordner Shops", "archive", {"label": "Shops"}),
    ("Markiere alle Mails von Bob als Spam", "spam", {"senders": ["Bob"]}),
    ("Verschiebe alle Mails von Anna in den Ordner Freunde", "move", {"senders": [ANNA], "to": "Freunde"}),
    ("Räum meinen Posteingang von Newslettern auf", "archive", {"category": "promotions", "inbox": True}),
    ("Archiviere alle Newsletter, aber nicht die von Amazon", "archive",
     {"category": "promotions", "keep": ["Amazon"]}),
    ("Supprime tous les mails de plus de 10 Mo", "trash", {"larger_kb": 10_240}),
    ("Archive tous les mails de 2023 sans pièce jointe", "archive",
     {"since": "2023-01-01", "before": "2024-01-01", "attachment": False}),
    ("Déplace tous les mails d'Anna dans le dossier Amis", "move", {"senders": [ANNA], "to": "Amis"}),
    ("Marque tous les mails de Bob comme indésirables", "spam", {"senders": ["Bob"]}),
    ("Archive tous les mails d'Anna, mais pas ceux avec pièces jointes", "archive",
     {"senders": [ANNA], "attachment": False}),
    ("Borra todos los correos de más de 10 MB", "trash", {"larger_kb": 10_240}),
    ("Archiva todos los correos de 2023 sin adjuntos", "archive",
     {"since": "2023-01-01", "before": "2024-01-01", "attachment": False}),
    ("Mueve todos los correos de Anna a la carpeta Amigos", "move", {"senders": [ANNA], "to": "Amigos"}),
    ("Marca todos los correos de Bob como spam", "spam", {"senders": ["Bob"]}),
    ("Borra todos los correos del año pasado", "trash", {"since": "2025-01-01", "before": "2026-01-01"}),
]  # fmt: skip


@pytest.mark.parametrize(("words", "action", "args"), ROWS, ids=[row[0] for row in ROWS])
async def test_the_same_mails_are_meant_as_in_english(words: str, action: str, args: dict[str, Any]) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (step.tool_call, step.args) == (f"user_email_{action}", args)


@pytest.mark.parametrize(
    "words",
    [
        "Lösche alle Mails von Zed morgen",
        "Verschiebe alle Newsletter",
        "Archiviere alle Newsletter, aber nicht die wichtigen",
        "Déplace toutes les promotions",
        "Supprime tous les mails de Zed demain",
        "Mueve todas las promociones",
        "Borra todos los correos de Zed mañana",
    ],
)
async def test_what_is_not_understood_touches_no_mail(words: str) -> None:
    output = await scene.plan(words, referents=())
    acts = [step.tool_call for step in output.steps] if isinstance(output, Planned) else []
    assert not any(act.startswith("user_email_") for act in acts)
