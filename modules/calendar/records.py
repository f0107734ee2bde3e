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
"""The scopes to read and change events and to list calendars by name; none can share, empty or delete a calendar."""
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
"""Google's numbers of the colours; empty for the calendar's own colour."""

CalendarId = Annotated[str, Field(pattern=r"^[^\s/]{1,300}$")]
EventKey = Annotated[str, Field(pattern=r"^[A-Za-z0-9_-]{1,1100}$")]


class Nothing(ClosedRecord):
    """No arguments, or no answer."""


class CalendarEntry(ClosedRecord):
    """A calendar in the account's list. Somebody else may have chosen its name."""

    id: CalendarId
    name: str
    zone: str
    role: str
    primary: bool = False
    selected: bool = False
    """Whether the owner displays it."""


class Calendars(ClosedRecord):
    """The account's calendars, the first one first."""

    calendars: list[CalendarEntry]


class Guest(ClosedRecord):
    """A guest of an event."""

    address: str
    name: str = ""
    response: str = "needsAction"
    comment: str = ""
    me: bool = False
    optional: bool = False
    room: bool = False


class Reminder(ClosedRecord):
    """A reminder, as `popup` or `email`, this many minutes before the event."""

    method: str
    minutes: int


class Time(ClosedRecord):
    """The start or end of an event: a `day`, or a moment and the zone of its wall time."""

    day: str = ""
    at: str = ""
    zone: str = ""


class Event(ClosedRecord):
    """An event as the account has it. Anybody may have written its texts and guests."""

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
    """For an event of a series, the series' id."""
    original_start: Time = Time()
    own_reminders: list[Reminder] | None = None
    """None if the calendar's reminders apply."""
    colour: str = ""
    """Google's number; empty for the calendar's own colour."""
    free: bool = False
    """Whether the owner counts as free during it."""
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
    """A page of events."""

    events: list[Event]


class ListArgs(ClosedRecord):
    """A request for a calendar's events that end after `since`, begin before `before`, and have all words.

    `single`: each event of a series separately, ordered by start. `updated_since`: only events changed since then,
    including deleted ones, in no particular order.
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
    """A time range of events."""

    since: AwareDatetime
    before: AwareDatetime


class ChangesArgs(ClosedRecord):
    """A request for a calendar's events within a window, each of a series separately; or for the changes since `token`.

    A token is valid for the window that it was issued for, and is sent without one.
    """

    calendar: CalendarId
    window: Window | None = None
    token: str = ""


class Changes(ClosedRecord):
    """A page of events without texts. A deleted event has few fields; the last page holds the token."""

    events: list[Event]
    token: str = ""


class EventRef(ClosedRecord):
    """An event by its id in a calendar."""

    calendar: CalendarId
    id: EventKey
    background: bool = False


class NewGuest(ClosedRecord):
    """A guest to invite or to keep."""

    address: str
    name: str = ""
    response: str = ""
    comment: str = ""
    optional: bool = False


class Fields(ClosedRecord):
    """The fields of an event to write; in a change, only those that are set. An empty text clears a field."""

    title: str = ""
    start: Time = Time()
    end: Time = Time()
    location: str = ""
    description: str = ""
    guests: list[NewGuest] = Field(default=[])
    """All guests after the change."""
    answer: NewGuest | None = None
    """The owner's own response alone."""
    recurrence: list[str] = Field(default=[])
    reminders: list[Reminder] | None = None
    """None: the calendar's own reminders."""
    colour: str = ""
    status: str = "confirmed"


class InsertArgs(ClosedRecord):
    """A new event with an id of ours, so that a repeated request is recognised."""

    calendar: CalendarId
    id: EventKey
    fields: Fields
    tell: bool = True


class PatchArgs(EventRef):
    """A change of an event to the set `fields`, only if its state is still `etag`, if given. `tell`: notify guests."""

    fields: Fields
    etag: str = ""
    tell: bool = True


class DeleteArgs(EventRef):
    """A deletion of an event, only if it still has the state `etag`, if given."""

    etag: str = ""
    tell: bool = True


class MoveArgs(EventRef):
    """A move of an event to another calendar of the owner's."""

    to: CalendarId
    tell: bool = True


def fields_of(**values: Any) -> dict[str, Any]:
    """Return `Fields` with just these set, as arguments of a call."""
    return Fields(**values).model_dump(mode="json", exclude_unset=True)
