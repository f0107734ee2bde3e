"""Finds time zones by spoken names: `EST`, `Pacific Time`, `Mitteleuropäische Zeit`, `UTC+2`.

The meanings of abbreviations are in `zone_abbreviations.toml`, because no data set has the spoken ones: to the tz
database `PST` is also Manila's. Long names come from CLDR, in the understood languages. `EST` in July means New York's
clock, so an abbreviation means its zone in summer and winter, not an offset.
"""

import re
from collections.abc import Mapping
from datetime import timedelta, timezone, tzinfo
from functools import cache
from typing import Any, cast
from zoneinfo import ZoneInfo

from butler.contract.tables import table
from butler.orchestrator.embedded.lexer import lex
from butler.understanding.stored_words import stored
from butler.understanding.tables import LANGUAGES

_PACKAGE, _NAME = "butler.orchestrator.embedded", "zone_abbreviations"
OFFSET = re.compile(r"(?:UTC|GMT)\s?([+\-−–])\s?(\d{1,2})(?::?([0-5]\d))?(?![\w:])", re.IGNORECASE | re.ASCII)
MOST_HOURS = 14
_NAMED = re.compile(r"UTC([+-])(\d\d):(\d\d)", re.ASCII)


@cache
def abbreviations() -> dict[str, tuple[str, ...]]:
    """Return zones by the folded abbreviation; several if it is ambiguous."""
    found: dict[str, tuple[str, ...]] = {}
    for zone in table(_PACKAGE, _NAME):
        for name in stored(_PACKAGE, _NAME, zone):
            found[name] = (*found.get(name, ()), zone)
    return found


@cache
def long_names() -> dict[tuple[str, ...], tuple[str, ...]]:
    """Return zones by the words of their long names: `pacific standard time`, `heure d'europe centrale`."""
    from babel import Locale  # noqa: PLC0415 - its data are read for the few who name a zone
    from babel.core import get_global  # noqa: PLC0415 - as above

    groups = get_global("meta_zones")
    zones: dict[str, str] = {}
    for zone in table(_PACKAGE, _NAME):
        zones.setdefault(groups.get(zone, ""), zone)
    found: dict[tuple[str, ...], tuple[str, ...]] = {}
    for language in LANGUAGES:
        groups_said: Mapping[str, Mapping[str, Mapping[str, str]]] = cast("Any", Locale(language)).meta_zones
        for group, said in groups_said.items():
            for name in said.get("long", {}).values() if group in zones else ():
                found.setdefault(tuple(token.word for token in lex(name).tokens), (zones[group],))
    return found


def offset_name(sign: str, hours: str, minutes: str | None) -> str | None:
    """Return the name of an offset, such as `UTC+02:00`; None if no clock has it."""
    whole = int(hours)
    return f"UTC{'+' if sign == '+' else '-'}{whole:02}:{minutes or '00'}" if whole <= MOST_HOURS else None


def zone_named(name: str) -> tzinfo:
    """Return the zone of an IANA name, or of an offset as `offset_name` writes it."""
    match = _NAMED.fullmatch(name)
    if match is None:
        return ZoneInfo(name)
    offset = timedelta(hours=int(match[2]), minutes=int(match[3]))
    return timezone(offset if match[1] == "+" else -offset, name)
