"""The entries of the owner's calendars as they were polled, and those of a stretch of time."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from butler.contract.agenda import AgendaEntry
from butler.contract.polled import Polled, PolledKind, PolledQuery

_A_DAY = timedelta(days=1)


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
    """Return the events between two moments at the owner's place: all-day events first, then by start.

    Events that the owner has declined are included.
    """
    within = [item for item in map(item_of, records) if _goes_on(item.entry, since, until, zone)]
    return sorted(within, key=lambda item: (not item.entry.all_day, item.entry.starts))


def _goes_on(entry: AgendaEntry, since: datetime, until: datetime, zone: ZoneInfo) -> bool:
    if entry.first_day is None or entry.last_day is None:
        return entry.starts < until and (entry.ends > since or entry.starts >= since)
    last = (until - timedelta(microseconds=1)).astimezone(zone).date()
    return entry.first_day <= last and entry.last_day >= since.astimezone(zone).date()
