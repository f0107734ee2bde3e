"""Which time zone a calendar means by a zone's name (RFC 5545, TZID): what is certain, nothing guessed.

A calendar's reader first takes the definitions of zones out of it (`zones_apart`). So a definition that is broken, or
that takes forever to evaluate, costs that zone only, and no calendar sees another one's. It imports nothing else of
Butler, because it is used in child processes that load little.
"""

import re
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from functools import lru_cache
from typing import cast
from zoneinfo import ZoneInfo, available_timezones

_MOST_ZONE_LINES = 1_000
_MOST_ZONES = 200
_LONGEST_NAME = 200
_WRITTEN_AS = "X-BUTLER-ZONE"
"""The parameter that carries a time's zone name past icalendar, which would look it up itself."""

_FOLD = re.compile(r"\r?\n[ \t]")
_LINE_END = re.compile(r"\r?\n|\r")
_PLAIN_RULE = re.compile(
    r"RRULE:(FREQ=YEARLY|(INTERVAL|BYMONTH|BYDAY|BYMONTHDAY|UNTIL|COUNT|WKST)=[\w,+-]{1,60}|;)+", re.ASCII
)
"""A recurrence rule that a change of the clock can have."""
_TIME = re.compile(
    r"(DTSTART|DTEND|DUE|RECURRENCE-ID|EXDATE|RDATE)[ \t]*(;.*):[ \t]*(\d{8}[\dTZ,/PWDHMS]*)[ \t]*",
    re.IGNORECASE | re.ASCII | re.DOTALL,
)
"""A line with a time. Its value follows the last colon: a name that is not quoted may contain one, too."""
_A_TIME = re.compile(r"[ \t]*(?:DTSTART|DTEND|DUE|RECURRENCE-ID|EXDATE|RDATE)\b", re.IGNORECASE)
_LONGEST_TIME = 2_000
_ZONE_PARAMETER = re.compile(r";[ \t]*TZID[ \t]*=[ \t]*(\"[^\"]*\"|.*?)[ \t]*(?=;[A-Z-]+[ \t]*=|\Z)", re.IGNORECASE)
_ZONE_NAME = re.compile(r"[ \t]*TZID(?:;[^:]*)?:(.*)", re.IGNORECASE | re.DOTALL)
_ESCAPED = re.compile(r"\\([\\,;])")
_OFFSET = re.compile(r"(?:(?:utc|gmt)\s*)?([+-])(\d{2}):?(\d{2})|utc\s*([+-])(\d{1,2})", re.ASCII)
"""`GMT-0500`, `UTC+05:30`, `-05:00` or `UTC+2`. Not `GMT+5`, which some take for five hours behind, as POSIX does."""
_LARGEST_OFFSET = timedelta(hours=14)
_UTC_NAMES = frozenset({"z", "tzone://microsoft/utc"})
_OF_THE_MACHINE = frozenset({"localtime", "factory", "posixrules"})
"""Names in a database of zones for whatever the machine is set to, or for none."""


class CalendarZones:
    """The zones of one calendar's times: those that it defines, and those whose name alone is unambiguous."""

    def __init__(self, defined: Mapping[str, Sequence[str]] | None = None) -> None:
        """`defined` are the lines of each VTIMEZONE by the folded name."""
        self._defined = dict(defined or {})
        self._known: dict[str, tzinfo | None] = {}

    def of(self, name: str) -> tzinfo | None:
        """Return the zone of a name; None if it is not certain which one it is."""
        folded = _folded(name)
        if folded not in self._known:
            # A well-known name keeps its meaning, even where a calendar defines it anew.
            self._known[folded] = _well_known(folded) or self._worked_out(folded) or certain_zone(name)
        return self._known[folded]

    def moment(self, value: object) -> tuple[date | None, str]:
        """Return an icalendar date or time in its zone, and the zone's name if that zone is not known."""
        at = getattr(value, "dt", None)
        if not isinstance(at, date):
            return None, ""
        name = self.name_of(value)
        if not isinstance(at, datetime) or not name:
            return at, ""
        zone = self.of(name)
        try:
            return at.replace(tzinfo=zone), "" if zone and at.replace(tzinfo=zone).utcoffset() is not None else name
        except (ValueError, OverflowError):
            return at.replace(tzinfo=None), name

    @staticmethod
    def name_of(value: object) -> str:
        """Return the zone name of an icalendar time; empty for none."""
        parameters = getattr(value, "params", {})
        return str(parameters.get(_WRITTEN_AS) or parameters.get("TZID") or "")

    def _worked_out(self, folded: str) -> tzinfo | None:
        lines = self._defined.get(folded)
        if lines is None:
            return None
        from icalendar import Calendar  # noqa: PLC0415 - most calendars define none that is needed
        from icalendar.timezone import tzp  # noqa: PLC0415

        # Without what it learned of other calendars.
        tzp.use_zoneinfo()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                whole = "\r\n".join(["BEGIN:VCALENDAR", *lines, "END:VCALENDAR", ""])
                found = Calendar.from_ical(whole).timezones[0]
                zone = cast("tzinfo", found.to_tz(tzp, lookup_tzid=False))  # pyright: ignore[reportUnknownMemberType] - untyped
                zone.utcoffset(datetime(2000, 1, 1))  # noqa: DTZ001 - whether it can be worked out at all
        except Exception:  # noqa: BLE001 - the boundary to a hostile format; whoever asks says that it is not known
            return None
        finally:
            tzp.use_zoneinfo()
        return zone


