"""The entries of the owner's calendars in one form for all providers: for digests, preparations and reminders.

The module that polls a calendar makes an `AgendaEntry` of each event, and stores it as the item of its record. Texts
and people may be anybody's, so they are data.
"""

from datetime import date

from pydantic import AwareDatetime

from butler.contract.records import ClosedRecord

ACCEPTED, DECLINED, TENTATIVE, OPEN = "accepted", "declined", "tentative", "needsAction"
"""The possible answers to an invitation; `OPEN` means no answer yet."""


class AgendaGuest(ClosedRecord):
    """Another person who is invited to an event."""

    address: str
    name: str = ""
    answer: str = OPEN


class AgendaEntry(ClosedRecord):
    """One event, or one occurrence of a recurring event."""

    event_id: str
    """The id by which the calendar's tools know the event."""
    calendar: str
    """The calendar's id."""
    calendar_name: str = ""
    series: str = ""
    """The id of the series, if this is an occurrence of one."""
    title: str = ""
    starts: AwareDatetime
    """The start; of an all-day event, the beginning of its first day in the zone that was set when it was stored."""
    ends: AwareDatetime
    first_day: date | None = None
    """Set only for an all-day event, which begins at midnight wherever the owner is."""
    last_day: date | None = None
    place: str = ""
    organizer: str = ""
    """The organizer's address."""
    organizer_name: str = ""
    mine: bool = False
    """Whether the owner is the organizer."""
    guests: tuple[AgendaGuest, ...] = ()
    answer: str = ""
    """The owner's answer; empty if the owner was not invited."""
    free: bool = False
    """Whether the event leaves the owner free."""
    link: str = ""

    @property
    def all_day(self) -> bool:
        """Whether this is an all-day event."""
        return self.first_day is not None

    @property
    def declined(self) -> bool:
        """Whether the owner has declined."""
        return self.answer == DECLINED
