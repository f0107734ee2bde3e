"""Maps Calendar events to the stored records, each of which holds an `AgendaEntry`."""

from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.agenda import AgendaEntry, AgendaGuest
from butler.contract.polled import Polled, PolledKind
from butler.contract.wall_time import moment
from modules.calendar.calls import event_id_of, key_of
from modules.calendar.records import CalendarEntry, Event

CHANNEL = "calendar"
_NO_APPOINTMENT = frozenset({"workingLocation"})
"""Kinds of events that only say where the owner works."""
_A_DAY = timedelta(days=1)


def ref_of(event: Event, calendar: CalendarEntry) -> str:
    """Return the event id that tools show and take."""
    return event_id_of(event.model_copy(update={"calendar": key_of(calendar)}))


def deleted_event(account: str, ref: str, version: str = "") -> Polled:
    """Return the record of a deleted event."""
    return Polled(
        channel=CHANNEL, account=account, kind=PolledKind.EVENT, ref=ref, version=version, item={}, removed=True
    )


def record_of(event: Event, calendar: CalendarEntry, account: str, zone: ZoneInfo) -> Polled | None:
    """Return the record of an event; None if it is no appointment."""
    ref = ref_of(event, calendar)
    if event.gone:
        return deleted_event(account, ref, event.etag)
    if event.kind in _NO_APPOINTMENT:
        return None
    first = date.fromisoformat(event.start.day) if event.start.day else None
    last = max(first, date.fromisoformat(event.end.day) - _A_DAY) if first and event.end.day else first
    starts = _midnight(first, zone) if first else datetime.fromisoformat(event.start.at)
    ends = _midnight(last + _A_DAY, zone) if last else datetime.fromisoformat(event.end.at)
    entry = AgendaEntry(
        event_id=ref,
        calendar=calendar.id,
        calendar_name=calendar.name,
        series=event.series,
        title=event.title,
        starts=starts,
        ends=ends,
        first_day=first,
        last_day=last,
        place=event.location,
        organizer=event.organiser,
        organizer_name=event.organiser_name,
        mine=event.mine,
        guests=tuple(AgendaGuest(address=one.address, name=one.name, answer=one.response) for one in event.others),
        answer=event.me.response if event.me else "",
        free=event.free,
        link=event.url,
    )
    return Polled(
        channel=CHANNEL,
        account=account,
        kind=PolledKind.EVENT,
        ref=ref,
        version=event.etag,
        at=starts,
        ends_at=ends,
        item=entry.model_dump(mode="json"),
    )


def _midnight(day: date, zone: ZoneInfo) -> datetime:
    return moment(datetime(day.year, day.month, day.day), zone)  # noqa: DTZ001 - a wall time
