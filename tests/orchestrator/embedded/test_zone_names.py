"""Abbreviations are those that the clocks of their zones have; zones are found by their names in four languages."""

from datetime import UTC, datetime

import pytest

from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.places import zones_of
from butler.orchestrator.embedded.zone_names import abbreviations, zone_named
from butler.orchestrator.embedded.zones import zone_at

SEASONS = (datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 7, 15, tzinfo=UTC))
NO_LETTERS = {"Asia/Dhaka", "Asia/Dubai", "Asia/Singapore", "Asia/Bangkok", "America/Sao_Paulo"}
NO_LETTERS |= {"America/Argentina/Buenos_Aires"}
"""Zones whose abbreviations the tz database gives in figures."""
GENERIC = {"et", "ct", "mt", "pt", "z"}
GERMAN = {"mez", "mesz", "oez", "oesz"}


def test_each_abbreviation_is_one_of_its_zone() -> None:
    for name, zones in abbreviations().items():
        for zone in zones:
            shown = {str(at.astimezone(zone_named(zone)).tzname()).casefold() for at in SEASONS}
            other = name in GENERIC | GERMAN or zone in NO_LETTERS or (name, zone) == ("gmt", "UTC")
            assert other or name in shown, (name, zone, shown)


@pytest.mark.parametrize(
    ("words", "zone"),
    [
        ("PST", "America/Los_Angeles"),
        ("edt", "America/New_York"),
        ("Pacific Time", "America/Los_Angeles"),
        ("Eastern Standard Time", "America/New_York"),
        ("Mitteleuropäische Zeit", "Europe/Berlin"),
        ("heure d’Europe centrale", "Europe/Berlin"),
        ("hora de Europa central", "Europe/Berlin"),
        ("Tokyo time", "Asia/Tokyo"),
        ("Londoner Zeit", "Europe/London"),
        ("Moskauer Zeit", "Europe/Moscow"),
        ("nach Pariser Zeit", "Europe/Paris"),
        ("heure de Londres", "Europe/London"),
        ("heure d'Amsterdam", "Europe/Amsterdam"),
        ("hora de Nueva York", "America/New_York"),
        ("Asia/Shanghai time", "Asia/Shanghai"),
        ("UTC+2", "UTC+02:00"),
        ("GMT-5", "UTC-05:00"),
        ("UTC+05:30", "UTC+05:30"),
    ],
)
def test_a_zone_is_found_by_what_people_call_it(words: str, zone: str) -> None:
    found = zone_at(lex(words))
    assert found is not None
    assert (found[0].names, found[1].done) == ((zone,), True)


@pytest.mark.parametrize("words", ["to eat", "lunch time", "ist gut", "est une idée", "west wing", "and again", "Bo"])
def test_other_words_are_no_zone(words: str) -> None:
    assert zone_at(lex(words)) is None


def test_cities_and_countries_have_their_names_in_four_languages() -> None:
    for names, zone in (
        (("Japan", "Japon", "Japón"), "Asia/Tokyo"),
        (("Londres", "London"), "Europe/London"),
        (("Kairo", "Le Caire", "El Cairo", "Cairo"), "Africa/Cairo"),
        (("Schweiz", "Suisse", "Suiza", "Switzerland"), "Europe/Zurich"),
    ):
        assert {zones_of(name) for name in names} == {(zone,)}
