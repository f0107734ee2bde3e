"""Works out when the rules of `table.tsv` and `automations.tsv` are due in 2027, from what rows state, without Butler.

A row states its rule in words, and as an iCalendar rule over wall times, which dateutil unrolls where no clock ever
changes. What the clocks of a zone show is read from the zone's own data: where it changes is found by bisection.
A wall time is due when the clocks first show it, or what comes after it.

    python -m tests.schedule.year.expected            # writes both anew
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from dateutil.rrule import rrulestr

TABLE = Path(__file__).with_name("table.tsv")
AUTOMATIONS = Path(__file__).with_name("automations.tsv")
BEGINS, ENDS = datetime(2026, 12, 28, tzinfo=UTC), datetime(2028, 1, 5, tzinfo=UTC)
LAST = datetime(2028, 1, 1)  # noqa: DTZ001 - a wall time
FEW = 14
"""So many times stand in the table one by one; of more, their number and the ones around a change of the clocks."""
HOME = "Europe/Berlin"
STAYS = (
    (HOME, BEGINS),
    ("America/New_York", datetime(2027, 3, 20, 10, 5, tzinfo=UTC)),
    ("Australia/Lord_Howe", datetime(2027, 4, 2, 12, tzinfo=UTC)),
    ("Africa/Casablanca", datetime(2027, 5, 6, 3, 30, tzinfo=UTC)),
    (HOME, datetime(2027, 9, 12, 6, tzinfo=UTC)),
)
"""Where the person of the simulated year lives, since when. Rows of `wall` follow."""


@dataclass(frozen=True)
class Stated:
    """One row before its times are known."""

    zone: str
    words: str
    start: str
    """Wall time."""
    ical: str
    """Empty: once."""
    rule: dict[str, Any] = field(default_factory=dict[str, Any])
    """The same as Butler keeps it, without zone and start."""

    @property
    def travels(self) -> bool:
        return self.rule.get("keeps", "wall") == "wall"


def segments(zone: str) -> list[tuple[datetime, datetime, timedelta]]:
    """From when until when the zone has which offset."""
    info, step = ZoneInfo(zone), timedelta(days=1)
    edges, at = [BEGINS], BEGINS
    while at < ENDS:
        low, high = at, min(at + step, ENDS)
        if low.astimezone(info).utcoffset() != high.astimezone(info).utcoffset():
            before = low.astimezone(info).utcoffset()
            while high - low > timedelta(seconds=1):
                middle = low + timedelta(seconds=round((high - low).total_seconds()) // 2)
                if middle.astimezone(info).utcoffset() == before:
                    low = middle
                else:
                    high = middle
            edges.append(high)
        at = min(at + step, ENDS)
    return [(a, b, a.astimezone(info).utcoffset() or timedelta()) for a, b in pairwise([*edges, ENDS])]


def shown(wall: datetime, zone: str) -> datetime:
    """When the clocks of a zone first show a wall time, or what comes after it."""
    for begins, ends, offset in segments_of(zone):
        at = max(begins, wall.replace(tzinfo=UTC) - offset)
        if at < ends:
            return at
    raise ValueError(wall)


_KNOWN: dict[str, list[tuple[datetime, datetime, timedelta]]] = {}


def segments_of(zone: str) -> list[tuple[datetime, datetime, timedelta]]:
    """`segments`, worked out once."""
    return _KNOWN.setdefault(zone, []) or _KNOWN[zone].extend(segments(zone)) or _KNOWN[zone]


def shown_to_traveller(wall: datetime) -> datetime:
    """The same by the clocks that the person has at hand; what a journey leaves out is due where they came from."""
    for number, (zone, since) in enumerate(STAYS):
        until = STAYS[number + 1][1] if number + 1 < len(STAYS) else ENDS
        at = shown(wall, zone)
        if at >= until:
            continue
        return at if at >= since else shown(wall, STAYS[number - 1][0])
    raise ValueError(wall)


def walls(row: Stated) -> Iterator[datetime]:
    """The wall times of a row in 2027, as if clocks never changed."""
    start = datetime.fromisoformat(row.start)
    if not row.ical:
        yield start
        return
    for wall in rrulestr(row.ical, dtstart=start):
        if wall >= LAST:
            return
        if wall >= start:
            yield wall


def times(row: Stated) -> list[datetime]:
    """When it is due, in order, no two alike."""
    if row.rule.get("every") in {"hour", "minute"}:  # lengths of real time
        first = shown(datetime.fromisoformat(row.start), row.zone)
        unit = timedelta(hours=1) if row.rule["every"] == "hour" else timedelta(minutes=1)
        return [first + unit * row.rule["interval"] * n for n in range(row.rule["times"])]
    return sorted({shown_to_traveller(wall) if row.travels else shown(wall, row.zone) for wall in walls(row)})


def tricky(found: Sequence[datetime], row: Stated) -> list[datetime]:
    """The first and the last, and those next to a change of the clocks."""
    changes = [edge for edge, _, _ in segments_of(row.zone)[1:]]
    if row.travels:
        changes += [since for _, since in STAYS[1:]]
    near = {found[0], found[-1]}
    for change in changes:
        near |= set([at for at in found if at < change][-1:]) | set([at for at in found if at >= change][:1])
    return sorted(near)


def lines(prefix: str, rows: Sequence[Stated]) -> Iterator[str]:
    """A table."""
    yield "id\tzone\twords\tical\trule\tcount\tdue"
    for number, row in enumerate(rows, start=1):
        found = times(row)
        listed = found if len(found) <= FEW else tricky(found, row)
        rule = json.dumps({"zone": row.zone, "start": row.start, **row.rule}, separators=(",", ":"))
        due = " ".join(f"{at:%Y-%m-%dT%H:%MZ}" for at in listed)
        yield f"{prefix}{number:03}\t{row.zone}\t{row.words}\t{row.ical or 'once'}\t{rule}\t{len(found)}\t{due}"


if __name__ == "__main__":
    from tests.schedule.year.stated import BY_THEMSELVES, STATED

    TABLE.write_text("\n".join(lines("Y", STATED)) + "\n", encoding="utf-8")
    AUTOMATIONS.write_text("\n".join(lines("A", BY_THEMSELVES)) + "\n", encoding="utf-8")
