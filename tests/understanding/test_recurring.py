"""Rules from the words of a recurrence, in the four languages."""

from typing import Any

import pytest

from bench.understanding_scenes import NOW
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.every import rule_of
from butler.orchestrator.embedded.reminding import rule_args
from butler.orchestrator.understanding.recurring.rules import recurrence


def args(words: str, language: str) -> dict[str, Any]:
    found = recurrence(words, language, NOW)
    assert found is not None, words
    rule = rule_of(found.said, NOW, "Europe/Berlin")
    assert rule is not None
    return rule_args(rule)


RULES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    (
        "en",
        "every other tuesday at 7pm",
        {"at": "2026-03-10T19:00:00", "every": "week", "interval": 2, "on": ["tuesday"]},
    ),
    (
        "en",
        "every first monday of the month at 9",
        {"at": "2026-04-06T09:00:00", "every": "month", "on": ["monday"], "nth": [1]},
    ),
    (
        "en",
        "every two hours until 6",
        {"at": "2026-03-04T12:30:00", "every": "day", "until": "2026-03-04", "clocks": ["12:30", "14:30", "16:30"]},
    ),
    (
        "fr",
        "toutes les heures jusqu'à 13 h",
        {"at": "2026-03-04T12:30:00", "every": "day", "until": "2026-03-04", "clocks": ["11:30", "12:30"]},
    ),
    ("en", "every 2 hours", {"at": "2026-03-04T10:30:00", "every": "hour", "interval": 2}),
    (
        "en",
        "every hour between 9 and 17",
        {
            "at": "2026-03-04T12:00:00",
            "every": "day",
            "clocks": ["09:00", "10:00", "11:00", "12:00", "13:00", "14:00", "15:00", "16:00", "17:00"],
        },
    ),
    (
        "en",
        "every weekday at 7:30 until friday",
        {
            "at": "2026-03-05T07:30:00",
            "every": "week",
            "on": ["monday", "tuesday", "wednesday", "thursday", "friday"],
            "until": "2026-03-06",
        },
    ),
    ("en", "weekends at 10", {"at": "2026-03-07T10:00:00", "every": "week", "on": ["saturday", "sunday"]}),
    ("en", "every year on 5 may at 9", {"at": "2026-05-05T09:00:00", "every": "year", "day": 5, "month": 5}),
    ("en", "last day of every month at 9", {"at": "2026-03-31T09:00:00", "every": "month", "day": 31}),
    ("en", "every quarter", {"at": "2026-04-01T09:00:00", "every": "month", "interval": 3, "day": 1}),
    ("en", "every 15th at 9", {"at": "2026-03-15T09:00:00", "every": "month", "day": 15}),
    ("en", "every morning and evening", {"at": "2026-03-04T18:00:00", "every": "day", "clocks": ["09:00", "18:00"]}),
    (
        "en",
        "every day except sunday at 8",
        {
            "at": "2026-03-05T08:00:00",
            "every": "week",
            "on": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
        },
    ),
    (
        "en",
        "every 3 weeks on friday at 10",
        {"at": "2026-03-06T10:00:00", "every": "week", "interval": 3, "on": ["friday"]},
    ),
    (
        "en",
        "every monday at 8 for 6 weeks",
        {"at": "2026-03-09T08:00:00", "every": "week", "on": ["monday"], "until": "2026-04-19"},
    ),
    ("en", "every day at 8 and 20", {"at": "2026-03-04T20:00:00", "every": "day", "clocks": ["08:00", "20:00"]}),
    ("en", "every 30 minutes", {"at": "2026-03-04T10:30:00", "every": "minute", "interval": 30}),
    ("en", "every half hour", {"at": "2026-03-04T10:30:00", "every": "minute", "interval": 30}),
    ("en", "daily at 8 am", {"at": "2026-03-05T08:00:00", "every": "day"}),
    (
        "en",
        "every eight hours starting at six in the morning",
        {"at": "2026-03-04T14:00:00", "every": "day", "clocks": ["06:00", "14:00", "22:00"]},
    ),
    ("en", "twice a day at 8 and 20", {"at": "2026-03-04T20:00:00", "every": "day", "clocks": ["08:00", "20:00"]}),
    (
        "de",
        "jeden zweiten Donnerstag um 9",
        {"at": "2026-03-05T09:00:00", "every": "week", "interval": 2, "on": ["thursday"]},
    ),
    (
        "de",
        "jeden ersten und dritten Donnerstag im Monat um 19 Uhr 30",
        {"at": "2026-03-05T19:30:00", "every": "month", "on": ["thursday"], "nth": [1, 3]},
    ),
    (
        "de",
        "alle zwei Wochen sonntags um 10",
        {"at": "2026-03-08T10:00:00", "every": "week", "interval": 2, "on": ["sunday"]},
    ),
    ("de", "morgens und abends um acht", {"at": "2026-03-04T20:00:00", "every": "day", "clocks": ["08:00", "20:00"]}),
    ("de", "jeden Samstagvormittag", {"at": "2026-03-07T09:00:00", "every": "week", "on": ["saturday"]}),
    (
        "de",
        "werktags um 6:45",
        {"at": "2026-03-05T06:45:00", "every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]},
    ),
    ("de", "jeden 28.", {"at": "2026-03-28T09:00:00", "every": "month", "day": 28}),
    ("de", "Jedes Jahr am 3. Mai", {"at": "2026-05-03T09:00:00", "every": "year", "day": 3, "month": 5}),
    (
        "de",
        "alle 14 Tage montags um 8",
        {"at": "2026-03-09T08:00:00", "every": "week", "interval": 2, "on": ["monday"]},
    ),
    ("de", "monatlich am 15. um 9", {"at": "2026-03-15T09:00:00", "every": "month", "day": 15}),
    (
        "de",
        "Mo-Fr um 8",
        {"at": "2026-03-05T08:00:00", "every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]},
    ),
    ("fr", "un jour sur deux à 9h", {"at": "2026-03-05T09:00:00", "every": "day", "interval": 2}),
    ("fr", "tous les quinze jours", {"at": "2026-03-11T09:00:00", "every": "week", "interval": 2}),
    (
        "fr",
        "du lundi au vendredi à 7h",
        {"at": "2026-03-05T07:00:00", "every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]},
    ),
    ("fr", "chaque 25 du mois", {"at": "2026-03-25T09:00:00", "every": "month", "day": 25}),
    (
        "fr",
        "toutes les six heures pendant cinq jours",
        {"at": "2026-03-04T10:30:00", "every": "hour", "interval": 6, "until": "2026-03-08"},
    ),
    (
        "fr",
        "tous les soirs sauf le dimanche",
        {
            "at": "2026-03-04T18:00:00",
            "every": "week",
            "on": ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"],
        },
    ),
    (
        "fr",
        "matins de semaine à 6h45",
        {"at": "2026-03-05T06:45:00", "every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]},
    ),
    (
        "fr",
        "chaque dernier vendredi du mois à 16h",
        {"at": "2026-03-27T16:00:00", "every": "month", "on": ["friday"], "nth": [-1]},
    ),
    (
        "fr",
        "tous les six mois à partir de janvier",
        {"at": "2027-01-01T09:00:00", "every": "month", "interval": 6, "day": 1},
    ),
    ("es", "cada dos meses", {"at": "2026-04-04T09:00:00", "every": "month", "interval": 2, "day": 4}),
    ("es", "los martes y viernes", {"at": "2026-03-06T09:00:00", "every": "week", "on": ["tuesday", "friday"]}),
    (
        "es",
        "de lunes a viernes",
        {"at": "2026-03-05T09:00:00", "every": "week", "on": ["monday", "tuesday", "wednesday", "thursday", "friday"]},
    ),
    ("es", "todos los meses el día 5", {"at": "2026-03-05T09:00:00", "every": "month", "day": 5}),
    ("es", "el 10 de cada mes", {"at": "2026-03-10T09:00:00", "every": "month", "day": 10}),
    ("es", "el último día del mes a las diez", {"at": "2026-03-31T10:00:00", "every": "month", "day": 31}),
    (
        "es",
        "cada primer sábado de mes",
        {"at": "2026-03-07T09:00:00", "every": "month", "on": ["saturday"], "nth": [1]},
    ),
    ("es", "todas las mañanas a las siete y media", {"at": "2026-03-05T07:30:00", "every": "day"}),
    (
        "es",
        "jueves alternos a las ocho",
        {"at": "2026-03-05T08:00:00", "every": "week", "interval": 2, "on": ["thursday"]},
    ),
    ("es", "anual el 3 de noviembre", {"at": "2026-11-03T09:00:00", "every": "year", "day": 3, "month": 11}),
    (
        "en",
        "on friday every 2 weeks",
        {"at": "2026-03-06T09:00:00", "every": "week", "interval": 2, "on": ["friday"]},
    ),
    ("es", "una vez al mes", {"at": "2026-04-04T09:00:00", "every": "month", "day": 4}),
)


@pytest.mark.parametrize(("language", "words", "rule"), RULES)
def test_a_rule(language: str, words: str, rule: dict[str, Any]) -> None:
    assert args(words, language) == rule


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "last working day of every month"), ("de", "zweimal die Woche"), ("fr", "deuxième samedi de septembre"),
        ("es", "los días 5 y 20 de cada mes"), ("en", "every third friday at 9"),
    ],
)  # fmt: skip
def test_what_no_rule_says_is_asked_about(language: str, words: str) -> None:
    with pytest.raises(Asking):
        recurrence(words, language, NOW)


