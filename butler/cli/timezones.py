"""Time zones and times as people type them: the machine's own zone, and suggestions for misspelled ones."""

import difflib
import os
from datetime import UTC, datetime, tzinfo
from zoneinfo import available_timezones

import typer

from butler.contract.errors import Refuse


def local_zone() -> str:
    """Return the machine's IANA time zone; UTC if it is unknown."""
    named = os.environ.get("TZ", "").removeprefix(":")
    _, _, linked = os.path.realpath("/etc/localtime").partition("/zoneinfo/")
    return next((zone for zone in (named, linked) if zone in available_timezones()), "UTC")


def zone_named(text: str) -> str:
    """Return the IANA name of what was typed, in any case; raise `Refuse` with suggestions."""
    wanted = text.strip().casefold().replace(" ", "_")
    zones = {zone.casefold(): zone for zone in available_timezones()}
    if wanted in zones:
        return zones[wanted]
    cities = [zone for folded, zone in zones.items() if folded.rpartition("/")[2] == wanted]
    near = [zones[folded] for folded in difflib.get_close_matches(wanted, zones, n=3)]
    meant = sorted(cities) or near or ["Europe/London"]
    raise Refuse(f"{text!r} is no IANA time zone; write it like {' or '.join(meant)}")


def now_named(text: str, zone: tzinfo) -> datetime:
    """Parse `--now` in ISO 8601, in this zone unless it names one; return the current time if it is empty."""
    if not text:
        return datetime.now(UTC).astimezone(zone)
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise typer.BadParameter("write --now in ISO 8601, such as 2026-03-02T09:30") from None
    return at if at.tzinfo else at.replace(tzinfo=zone)
