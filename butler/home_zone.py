"""The zone whose clocks the person lives by: the one of the settings, or where they said that they are.

All rooms hold one object of it, made once. What it makes of a moment has the zone of that time itself, so that nothing
that was worked out changes when the person travels. Within `neutral()` it is UTC.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Self
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.neutral import is_neutral
from butler.store.queries import cursors, work
from butler.store.store import Store

HOME_ZONE = "home_zone"
"""The fact: the zone that they are in, that of the settings when it was noted, and until when they stay."""
ZONE_CHANGED = "zone_changed"
"""The work that has follow what goes by the clock."""
COME_BACK = "come_back"
"""The work that ends a stay."""
PERSON = "person"
"""The subject of both."""

_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class Stay:
    """Where the person said that they are."""

    zone: str
    home: str
    until: datetime | None = None


class HomeZone(ZoneInfo):
    """A zone that may become another one while everybody holds it."""

    def __new__(cls, key: str) -> Self:
        """Made anew each time: `ZoneInfo` gives the same object for the same key, and this one changes."""
        return super().no_cache(key)

    def __init__(self, key: str) -> None:
        self._now = self._home = ZoneInfo(key)

    @property
    def key(self) -> str:  # type: ignore[override]
        """The name of the zone that it is now."""
        return self._clocks().key

    @property
    def home(self) -> str:
        """The name of the zone of the settings."""
        return self._home.key

    def move(self, key: str) -> None:
        """Be another zone from now on."""
        self._now = ZoneInfo(key)

    def _clocks(self) -> ZoneInfo:
        """The zone that it is now, for whoever asks."""
        return _UTC if is_neutral() else self._now

    def utcoffset(self, dt: datetime | None, /) -> timedelta | None:
        return self._clocks().utcoffset(dt)

    def dst(self, dt: datetime | None, /) -> timedelta | None:
        return self._clocks().dst(dt)

    def tzname(self, dt: datetime | None, /) -> str | None:
        return self._clocks().tzname(dt)

    def fromutc(self, dt: datetime, /) -> datetime:
        """A moment as its clocks show it, in the very zone that it is now."""
        now = self._clocks()
        return now.fromutc(dt.replace(tzinfo=now))

    def __str__(self) -> str:
        return self.key

    def __repr__(self) -> str:
        return f"HomeZone({self.key!r})"

    def __reduce__(self) -> Any:
        """A copy is the zone that it is now, and travels no more."""
        return ZoneInfo, (self.key,)


def stay(connection: sa.Connection) -> Stay | None:
    """Where the person said that they are, if they ever did."""
    noted = cursors.fact(connection, HOME_ZONE)
    if noted is None:
        return None
    until = datetime.fromisoformat(noted["until"]) if noted["until"] else None
    return Stay(noted["zone"], noted["home"], until)


def note_stay(connection: sa.Connection, now: datetime, now_in: Stay) -> None:
    """Note where the person is, and have everything follow."""
    until = now_in.until.isoformat() if now_in.until else ""
    cursors.put_fact(connection, HOME_ZONE, {"zone": now_in.zone, "home": now_in.home, "until": until}, now)
    work.cancel(connection, COME_BACK, PERSON)
    if now_in.until is not None:
        work.add(connection, COME_BACK, PERSON, now=now, run_at=now_in.until)
    work.add(connection, ZONE_CHANGED, PERSON, now=now)


async def home_zone(store: Store, configured: str) -> HomeZone:
    """The zone where the person said that they are, else the one of the settings."""
    zone, noted = HomeZone(configured), await store.read(stay)
    # Whoever writes another one into the settings lives there now, and what was said before is over.
    if noted is not None and noted.home == configured:
        zone.move(noted.zone)
    return zone
