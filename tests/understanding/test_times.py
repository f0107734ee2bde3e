"""Times as people say them in four languages, by what is read of them on Wednesday, 4 March 2026, at 10:30."""

from datetime import date, time

import pytest

from bench.understanding_scenes import NOW
from butler.understanding.times.lengths import Amount
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

WALL = NOW.replace(tzinfo=None)
TUESDAY, WEDNESDAY, THURSDAY, FRIDAY = (date(2026, 3, day) for day in (10, 4, 5, 6))
WEEK = (date(2026, 3, 9), date(2026, 3, 15))


def at(hour: int, minute: int = 0) -> time:
    return time(hour, minute)


FRIDAY_AT_THREE = TimeSaid(day=FRIDAY, clock=at(15), until_clock=at(17), weekday=True, half_said=False)
TUESDAY_AT_HALF_PAST_THREE = TimeSaid(day=TUESDAY, clock=at(3, 30), weekday=True, half_said=False)
SAID = (
    ("en", "tomorrow at nine", TimeSaid(day=THURSDAY, clock=at(9), half_said=False)),
    ("en", "half six", TimeSaid(clock=at(6, 30), half_said=False)),
    ("en", "quarter past seven this evening", TimeSaid(clock=at(19, 15), part="evening")),
    ("en", "next tuesday", TimeSaid(day=TUESDAY, weekday=True)),
    ("en", "the day after tomorrow around 4pm", TimeSaid(day=FRIDAY, clock=at(16))),
    ("en", "in half an hour", TimeSaid(moment=WALL.replace(hour=11, minute=0))),
    ("en", "in an hour and a half", TimeSaid(moment=WALL.replace(hour=12, minute=0))),
    ("en", "last week", TimeSaid(day=date(2026, 2, 23), until_day=date(2026, 3, 1))),
    ("en", "from 3 to 5pm on friday", FRIDAY_AT_THREE),
    ("en", "9-10am", TimeSaid(clock=at(9), until_clock=at(10), half_said=False)),
    ("en", "five to nine", TimeSaid(clock=at(8, 55), half_said=False)),
    ("en", "since monday", TimeSaid(day=date(2026, 3, 2), bound="since")),
    ("en", "3rd dec 10:30", TimeSaid(day=date(2026, 12, 3), clock=at(10, 30), half_said=False)),
    ("en", "this weekend", TimeSaid(day=date(2026, 3, 7), until_day=date(2026, 3, 8))),
    ("de", "nächsten dienstag um halb drei", TimeSaid(day=TUESDAY, clock=at(2, 30), weekday=True, half_said=False)),
    ("de", "naechsten montag", TimeSaid(day=date(2026, 3, 9), weekday=True)),
    ("de", "fünf vor halb drei", TimeSaid(clock=at(2, 25), half_said=False)),
    ("de", "dreiviertel acht", TimeSaid(clock=at(7, 45), half_said=False)),
    ("de", "heute abend um acht", TimeSaid(clock=at(20), part="evening")),
    ("de", "morgen früh um 7", TimeSaid(day=THURSDAY, clock=at(7), part="morning")),
    ("de", "nächste woche dienstag", TimeSaid(day=TUESDAY)),
    ("de", "vor drei tagen", TimeSaid(day=date(2026, 3, 1), same_clock=True)),
    ("de", "am 24.12.", TimeSaid(day=date(2026, 12, 24))),
    ("de", "von 14 bis 16 uhr", TimeSaid(clock=at(14), until_clock=at(16))),
    ("de", "in anderthalb stunden", TimeSaid(moment=WALL.replace(hour=12, minute=0))),
    ("fr", "mardi prochain à 14h30", TimeSaid(day=TUESDAY, clock=at(14, 30), weekday=True)),
    ("fr", "neuf heures moins le quart", TimeSaid(clock=at(8, 45), half_said=False)),
    ("fr", "à huit heures et demie", TimeSaid(clock=at(8, 30), half_said=False)),
    ("fr", "la semaine prochaine", TimeSaid(day=WEEK[0], until_day=WEEK[1])),
    ("fr", "il y a deux jours", TimeSaid(day=date(2026, 3, 2), same_clock=True)),
    ("fr", "de 14h à 16h", TimeSaid(clock=at(14), until_clock=at(16))),
    ("fr", "lundi à midi", TimeSaid(day=date(2026, 3, 9), clock=at(12), part="noon", weekday=True)),
    ("es", "el martes que viene a las tres y media", TUESDAY_AT_HALF_PAST_THREE),
    ("es", "a las ocho de la tarde", TimeSaid(clock=at(20), part="afternoon")),
    ("es", "pasado mañana", TimeSaid(day=FRIDAY)),
    ("es", "mañana por la mañana a las 7", TimeSaid(day=THURSDAY, clock=at(7), part="morning")),
    ("es", "la semana pasada", TimeSaid(day=date(2026, 2, 23), until_day=date(2026, 3, 1))),
    ("es", "antes del viernes", TimeSaid(day=FRIDAY, weekday=True, bound="before")),
)  # fmt: skip


@pytest.mark.parametrize(("language", "words", "expected"), SAID, ids=[words for _, words, _ in SAID])
def test_a_time_is_read(language: str, words: str, expected: TimeSaid) -> None:
    assert parse(words, language, NOW) == expected


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "when the cows come home"),
        ("de", "irgendwann mal"),
        ("fr", "quand tu veux"),
        ("es", "algún día"),
        ("en", ""),
    ],
)
def test_a_time_is_never_made_of_half_of_what_was_said(language: str, words: str) -> None:
    assert parse(words, language, NOW) is None


@pytest.mark.parametrize(
    ("language", "words", "expected"),
    [
        ("en", "ten minutes", Amount(seconds=600)),
        ("en", "an hour and a half", Amount(seconds=5400)),
        ("en", "two weeks", Amount(days=14)),
        ("de", "eine halbe Stunde", Amount(seconds=1800)),
        ("de", "drei Monate", Amount(months=3)),
        ("fr", "un quart d'heure", Amount(seconds=900)),
        ("fr", "deux heures", Amount(seconds=7200)),
        ("es", "media hora", Amount(seconds=1800)),
        ("es", "hora y media", Amount(seconds=5400)),
    ],
)
def test_a_length_is_read(language: str, words: str, expected: Amount) -> None:
    assert length_of(words, language, NOW) == expected
