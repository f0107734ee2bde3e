"""Finds the time zones of places that people name; see `places.toml` and `places_of_several_zones.toml`."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from butler.contract.tables import table
from butler.orchestrator.embedded.lexer import lex
from butler.understanding.stored_words import stored
from butler.understanding.tables import LANGUAGES

_PACKAGE = "butler.orchestrator.embedded"
SEASONS = (datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 7, 15, tzinfo=UTC))
REGIONS = frozenset(
    ("Africa", "America", "Antarctica", "Arctic", "Asia", "Atlantic", "Australia", "Europe", "Indian", "Pacific")
)


@cache
def _cities() -> dict[str, tuple[str, ...]]:
    """Return zones by the folded name of their city."""
    cities: dict[str, tuple[str, ...]] = {}
    for zone in sorted(available_timezones()):
        region, _, rest = zone.partition("/")
        if region in REGIONS and rest:
            name = _folded(rest.rpartition("/")[2].replace("_", " "))
            cities[name] = (*cities.get(name, ()), zone)
    return cities


def zones_of(place: str) -> tuple[str, ...]:
    """Return the zones that a place may mean; none if it is unknown."""
    name = _folded(place)
    exact = next((zone for zone in available_timezones() if zone.casefold() == place.strip().casefold()), "")
    if exact and "/" in exact:
        return (exact,)
    return _said().get(name, ()) or _cities().get(name, ()) or _translated().get(name, ())


@cache
def _said() -> dict[str, tuple[str, ...]]:
    """Return the zones of places in the tables, by folded name."""
    several: Mapping[str, Mapping[str, Sequence[str]]] = table(_PACKAGE, "places_of_several_zones")
    said = {name: (zone,) for zone in table(_PACKAGE, "places") for name in stored(_PACKAGE, "places", zone)}
    for place in several.values():
        names = (name for language, listed in place.items() if language != "zones" for name in listed)
        said |= dict.fromkeys(names, tuple(place["zones"]))
    return said


@cache
def _translated() -> dict[str, tuple[str, ...]]:
    """Return zones by the folded names of cities and countries in the understood languages, from CLDR."""
    from babel import Locale  # noqa: PLC0415 - its data are read for the few who name a place
    from babel.core import get_global  # noqa: PLC0415 - as above

    known, names = available_timezones(), dict[str, tuple[str, ...]]()
    for language in LANGUAGES:
        locale: Any = Locale(language)
        cities: Mapping[str, Mapping[str, str]] = locale.time_zones
        countries: Mapping[str, str] = locale.territories
        for zone, said in cities.items():
            if zone in known and "city" in said:
                names.setdefault(_folded(said["city"]), (zone,))
        for code, zones in get_global("territory_zones").items():
            here = _one_a_clock([zone for zone in zones if zone in known])
            if code.isalpha() and here and code in countries:
                names.setdefault(_folded(countries[code]), here)
    return names


def _one_a_clock(zones: list[str]) -> tuple[str, ...]:
    """Return one zone for each different local time in winter or summer."""
    clocks: dict[tuple[object, ...], str] = {}
    for name in sorted(zones):
        zone = ZoneInfo(name)
        clocks.setdefault(tuple(day.astimezone(zone).utcoffset() for day in SEASONS), name)
    return tuple(clocks.values())


def _folded(name: str) -> str:
    return " ".join(token.word for token in lex(name).tokens)
