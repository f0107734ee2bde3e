"""The entries of the owner's calendars in one form for all providers: for digests, preparations and reminders.

The module that polls a calendar makes an `AgendaEntry` of each event, and stores it as the item of its record. Texts
and people may be anybody's, so they are data.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from pydantic import AwareDatetime

from butler.contract.polled import Polled, PolledKind, PolledQuery
from butler.contract.records import ClosedRecord

ACCEPTED, DECLINED, TENTATIVE, OPEN = "accepted", "declined", "tentative", "needsAction"
"""What somebody answered to an invitation; `OPEN` is no answer yet."""
_A_DAY = timedelta(days=1)


class AgendaGuest(ClosedRecord):
    """Somebody else who is asked to an event."""

    address: str
    name: str = ""
    answer: str = OPEN


class AgendaEntry(ClosedRecord):
    """One event, or one of a series."""

    event_id: str
    """By which the calendar's tools know it."""
    calendar: str
    """The calendar's id."""
    calendar_name: str = ""
    series: str = ""
    """Of one of a series: the series' id."""
    title: str = ""
    starts: AwareDatetime
    """Of one that takes whole days, where the first of them begins in the house's zone as it was kept."""
    ends: AwareDatetime
    first_day: date | None = None
    """Only of one that takes whole days, which begin at midnight wherever the person is."""
    last_day: date | None = None
    place: str = ""
    organizer: str = ""
    """The address."""
    organizer_name: str = ""
    mine: bool = False
    """Whether the person organises it."""
    guests: tuple[AgendaGuest, ...] = ()
    answer: str = ""
    """The person's own; empty where they were not asked."""
    free: bool = False
    """Whether it leaves the person free."""
    link: str = ""

    @property
    def all_day(self) -> bool:
        """Whether it takes whole days."""
        return self.first_day is not None

    @property
    def declined(self) -> bool:
        """Whether the owner has declined."""
        return self.answer == DECLINED


@dataclass(frozen=True, slots=True)
class AgendaItem:
    """An entry, and the account that it was found in."""

    channel: str
    account: str
    ref: str
    entry: AgendaEntry

    @property
    def subject(self) -> str:
        """The row's name in the events about it."""
        return f"{self.channel}/{self.account}/{self.ref}"


def item_of(record: Polled) -> AgendaItem:
    """Convert a calendar's record to an agenda item."""
    return AgendaItem(record.channel, record.account, record.ref, AgendaEntry.model_validate(record.item))


def around(since: datetime, until: datetime, *, most: int = 200) -> PolledQuery:
    """Return the query for `going_on`: a day begins up to a day sooner or later than where it was stored."""
    return PolledQuery(PolledKind.EVENT, since=since - _A_DAY, until=until + _A_DAY, limit=most)


def going_on(records: Iterable[Polled], since: datetime, until: datetime, zone: ZoneInfo) -> list[AgendaItem]:
    """Return what goes on between two moments where the owner is: whole days first, then the rest, the earliest first.

    What the owner has declined is included.
    """
    within = [item for item in map(item_of, records) if _goes_on(item.entry, since, until, zone)]
    return sorted(within, key=lambda item: (not item.entry.all_day, item.entry.starts))


def _goes_on(entry: AgendaEntry, since: datetime, until: datetime, zone: ZoneInfo) -> bool:
    if entry.first_day is None or entry.last_day is None:
        return entry.starts < until and (entry.ends > since or entry.starts >= since)
    last = (until - timedelta(microseconds=1)).astimezone(zone).date()
    return entry.first_day <= last and entry.last_day >= since.astimezone(zone).date()
