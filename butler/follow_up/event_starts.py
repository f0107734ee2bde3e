"""`event.starting`: published a while before an event of the owner's calendars begins, once for each start time.

One work row covers all events: it finds those that are near, and is rescheduled for the next. Every change of a
calendar triggers a look, so a moved or cancelled event is reported correctly. After a downtime, it reports late what is
still to come or in progress, and not what is over.
"""

import uuid
from collections.abc import Callable
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.agenda import AgendaEntry
from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.names import Identity
from butler.contract.polled import PolledKind, PolledQuery
from butler.contract.ports import Clock
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import phrase
from butler.contract.wall_time import moment
from butler.follow_up.agenda_items import AgendaItem, item_of
from butler.store.queries import cursors, event_starts, events, polled
from butler.store.store import Store
from config.agenda import AgendaSettings

LOOKED_AT = "event_starting.looked_at"
"""The cursor: events near until then were reported."""
AHEAD = timedelta(hours=6)
"""The longest wait until the next look."""
_MOST = 1_000
_WIDEST_ZONE = timedelta(days=1)


class EventStarts:
    """The work handler of `event_starting` rows, which have no subject."""

    def __init__(
        self, store: Store, clock: Clock, zone: ZoneInfo, settings: AgendaSettings, wake: Callable[[], None]
    ) -> None:
        self._store, self._clock, self._zone, self._wake = store, clock, zone, wake
        self._settings = settings
        self._before = timedelta(minutes=settings.starting_minutes)

    async def look(self, _subject: str) -> None:
        """Report the near events, and wait for the next ones."""
        now = self._clock.now()
        await self._store.write(lambda c: self._look(c, now), "starting")
        self._wake()

    def _look(self, connection: sa.Connection, now: datetime) -> None:
        looked_at = cursors.get(connection, LOOKED_AT)
        since = datetime.fromisoformat(looked_at) if looked_at else now
        coming = [(self._due(item.entry), item) for item in self._coming(connection, now)]
        for due, item in coming:
            # An event that had begun when it became known is no news; one that came near during a downtime is.
            if due <= now and not item.entry.declined and (item.entry.starts > now or due > since):
                events.emit(connection, self._event(item, now), _key(item), now)
        cursors.put(connection, LOOKED_AT, max(since, now).isoformat(), now)
        following = min((due for due, _ in coming if due > now), default=now + AHEAD)
        if _any_after(connection, now):
            event_starts.look_at(connection, min(following, now + AHEAD), now)

    def _coming(self, connection: sa.Connection, now: datetime) -> list[AgendaItem]:
        until = now + AHEAD + self._before + _WIDEST_ZONE
        query = PolledQuery(PolledKind.EVENT, since=now - _WIDEST_ZONE, until=until, limit=_MOST)
        items = [item_of(record) for record in polled.find(connection, query)]
        return [item for item in items if not _over(item.entry, now, self._zone)]

    def _due(self, entry: AgendaEntry) -> datetime:
        if entry.first_day is None:
            return entry.starts - self._before
        return moment(datetime.combine(entry.first_day, self._settings.all_day_at), self._zone)

    def _event(self, item: AgendaItem, now: datetime) -> Event:
        entry = item.entry
        left = 0 if entry.all_day else max(0, round((entry.starts - now).total_seconds() / 60))
        return Event(
            event_id=uuid.uuid4().hex,
            name=EventName.EVENT_STARTING,
            channel=item.channel,
            identity=Identity.USER,
            account=item.account,
            at=now,
            facts={
                "account": item.account,
                "event": entry.event_id,
                "title": entry.title[:MOST_TEXT],
                "place": entry.place[:MOST_TEXT],
                "organizer": entry.organizer,
                "guests": len(entry.guests),
                "minutes": left,
                "all_day": entry.all_day,
            },
            origin=Origin(trust=Trust.UNTRUSTED, source=item.subject, shown_as=phrase("an event of your calendar")),
            subject=item.subject,
        )


async def begin(store: Store, clock: Clock) -> None:
    """Reschedule before the engine starts: the settings may have changed the time of the report."""
    now = clock.now()
    if await store.read(lambda c: _any_after(c, now)):
        await store.write(lambda c: event_starts.look(c, now), "starting")


def _any_after(connection: sa.Connection, now: datetime) -> bool:
    """Return whether there is anything to wait for."""
    return bool(polled.find(connection, PolledQuery(PolledKind.EVENT, since=now - _WIDEST_ZONE, limit=1)))


def _over(entry: AgendaEntry, now: datetime, zone: ZoneInfo) -> bool:
    if entry.last_day is None:
        # An event without a duration is over once it begins.
        return max(entry.ends, entry.starts) <= now
    return entry.last_day < now.astimezone(zone).date()


def _key(item: AgendaItem) -> str:
    begins = item.entry.first_day or item.entry.starts
    return f"event.starting:{item.subject}@{begins.isoformat()}"
