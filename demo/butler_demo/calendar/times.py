"""When an event is: Calendar's `start` and `end` in JSON, as moments, and back again in the zone of the reader."""

from datetime import date, datetime, timedelta, tzinfo
from functools import cache
from zoneinfo import ZoneInfo

from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError


@cache
def zone_named(name: str) -> tzinfo | None:
    """Return the IANA zone of this name, None if there is none."""
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):
        return None


def known_zone(name: str, what: str) -> tzinfo:
    """Return the IANA zone of this name. Raises GoogleError 400; `what` says whose zone it is."""
    zone = zone_named(name)
    if zone is None:
        raise GoogleError(400, "invalid", f"Invalid time zone definition for {what}.")
    return zone


def canonical_time(value: Json, calendar_zone: str, which: str, *, needs_zone: bool) -> Json:
    """Return `start` or `end` as it is kept: a date, or a moment with its offset and its zone.

    `which` is "start" or "end". Raises GoogleError 400 for a time without offset and zone, and for a recurring event's
    without zone.
    """
    if value.get("date"):
        if value.get("dateTime"):
            raise GoogleError(400, "invalid", f"Only one of date and dateTime may be given for {which} time.")
        return {"date": value["date"]}
    if not value.get("dateTime"):
        raise GoogleError(400, "required", f"Missing {which} time.")
    named: str = value.get("timeZone") or ""
    zone = known_zone(named or calendar_zone, f"{which} time")
    moment = datetime.fromisoformat(value["dateTime"])
    if (moment.tzinfo is None or needs_zone) and not named:
        raise GoogleError(400, "required", f"Missing time zone definition for {which} time.")
    local = (moment if moment.tzinfo else moment.replace(tzinfo=zone)).astimezone(zone)
    return {"dateTime": local.replace(microsecond=0).isoformat(), "timeZone": named or calendar_zone}


def is_all_day(value: Json) -> bool:
    """Whether this is a date and not a moment."""
    return "date" in value


def moment_of(value: Json, zone: tzinfo) -> datetime:
    """Return the moment of a kept time; a date begins at midnight in `zone`."""
    if "date" in value:
        return datetime.combine(date.fromisoformat(value["date"]), datetime.min.time(), zone)
    return datetime.fromisoformat(value["dateTime"])


def moved_time(value: Json, naive: datetime) -> Json:
    """Return a kept time of the same kind at another wall-clock time."""
    if "date" in value:
        return {"date": naive.date().isoformat()}
    zone = ZoneInfo(value["timeZone"])
    return {"dateTime": naive.replace(tzinfo=zone).isoformat(), "timeZone": value["timeZone"]}


def wall_clock(value: Json) -> datetime:
    """Return the wall-clock time of a kept time in its own zone, without zone."""
    if "date" in value:
        return datetime.combine(date.fromisoformat(value["date"]), datetime.min.time())
    return datetime.fromisoformat(value["dateTime"]).astimezone(ZoneInfo(value["timeZone"])).replace(tzinfo=None)


def length_of(start: Json, end: Json, zone: tzinfo) -> timedelta:
    """Return how long an event lasts."""
    if is_all_day(start):
        return wall_clock(end) - wall_clock(start)
    return moment_of(end, zone) - moment_of(start, zone)


def shown_time(value: Json, zone: tzinfo) -> Json:
    """Return a kept time as a reader in `zone` gets it."""
    if "date" in value:
        return {"date": value["date"]}
    return {"dateTime": rfc3339(moment_of(value, zone).astimezone(zone)), "timeZone": value["timeZone"]}


def rfc3339(moment: datetime) -> str:
    """Return a moment to the second, with Z where it is in UTC."""
    return moment.replace(microsecond=0).isoformat().replace("+00:00", "Z")


def stamp(moment: datetime) -> str:
    """Return a moment to the millisecond in UTC, as `created` and `updated` have it."""
    utc = moment.astimezone(ZoneInfo("UTC"))
    return f"{utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