def unfolded(text: str) -> list[str]:
    """Return the lines of a calendar, unfolded."""
    return _LINE_END.split(_FOLD.sub("", text))


def zones_apart(lines: Iterable[str]) -> tuple[list[str], CalendarZones]:
    """Return a calendar's lines as icalendar must read them, and the zones of its times."""
    rest: list[str] = []
    zone: list[str] = []
    defined: dict[str, Sequence[str]] = {}
    doubtful: set[str] = set()
    for line in lines:
        mark = line.strip().upper()
        if not zone and mark != "BEGIN:VTIMEZONE":
            rest.append(_timed(line))
            continue
        zone.append(line)
        if mark == "END:VTIMEZONE":
            name = _name_in(zone)
            if defined.setdefault(name, zone) != zone:
                doubtful.add(name)
            zone = []
    usable = {name: known for name, known in defined.items() if name not in doubtful and _is_harmless(known)}
    return rest, CalendarZones(usable if len(usable) <= _MOST_ZONES else {})


def certain_zone(name: str) -> tzinfo | None:
    """Return the zone of a name alone, in any case: of the IANA database, of Windows, or an offset from UTC.

    Of a globally unique name, which begins with a slash, what follows its registry counts.
    """
    folded = _folded(name)
    return _well_known(folded) or _of_windows(folded) or _offset(folded) or _behind_registry(folded)


def _folded(name: str) -> str:
    return " ".join(name.strip().strip('"').split()).casefold()[:_LONGEST_NAME]


def _well_known(folded: str) -> tzinfo | None:
    if folded in _UTC_NAMES:
        return UTC
    found = _names().get(folded)
    return ZoneInfo(found) if found else None


@lru_cache(maxsize=1)
def _names() -> Mapping[str, str]:
    return {name.casefold(): name for name in available_timezones() if name.casefold() not in _OF_THE_MACHINE}


def _of_windows(folded: str) -> tzinfo | None:
    found = _windows_names().get(folded, "").casefold()
    return _well_known(found) if found else None


@lru_cache(maxsize=1)
def _windows_names() -> Mapping[str, str]:
    """Return the Windows names in the CLDR."""
    from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON  # noqa: PLC0415 - few names are of Windows

    return {name.casefold(): zone for name, zone in WINDOWS_TO_OLSON.items()}


def _offset(folded: str) -> tzinfo | None:
    found = _OFFSET.fullmatch(folded.replace("\u2212", "-"))
    if found is None:
        return None
    minutes = int(found[3] or 0)
    long = timedelta(hours=int(found[2] or found[5]), minutes=minutes)
    if minutes >= 60 or long > _LARGEST_OFFSET:  # noqa: PLR2004 - of an hour
        return None
    return timezone(-long if (found[1] or found[4]) == "-" else long)


def _behind_registry(folded: str) -> tzinfo | None:
    if not folded.startswith("/"):
        return None
    parts = folded.strip("/").split("/")
    tails = ("/".join(parts[at:]) for at in range(len(parts)))
    return next((zone for tail in tails if (zone := _well_known(tail)) is not None), None)


def _timed(line: str) -> str:
    """Rewrite a line with a time so that icalendar neither looks its zone up nor ends the zone's name at a colon."""
    if len(line) > _LONGEST_TIME:
        # Other lines may be of any length; a time that is lost is reported.
        return "" if _A_TIME.match(line) else line
    found = _TIME.fullmatch(line)
    if found is None:
        return line
    name, parameters, value = found.groups()
    zone = _ZONE_PARAMETER.search(parameters)
    if zone is None:
        return line
    rest = parameters[: zone.start()] + parameters[zone.end() :]
    called = zone[1].strip('"').replace('"', "").strip()
    # A time in UTC is that, whatever else its line says.
    named = f';{_WRITTEN_AS}="{called}"' if called and not value.upper().endswith("Z") else ""
    return f"{name}{named}{rest}:{value}"


def _name_in(zone: Sequence[str]) -> str:
    found = next((match[1] for line in zone if (match := _ZONE_NAME.fullmatch(line))), "")
    return _folded(_ESCAPED.sub(r"\1", found))


def _is_harmless(zone: Sequence[str]) -> bool:
    rules = (line.strip().upper() for line in zone)
    return len(zone) <= _MOST_ZONE_LINES and all(
        _PLAIN_RULE.fullmatch(rule) is not None for rule in rules if rule.startswith(("RRULE", "EXRULE"))
    )
