"""Cleaning up is asked for in every language, and means the same mails as in English."""

from typing import Any

import pytest

from butler.orchestrator.planning import Planned
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
]  # fmt: skip


@pytest.mark.parametrize(("words", "action", "args"), ROWS, ids=[row[0] for row in ROWS])
async def test_the_same_mails_are_meant_as_in_english(words: str, action: str, args: dict[str, Any]) -> None:
    output = await scene.plan(words)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert (step.tool_call, step.args) == (f"user_email_{action}", args)