@pytest.mark.parametrize(("language", "words"), [("fr", "de temps en temps"), ("en", "the usual"), ("de", "oft")])
def test_other_words_are_none(language: str, words: str) -> None:
    assert recurrence(words, language, NOW) is None


def test_a_time_of_either_half_of_the_day_is_doubtful() -> None:
    found = recurrence("jeden Montag um 5", "de", NOW)
    assert found is not None
    assert not found.said.half_said


WITHOUT_SUNDAY = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "every day but Sunday at 9"),
        ("en", "every day at 9, Sundays not"),
        ("de", "täglich um 9, sonntags nicht"),
        ("de", "jeden Tag um 9, nie sonntags"),
        ("fr", "à 9h tous les jours sauf le dimanche"),
        ("fr", "tous les jours à 9h, le dimanche non"),
        ("es", "a las 9 todos los días menos los domingos"),
        ("es", "todos los días a las 9, los domingos no"),
    ],
)
def test_days_are_left_out_in_many_ways(language: str, words: str) -> None:
    assert args(words, language) == {"at": "2026-03-05T09:00:00", "every": "week", "on": WITHOUT_SUNDAY}


def test_another_hour_on_excepted_days_is_asked_about() -> None:
    with pytest.raises(Asking):
        recurrence("every day at 9 but Sundays at 10", "en", NOW)
