"""The times of digests: the owner's wish, else the settings; the next one is a work row.

The next time is stored with the wall time and the zone it was computed for, so that a changed zone or setting has it
computed again, and a missed one is sent after a downtime.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.bulk_repeat import Weekday
from butler.contract.errors import Refuse
from butler.contract.following import DigestKind, DigestTimes
from butler.contract.ports import Clock
from butler.contract.schedules import Every, RecurrenceRule
from butler.contract.speech import say, say_date
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.store.queries import digests, work
from butler.store.store import Store
from config.digests import DigestsSettings

NOT_ON = "not_on"
_MOST_DAYS = 31
"""Days ahead that may be left out."""


@dataclass(frozen=True, slots=True)
class PlannedDigest:
    """The next digest."""

    due: datetime
    at: str
    zone: str


class StoreDigests:
    """Implements `DigestRepository`."""

    def __init__(
        self,
        store: Store,
        clock: Clock,
        quiet: QuietHoursHold,
        *,
        zone: ZoneInfo,
        settings: DigestsSettings,
        wake: Callable[[], None],
    ) -> None:
        self._store, self._clock, self._quiet, self._zone, self._wake = store, clock, quiet, zone, wake
        self._settings = settings

    async def set_time(self, kind: DigestKind, at: time | None) -> DigestTimes:
        now = self._clock.now()

        def work(connection: sa.Connection) -> DigestTimes:
            return self.put(connection, kind, at, now)

        times = await self._store.write(work, "digest.set")
        self._wake()
        return times

    async def skip(self, day: date) -> None:
        now = self._clock.now()
        today = now.astimezone(self._zone).date()
        if day < today or (day - today).days > _MOST_DAYS:
            raise Refuse(say("{day} is in the past, or too far off", day=say_date(day)))
        await self._store.write(lambda c: self.leave_out(c, day, now), "digest.skip")
        self._wake()

    def put(self, connection: sa.Connection, kind: DigestKind, at: time | None, now: datetime) -> DigestTimes:
        """Set a time as `set_time` does, within a transaction."""
        digests.wish(connection, now, **{kind.value: f"{at:%H:%M}" if at else ""})
        planned = self.plan(connection, kind, now)
        said = (self._quiet.until(planned.due) or planned.due) if planned else None
        return DigestTimes(kind=kind, at=at, zone=self._zone.key, next_at=said)

    def leave_out(self, connection: sa.Connection, day: date, now: datetime) -> None:
        """Leave out the digest of this day."""
        today = now.astimezone(self._zone).date()
        known = [one for one in self._not_on(connection) if one >= today.isoformat()]
        digests.wish(connection, now, **{NOT_ON: sorted({*known, day.isoformat()})})
        for kind in DigestKind:
            planned = self.planned(connection, kind)
            if planned is not None and planned.due.astimezone(self._zone).date() == day:
                self.plan(connection, kind, now)

    def at(self, connection: sa.Connection, kind: DigestKind) -> time | None:
        """Return a digest's wall time; None if there is none."""
        result = digests.wishes(connection).get(kind.value)
        if result is None:
            return self._settings.morning if kind is DigestKind.MORNING else self._settings.evening
        return time.fromisoformat(result) if result else None

    def planned(self, connection: sa.Connection, kind: DigestKind) -> PlannedDigest | None:
        """Return the next digest."""
        noted = digests.planned(connection, kind.value)
        return PlannedDigest(datetime.fromisoformat(noted["due"]), noted["at"], noted["zone"]) if noted else None

    def ensure(self, connection: sa.Connection, now: datetime) -> None:
        """Reschedule at the start and after a change of zone, unless the stored time is still right."""
        for kind in DigestKind:
            at, planned = self.at(connection, kind), self.planned(connection, kind)
            holds = planned is not None and (planned.at, planned.zone) == (self._mark(at), self._zone.key)
            if (planned is not None or at is not None) and not holds:
                self.plan(connection, kind, now)

    def quiet_changed(self, connection: sa.Connection, now: datetime) -> None:
        """Send each planned digest at its time, or at the end of the quiet hours as they are now."""
        for kind in DigestKind:
            if (planned := self.planned(connection, kind)) is not None:
                work.cancel(connection, digests.DUE, kind.value)
                self._schedule(connection, kind, planned.due, now)

    def set_back(self, connection: sa.Connection, now: datetime) -> None:
        """Reschedule after the clock was set back what a fast clock had put off. No digest is sent twice."""
        for kind in DigestKind:
            planned, due = self.planned(connection, kind), self._next(connection, kind, now)
            if planned is not None and due is not None and due < planned.due:
                self.plan(connection, kind, now)

    def plan(self, connection: sa.Connection, kind: DigestKind, now: datetime) -> PlannedDigest | None:
        """Schedule the next one after now, replacing any other."""
        work.cancel(connection, digests.DUE, kind.value)
        due = self._next(connection, kind, now)
        if due is None:
            digests.plan(connection, kind.value, None, now)
            return None
        planned = PlannedDigest(due, self._mark(self.at(connection, kind)), self._zone.key)
        noted = {"due": due.isoformat(), "at": planned.at, "zone": planned.zone}
        digests.plan(connection, kind.value, noted, now)
        self._schedule(connection, kind, due, now)
        return planned

    def _schedule(self, connection: sa.Connection, kind: DigestKind, due: datetime, now: datetime) -> None:
        work.add(connection, digests.DUE, kind.value, now=now, run_at=self._quiet.until(due) or due)

    def _next(self, connection: sa.Connection, kind: DigestKind, now: datetime) -> datetime | None:
        at = self.at(connection, kind)
        if at is None:
            return None
        yesterday = (now.astimezone(self._zone) - timedelta(days=1)).replace(tzinfo=None)
        days = tuple(Weekday(day) for day in self._settings.days)
        rule = RecurrenceRule(zone=self._zone.key, start=yesterday, every=Every.DAY, on=days, at=(at,))
        left_out = set(self._not_on(connection))
        fires = (one for one in rule.fires(now) if one.astimezone(self._zone).date().isoformat() not in left_out)
        found = next(fires, None)
        return found.astimezone(UTC) if found else None

    def _mark(self, at: time | None) -> str:
        """Return what a time was computed from, besides the zone."""
        return f"{at:%H:%M} {' '.join(self._settings.days)}" if at else ""

    @staticmethod
    def _not_on(connection: sa.Connection) -> Sequence[str]:
        return digests.wishes(connection).get(NOT_ON, ())
