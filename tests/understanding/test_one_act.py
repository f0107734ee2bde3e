"""Clauses that only say more of the act before them are put into it; others stay requests of their own."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler.orchestrator.understanding.requests.one_act import folded
from butler.understanding.reader import Request
from tests.understanding.marked import said

NOW = datetime(2026, 3, 4, 10, 30, tzinfo=ZoneInfo("Europe/London"))


def requests(language: str, *clauses: tuple[str, str]) -> list[Request]:
    """The requests of a message, each as it is marked."""
    return folded([said(line, intent, language=language).request for intent, line in clauses], NOW)


@pytest.mark.parametrize(
    ("language", "clauses", "slots"),
    [
        ("en", (("card.create", "new card on the [Work](board) board,"),
                ("card.create", "[chase the supplier](title)")),
         {"board": ("Work",), "title": ("chase the supplier",)}),
        ("es", (("card.create", "crea una tarjeta en [Work](board): [el informe](title),"),
                ("card.due", "con fecha del [viernes](time)")),
         {"board": ("Work",), "title": ("el informe",), "time": ("viernes",)}),
        ("fr", (("card.create", "crée une carte « [changer l'ampoule](title) »"), ("card.move", "dans [Flat](list)")),
         {"title": ("changer l'ampoule",), "list": ("Flat",)}),
        ("de", (("calendar.create", "trag [Dienstag um 16 Uhr](time) [Elternabend](title) ein,"),
                ("calendar.create", "[zwei Stunden](duration), [Raum 204](place)")),
         {"time": ("Dienstag um 16 Uhr",), "title": ("Elternabend",), "duration": ("zwei Stunden",),
          "place": ("Raum 204",)}),
        ("es", (("calendar.create", "ponlo a [las cuatro](time), llámalo [entrevista](title)"),
                ("calendar.change", "y que dure [una hora](duration)")),
         {"time": ("las cuatro",), "title": ("entrevista",), "duration": ("una hora",)}),
        ("fr", (("calendar.create", "[jeudi prochain](time) je garde [les enfants](title)"),
                ("calendar.create", "avec [Anna](with) [de 16h à 19h](time)")),
         {"time": ("jeudi prochain", "de 16h à 19h"), "title": ("les enfants",), "with": ("Anna",)}),
        ("en", (("calendar.change", "put the [blue room](place) into it"),
                ("card.rename", "and call it [Jour fixe](value)")),
         {"place": ("blue room",), "value": ("Jour fixe",)}),
        ("de", (("calendar.create", "trag [Freitag 12 Uhr](time) [Friseur](title) ein"),
                ("reminder.create", "und erinner mich [eine Stunde](lead) vorher")),
         {"time": ("Freitag 12 Uhr",), "title": ("Friseur",), "lead": ("eine Stunde",)}),
        ("en", (("automation.create", "whenever [Bob writes](trigger), [star it](action)"),
                ("message.send", "and tell me")),
         {"trigger": ("Bob writes",), "action": ("star it and tell me",)}),
    ],
)  # fmt: skip
def test_one_act(language: str, clauses: tuple[tuple[str, str], ...], slots: dict[str, tuple[str, ...]]) -> None:
    (one,) = requests(language, *clauses)
    assert one.intent == clauses[0][0]
    assert {slot: one.words(slot) for slot in dict.fromkeys(each.slot for each in one.slots)} == slots
    assert all(one.text[each.start : each.end] == each.text for each in one.slots)


@pytest.mark.parametrize(
    ("language", "clauses"),
    [
        # Two titles are two events, and what is named is another thing.
        ("en", (("calendar.create", "add [dinner](title) [saturday at 8](time)"),
                ("calendar.create", "and [lunch](title) [on sunday at noon](time)"))),
        ("en", (("calendar.create", "add [dinner](title) [saturday at 8](time)"),
                ("calendar.move", "and move the [dentist](topic) to [friday](time)"))),
        ("en", (("reminder.create", "remind me [at 5](time) to [call mum](text)"),
                ("reminder.create", "and [at 6](time) to [cook](text)"))),
        ("en", (("reminder.create", "remind me [at 5](time) to [call mum](text)"), ("refine", "[saturday](time)"))),
        ("en", (("automation.create", "whenever [Bob writes](trigger), [star it](action)."),
                ("digest.now", "what's new"))),
        ("de", (("card.create", "neue Karte [Regal](title)"),
                ("card.due", "und die [Steuer](topic) bis [Freitag](time)"))),
    ],
)  # fmt: skip
def test_two_acts(language: str, clauses: tuple[tuple[str, str], ...]) -> None:
    assert [one.intent for one in requests(language, *clauses)] == [intent for intent, _ in clauses]
