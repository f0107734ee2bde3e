"""The owner's current time zone: that of the settings, or of the place where they said that they are.

All services share one object of it. A moment that it creates carries the zone of that time, so that a change of zone
does not change results. Within `neutral()` it is UTC.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.neutral import is_neutral
from butler.store.queries import cursors, work
from butler.store.store import Store

HOME_ZONE = "home_zone"
"""The fact: the owner's current zone, that of the settings when it was noted, and until when they stay."""
ZONE_CHANGED = "zone_changed"
"""The work kind that adapts everything that goes by the owner's clock."""
COME_BACK = "come_back"
"""The work kind that ends a stay."""
PERSON = "person"
"""The subject of both."""

_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Stay:
    """The place where the owner said that they are."""

    zone: str
    home: str
    until: datetime | None = None


class HomeZone(ZoneInfo):
    """A zone that may change while others hold it."""

    def __new__(cls, key: str) -> Self:
        """Create a new object each time: `ZoneInfo` caches objects by key, and this one changes."""
        return super().no_cache(key)

    def __init__(self, key: str) -> None:
        self._now = self._home = ZoneInfo(key)

    @property
    def key(self) -> str:  # type: ignore[override]
        """The name of the current zone."""
        return self._clocks().key

    @property
    def home(self) -> str:
        """The name of the zone of the settings."""
        return self._home.key

    def move(self, key: str) -> None:
        """Change to another zone."""
        self._now = ZoneInfo(key)

    def _clocks(self) -> ZoneInfo:
        """The current zone, for this caller."""
        return _UTC if is_neutral() else self._now

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        return self._clocks().utcoffset(dt)

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        return self._clocks().dst(dt)

    def tzname(self, dt: datetime | None, /) -> str | None:
        return self._clocks().tzname(dt)

    def fromutc(self, dt: datetime, /) -> datetime:
        """Convert a moment to the current zone."""
        now = self._clocks()
        return now.fromutc(dt.replace(tzinfo=now))

    def __str__(self) -> str:
        return self.key

    def __repr__(self) -> str:
        return f"HomeZone({self.key!r})"

    def __reduce__(self) -> Any:
        """Pickle and copy it as the current zone, which then stays fixed."""
        return ZoneInfo, (self.key,)


def stay(connection: sa.Connection) -> Stay | None:
    """Return where the owner said that they are, if ever."""
    noted = cursors.fact(connection, HOME_ZONE)
    if noted is None:
        return None
    until = datetime.fromisoformat(noted["until"]) if noted["until"] else None
    return Stay(noted["zone"], noted["home"], until)


def note_stay(connection: sa.Connection, now: datetime, now_in: Stay) -> None:
    """Note where the owner is, and adapt everything to it."""
    until = now_in.until.isoformat() if now_in.until else ""
    cursors.put_fact(connection, HOME_ZONE, {"zone": now_in.zone, "home": now_in.home, "until": until}, now)
    work.cancel(connection, COME_BACK, PERSON)
    if now_in.until is not None:
        work.add(connection, COME_BACK, PERSON, now=now, run_at=now_in.until)
    work.add(connection, ZONE_CHANGED, PERSON, now=now)


async def home_zone(store: Store, configured: str) -> HomeZone:
    """Return the zone where the owner said that they are, else the one of the settings."""
    zone, noted = HomeZone(configured), await store.read(stay)
    # A changed zone in the settings means that the owner moved, and ends the stay.
    if noted is not None and noted.home == configured:
        zone.move(noted.zone)
    return zone
