"""The entries of the owner's calendars in one form for all providers: for digests, preparations and reminders.

The module that polls a calendar makes an `AgendaEntry` of each event, and stores it as the item of its record. Texts
and people may be anybody's, so they are data.
"""

from datetime import date

from pydantic import AwareDatetime

from butler.contract.records import ClosedRecord

ACCEPTED, DECLINED, TENTATIVE, OPEN = "accepted", "declined", "tentative", "needsAction"
"""What somebody answered to an invitation; `OPEN` is no answer yet."""


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
    """Of an event of whole days: when its first day begins in the zone that was set as it was stored."""
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
