"""Finds the time zones of places that people name."""

from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from butler.orchestrator.embedded.lexer import lex

SAID = {
    "nyc": "America/New_York", "new york city": "America/New_York", "boston": "America/New_York",
    "washington": "America/New_York", "washington dc": "America/New_York", "miami": "America/New_York",
    "philadelphia": "America/New_York", "atlanta": "America/New_York", "la": "America/Los_Angeles",
    "san francisco": "America/Los_Angeles", "seattle": "America/Los_Angeles", "san diego": "America/Los_Angeles",
    "las vegas": "America/Los_Angeles", "california": "America/Los_Angeles", "dallas": "America/Chicago",
    "houston": "America/Chicago", "austin": "America/Chicago", "new orleans": "America/Chicago",
    "hawaii": "Pacific/Honolulu", "montreal": "America/Toronto", "ottawa": "America/Toronto",
    "québec": "America/Toronto",
    "rio": "America/Sao_Paulo", "rio de janeiro": "America/Sao_Paulo", "são paulo": "America/Sao_Paulo",
    "england": "Europe/London", "scotland": "Europe/London", "uk": "Europe/London", "the uk": "Europe/London",
    "edinburgh": "Europe/London", "manchester": "Europe/London", "oxford": "Europe/London",
    "cambridge": "Europe/London",
    "ireland": "Europe/Dublin", "iceland": "Atlantic/Reykjavik", "france": "Europe/Paris", "lyon": "Europe/Paris",
    "marseille": "Europe/Paris", "nice": "Europe/Paris", "germany": "Europe/Berlin", "munich": "Europe/Berlin",
    "hamburg": "Europe/Berlin", "frankfurt": "Europe/Berlin", "cologne": "Europe/Berlin", "stuttgart": "Europe/Berlin",
    "münchen": "Europe/Berlin", "köln": "Europe/Berlin", "leipzig": "Europe/Berlin", "dresden": "Europe/Berlin",
    "austria": "Europe/Vienna", "wien": "Europe/Vienna", "salzburg": "Europe/Vienna", "switzerland": "Europe/Zurich",
    "zürich": "Europe/Zurich", "geneva": "Europe/Zurich", "genf": "Europe/Zurich", "genève": "Europe/Zurich",
    "basel": "Europe/Zurich", "italy": "Europe/Rome", "rom": "Europe/Rome", "milan": "Europe/Rome",
    "mailand": "Europe/Rome", "venice": "Europe/Rome", "venedig": "Europe/Rome", "florence": "Europe/Rome",
    "naples": "Europe/Rome", "barcelona": "Europe/Madrid", "seville": "Europe/Madrid", "valencia": "Europe/Madrid",
    "mallorca": "Europe/Madrid", "tenerife": "Atlantic/Canary", "gran canaria": "Atlantic/Canary",
    "lissabon": "Europe/Lisbon", "lisbonne": "Europe/Lisbon", "lisboa": "Europe/Lisbon", "porto": "Europe/Lisbon",
    "londres": "Europe/London", "parís": "Europe/Paris", "roma": "Europe/Rome", "nueva york": "America/New_York",
    "berlín": "Europe/Berlin", "viena": "Europe/Vienna", "vienne": "Europe/Vienna", "belgium": "Europe/Brussels",
    "brüssel": "Europe/Brussels", "bruxelles": "Europe/Brussels", "antwerp": "Europe/Brussels",
    "rotterdam": "Europe/Amsterdam", "the netherlands": "Europe/Amsterdam", "holland": "Europe/Amsterdam",
    "denmark": "Europe/Copenhagen", "kopenhagen": "Europe/Copenhagen", "copenhague": "Europe/Copenhagen",
    "sweden": "Europe/Stockholm", "norway": "Europe/Oslo", "finland": "Europe/Helsinki", "poland": "Europe/Warsaw",
    "warschau": "Europe/Warsaw", "cracow": "Europe/Warsaw", "prag": "Europe/Prague", "praga": "Europe/Prague",
    "greece": "Europe/Athens", "athen": "Europe/Athens", "atenas": "Europe/Athens", "turkey": "Europe/Istanbul",
    "moskau": "Europe/Moscow", "israel": "Asia/Jerusalem", "tel aviv": "Asia/Jerusalem", "egypt": "Africa/Cairo",
    "kairo": "Africa/Cairo", "morocco": "Africa/Casablanca", "marrakech": "Africa/Casablanca",
    "cape town": "Africa/Johannesburg", "kapstadt": "Africa/Johannesburg", "south africa": "Africa/Johannesburg",
    "abu dhabi": "Asia/Dubai", "india": "Asia/Kolkata", "delhi": "Asia/Kolkata", "mumbai": "Asia/Kolkata",
    "bangalore": "Asia/Kolkata", "thailand": "Asia/Bangkok", "vietnam": "Asia/Ho_Chi_Minh", "beijing": "Asia/Shanghai",
    "peking": "Asia/Shanghai", "china": "Asia/Shanghai", "japan": "Asia/Tokyo", "tokio": "Asia/Tokyo",
    "osaka": "Asia/Tokyo", "kyoto": "Asia/Tokyo", "korea": "Asia/Seoul", "bali": "Asia/Makassar",
    "new zealand": "Pacific/Auckland", "wellington": "Pacific/Auckland", "singapur": "Asia/Singapore",
}  # fmt: skip
"""Names of places after which no zone is named."""
SEVERAL = {
    "georgia": ("America/New_York", "Asia/Tbilisi"),
    "portland": ("America/Los_Angeles", "America/New_York"),
    "australia": ("Australia/Sydney", "Australia/Adelaide", "Australia/Perth"),
    "usa": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "the us": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "the usa": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "the states": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "america": ("America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles"),
    "canada": ("America/Toronto", "America/Winnipeg", "America/Edmonton", "America/Vancouver"),
    "brazil": ("America/Sao_Paulo", "America/Manaus"),
    "mexico": ("America/Mexico_City", "America/Cancun", "America/Tijuana"),
    "indonesia": ("Asia/Jakarta", "Asia/Makassar", "Asia/Jayapura"),
    "spain": ("Europe/Madrid", "Atlantic/Canary"),
    "portugal": ("Europe/Lisbon", "Atlantic/Azores"),
    "russia": ("Europe/Moscow", "Asia/Yekaterinburg", "Asia/Vladivostok"),
}
"""Places with several time zones, or several places of one name."""
LANGUAGES = ("en", "de", "fr", "es")
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
    if name in SEVERAL:
        return SEVERAL[name]
    return (SAID[name],) if name in SAID else _cities().get(name, ()) or _translated().get(name, ())


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
