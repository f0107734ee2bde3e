"""Days and hours as people say them in German, French and Spanish, in their own zone."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest

from butler.orchestrator.embedded.languages.canonical import time_in_english
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.when import settle, spoken_at

BERLIN = ZoneInfo("Europe/Berlin")
WEDNESDAY = datetime(2026, 3, 4, 10, 30, tzinfo=BERLIN)

GERMAN = [
    ("in zwanzig Minuten", "2026-03-04T10:50"),
    ("in einer Stunde", "2026-03-04T11:30"),
    ("in einer halben Stunde", "2026-03-04T11:00"),
    ("in anderthalb Stunden", "2026-03-04T12:00"),
    ("in drei Tagen um 8 Uhr", "2026-03-07T08:00"),
    ("in zwei Wochen", "2026-03-18T10:30"),
    ("morgen um 9", "2026-03-05T09:00"),
    ("morgen früh", "2026-03-05T09:00"),
    ("morgen Abend um 8", "2026-03-05T20:00"),
    ("übermorgen um 7:15", "2026-03-06T07:15"),
    ("heute Abend", "2026-03-04T18:00"),
    ("um halb zehn abends", "2026-03-04T21:30"),
    ("morgen um Viertel vor acht", "2026-03-05T07:45"),
    ("am Freitag um 12 Uhr", "2026-03-06T12:00"),
    ("am Freitagabend um 7", "2026-03-06T19:00"),
    ("am 5. März um 14.30 Uhr", "2026-03-05T14:30"),
    ("am 10.3. um 9 Uhr", "2026-03-10T09:00"),
    ("am 10.03.2027 um 18:00", "2027-03-10T18:00"),
    ("um 21 Uhr 15", "2026-03-04T21:15"),
    ("heute um 23 Uhr", "2026-03-04T23:00"),
    ("am 12. um 10 Uhr", "2026-03-12T10:00"),
    ("übermorgen Mittag", "2026-03-06T12:00"),
    ("Samstag um zehn nach acht", "2026-03-07T08:10"),
]
FRENCH = [
    ("dans vingt minutes", "2026-03-04T10:50"),
    ("dans une heure", "2026-03-04T11:30"),
    ("dans une demi-heure", "2026-03-04T11:00"),
    ("dans une heure et demie", "2026-03-04T12:00"),
    ("dans trois jours à 8h", "2026-03-07T08:00"),
    ("dans deux semaines", "2026-03-18T10:30"),
    ("demain à 9h", "2026-03-05T09:00"),
    ("demain matin", "2026-03-05T09:00"),
    ("demain soir à 8h", "2026-03-05T20:00"),
    ("après-demain à 7h15", "2026-03-06T07:15"),
    ("ce soir", "2026-03-04T18:00"),
    ("à neuf heures et demie du soir", "2026-03-04T21:30"),
    ("demain à huit heures moins le quart", "2026-03-05T07:45"),
    ("vendredi à midi", "2026-03-06T12:00"),
    ("vendredi soir à 7 heures", "2026-03-06T19:00"),
    ("le 5 mars à 14h30", "2026-03-05T14:30"),
    ("le 10/03 à 9h", "2026-03-10T09:00"),
    ("le 10/03/2027 à 18h00", "2027-03-10T18:00"),
    ("à 21h15", "2026-03-04T21:15"),
    ("aujourd'hui à 23h", "2026-03-04T23:00"),
    ("le 12 à 10h", "2026-03-12T10:00"),
    ("le 1er avril à midi", "2026-04-01T12:00"),
    ("samedi à huit heures dix", "2026-03-07T08:10"),
]
SPANISH = [
    ("en veinte minutos", "2026-03-04T10:50"),
    ("dentro de una hora", "2026-03-04T11:30"),
    ("en media hora", "2026-03-04T11:00"),
    ("en una hora y media", "2026-03-04T12:00"),
    ("en tres días a las 8", "2026-03-07T08:00"),
    ("dentro de dos semanas", "2026-03-18T10:30"),
    ("mañana a las 9", "2026-03-05T09:00"),
    ("mañana por la mañana", "2026-03-05T09:00"),
    ("mañana por la noche a las 8", "2026-03-05T20:00"),
    ("pasado mañana a las 7:15", "2026-03-06T07:15"),
    ("esta noche", "2026-03-04T20:00"),
    ("a las nueve y media de la noche", "2026-03-04T21:30"),
    ("mañana a las ocho menos cuarto", "2026-03-05T07:45"),
    ("el viernes al mediodía", "2026-03-06T12:00"),
    ("el viernes por la tarde a las 7", "2026-03-06T19:00"),
    ("el 5 de marzo a las 14:30", "2026-03-05T14:30"),
    ("el 10/3 a las 9", "2026-03-10T09:00"),
    ("el 10 de marzo de 2027 a las 18:00", "2027-03-10T18:00"),
    ("a las 21:15", "2026-03-04T21:15"),
    ("hoy a las 23:00", "2026-03-04T23:00"),
    ("el día 12 a las 10", "2026-03-12T10:00"),
    ("pasado mañana al mediodía", "2026-03-06T12:00"),
    ("el sábado a las ocho y diez", "2026-03-07T08:10"),
]
TIMES = (*GERMAN, *FRENCH, *SPANISH)


def read(words: str, now: datetime) -> datetime | None:
    english = time_in_english(words)
    assert english is not None
    found = spoken_at(lex(english).bare(), now)
    assert found is not None
    said, rest = found
    assert rest.done
    assert said.whole
    return settle(said, now)


@pytest.mark.parametrize(("words", "at"), TIMES, ids=[words for words, _ in TIMES])
def test_a_time_is_read_as_it_is_said(words: str, at: str) -> None:
    assert read(words, WEDNESDAY) == datetime.fromisoformat(at)


def test_minutes_are_real_ones_over_a_change_of_the_clocks() -> None:
    before = datetime(2026, 3, 29, 1, 50, tzinfo=BERLIN)
    assert read("in zwanzig Minuten", before) == datetime.fromisoformat("2026-03-29T03:10")


@pytest.mark.parametrize(("words", "english"), [("morgen", "tomorrow"), ("demain", "tomorrow"), ("mañana", "tomorrow")])
def test_an_hour_that_nobody_said_is_not_made_up(words: str, english: str) -> None:
    assert time_in_english(words) == english


@pytest.mark.parametrize("words", ["das Auto", "la voiture", "el coche", "tomorrow at 9", ""])
def test_other_words_are_no_time(words: str) -> None:
    assert time_in_english(words) is None
