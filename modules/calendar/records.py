"""The requests to Google Calendar and its answers, as `call()` validates them."""

from typing import Annotated, Any

from pydantic import AwareDatetime, Field

from butler.contract.records import ClosedRecord

CALENDARS = "calendar.calendars.list.v1"
LIST = "calendar.events.list.v1"
GET = "calendar.events.get.v1"
INSERT = "calendar.events.insert.v1"
PATCH = "calendar.events.patch.v1"
DELETE = "calendar.events.delete.v1"
MOVE = "calendar.events.move.v1"
CHANGES = "calendar.events.changes.v1"
OPEN_CHANNEL = "calendar.channels.open.v1"
CLOSE_CHANNEL = "calendar.channels.close.v1"

EVENTS = "https://www.googleapis.com/auth/calendar.events"
NAMES = "https://www.googleapis.com/auth/calendar.calendarlist.readonly"
SCOPES = (EVENTS, NAMES)
"""Events can be read and changed, and calendars listed by name; none can be shared, emptied or deleted."""
LARGEST_PAGE = 2_500
OWN_ROLES = frozenset({"owner"})
WRITING_ROLES = frozenset({"owner", "writer"})

COLOURS = {
    "lavender": "1",
    "sage": "2",
    "grape": "3",
    "flamingo": "4",
    "banana": "5",
    "tangerine": "6",
    "peacock": "7",
    "graphite": "8",
    "blueberry": "9",
    "basil": "10",
    "tomato": "11",
    "calendar": "",
}
"""Google's numbers of the colours; empty for the calendar's own."""

CalendarId = Annotated[str, Field(pattern=r"^[^\s/]{1,300}$")]
EventKey = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,1100}$")]


class Nothing(ClosedRecord):
    """No arguments, or no answer."""


class CalendarEntry(ClosedRecord):
    """A calendar in the account's list. Its name may be another's choice."""

    id: CalendarId
    name: str
    zone: str
    role: str
    primary: bool = False
    selected: bool = False
    """Whether the person has it shown."""


class Calendars(ClosedRecord):
    """The account's list, its first calendar first."""

    calendars: list[CalendarEntry]


class Guest(ClosedRecord):
    """Somebody who is invited."""

    address: str
    name: str = ""
    response: str = "needsAction"
    comment: str = ""
    me: bool = False
    optional: bool = False
    room: bool = False


class Reminder(ClosedRecord):
    """A reminder: `popup` or `email`, so many minutes before."""

    method: str
    minutes: int


class Time(ClosedRecord):
    """When something begins or ends: a `day`, or a moment and the zone in which it is kept."""

    day: str = ""
    at: str = ""
    zone: str = ""


class Event(ClosedRecord):
    """An event as the account has it. Texts and people are whoever's."""

    id: EventKey
    calendar: CalendarId
    etag: str
    status: str
    title: str = ""
    start: Time = Time()
    end: Time = Time()
    location: str = ""
    description: str = ""
    organiser: str = ""
    organiser_name: str = ""
    mine: bool = False
    """Whether this calendar organises it."""
    guests: list[Guest] = Field(default=[])
    guests_left_out: bool = False
    recurrence: list[str] = Field(default=[])
    series: str = ""
    """Of one of a series: the series' id."""
    original_start: Time = Time()
    own_reminders: list[Reminder] | None = None
    """None where the calendar's are used."""
    colour: str = ""
    """Google's number; empty for the calendar's own."""
    free: bool = False
    """Whether it leaves the person free."""
    open_to_guests: bool = False
    """Whether guests may change it."""
    kind: str = "default"
    url: str = ""

    @property
    def gone(self) -> bool:
        """Return whether the event is deleted."""
        return self.status == "cancelled"

    @property
    def all_day(self) -> bool:
        return bool(self.start.day)

    @property
    def me(self) -> Guest | None:
        """Return the owner's entry among the guests."""
        return next((guest for guest in self.guests if guest.me), None)

    @property
    def others(self) -> list[Guest]:
        """Return the other guests, without rooms."""
        return [one for one in self.guests if not one.me and not one.room]

    @property
    def changeable(self) -> bool:
        """Return whether fields that all guests see may be changed from this calendar."""
        return self.mine or self.open_to_guests

    @property
    def declined(self) -> bool:
        return self.me is not None and self.me.response == "declined"


class Events(ClosedRecord):
    """A page."""

    events: list[Event]


class ListArgs(ClosedRecord):
    """Events of a calendar: those that end after `since` and begin before `before`, and have all words.

    `single`: each event of a series by itself, in the order of their beginning. `updated_since`: only what was changed
    since then, deleted events too, in no order.
    """

    calendar: CalendarId
    since: AwareDatetime | None = None
    before: AwareDatetime | None = None
    updated_since: AwareDatetime | None = None
    words: str = ""
    single: bool = True
    size: int = Field(ge=1, le=LARGEST_PAGE)
    background: bool = False


class Window(ClosedRecord):
    """A stretch of time that events lie in."""

    since: AwareDatetime
    before: AwareDatetime


class ChangesArgs(ClosedRecord):
    """What a calendar holds within a window, each event of a series by itself; or what has changed there since `token`.

    A token is good for the window that it was got for, and asked with alone.
    """

    calendar: CalendarId
    window: Window | None = None
    token: str = ""


class Changes(ClosedRecord):
    """A page, without texts. What is deleted is told as such, and little of it; the token comes with the last page."""

    events: list[Event]
    token: str = ""


class EventRef(ClosedRecord):
    """One event, by its id in a calendar."""

    calendar: CalendarId
    id: EventKey
    background: bool = False


class NewGuest(ClosedRecord):
    """Somebody who is to be invited, or is."""

    address: str
    name: str = ""
    response: str = ""
    comment: str = ""
    optional: bool = False


class Fields(ClosedRecord):
    """What is written of an event; of a change, only what is set. An empty text takes it away."""

    title: str = ""
    start: Time = Time()
    end: Time = Time()
    location: str = ""
    description: str = ""
    guests: list[NewGuest] = Field(default=[])
    """All that are invited from now on."""
    answer: NewGuest | None = None
    """The person's own answer alone."""
    recurrence: list[str] = Field(default=[])
    reminders: list[Reminder] | None = None
    """None: the calendar's own."""
    colour: str = ""
    status: str = "confirmed"


class InsertArgs(ClosedRecord):
    """A new event under an id of our own, so that a repeat is known by it."""

    calendar: CalendarId
    id: EventKey
    fields: Fields
    tell: bool = True


class PatchArgs(EventRef):
    """What is set in `fields` is changed, in the state `etag` where it is given. `tell`: others by Google's mail."""

    fields: Fields
    etag: str = ""
    tell: bool = True


class DeleteArgs(EventRef):
    """Deleted in the state `etag`, where it is given."""

    etag: str = ""
    tell: bool = True


class MoveArgs(EventRef):
    """Moved to another calendar of the person's."""

    to: CalendarId
    tell: bool = True


def fields_of(**values: Any) -> dict[str, Any]:
    """Return `Fields` with just these set, as arguments of a call."""
    return Fields(**values).model_dump(mode="json", exclude_unset=True)
