"""The arguments of the calendar tools that read, or act on one event. Times are wall times of the owner's zone."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

from butler.contract.arguments import Account
from butler.contract.bulk_tool import NOT_A_MODELS
from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import InZone, Recipient, ToolMetadata
from modules.calendar.times import OptionalWhen, When, check_kinds, is_day

MOST_LISTED, MOST_GUESTS = 250, 200
LONGEST_MINUTES = 60 * 24 * 60
MOST_REMIND = 40_320
"""Four weeks, the most that Google accepts."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")
_ADDRESS = re.compile(r"[^@\s<>\"(),:;\\]+@[^@\s<>\"(),:;\\]+\.[^@\s<>\"(),:;\\]+")


def _one_line(text: str) -> str:
    if _CONTROL.search(text):
        raise ValueError(say("must be one line without control characters"))
    return text.strip()


def _as_recipient(value: Any) -> Any:
    """Accept a bare address as a recipient."""
    if isinstance(value, str):
        return {"address": value if value.startswith("mail:") else f"mail:{value.strip()}"}
    return value


def _mail_address(recipient: Recipient) -> Recipient:
    scheme, _, address = recipient.address.partition(":")
    if scheme != "mail" or not _ADDRESS.fullmatch(address):
        raise ValueError(say('is written as "mail:anna@friends.example"'))
    _one_line(recipient.name)
    return Recipient(address=f"mail:{address.lower()}", name=recipient.name)


Line = Annotated[str, Field(max_length=900), AfterValidator(_one_line)]
Text = Annotated[str, Field(max_length=8_000)]
Guest = Annotated[Recipient, BeforeValidator(_as_recipient), AfterValidator(_mail_address)]
Guests = Annotated[tuple[Guest, ...], Field(max_length=MOST_GUESTS)]
EventId = Annotated[str, Field(min_length=1, max_length=1_400, pattern=r"^[a-zA-Z0-9_-]+(/[^\s/]{1,300})?$")]
"""An event id as a list gives it: Google's own id, followed by a slash and the calendar unless it is the first one."""
OneEvent = Annotated[EventId, Field(description="An event that was shown or found.", examples=[{"handle": "event-3"}])]
Words = Annotated[Line, Field(description="Words that all have to stand in it.", examples=["dentist"])]
FindSince = Annotated[
    OptionalWhen,
    Field(description="Local time, or a date for its midnight; left out: now.", examples=["2026-03-02T09:00"]),
]
InCalendar = Annotated[
    Line, Field(description="Name of one calendar; left out: all that are shown.", examples=["Family"])
]
Minutes = Annotated[int, Field(ge=1, le=LONGEST_MINUTES)]
Remind = Annotated[int, Field(ge=0, le=MOST_REMIND)]


class Repeat(StrEnum):
    """How often an event comes again."""

    NEVER = ""
    DAILY = "daily"
    WEEKLY = "weekly"
    MONTHLY = "monthly"
    YEARLY = "yearly"


class _Args(ClosedRecord):
    account: Account = ""


class ListCalendarsArgs(_Args):
    """Nothing to say but the account."""


class ListEventsArgs(_Args):
    """Events from `since` to before `before`, with all `words`, of the calendar of this name.

    Without times: from now, for a month. A plain date means its midnight.
    """

    since: FindSince = None
    before: OptionalWhen = Field(
        default=None,
        description="Local time or date, excluded; left out: a month after `since`.",
        examples=["2026-03-09"],
    )
    words: Words = ""
    calendar: InCalendar = ""
    limit: int = Field(default=50, ge=1, le=MOST_LISTED, description="How many at most.", examples=[10])
    in_zone: InZone = ""


class ReadEventArgs(_Args):
    """One event, by the id that a list gave."""

    event: OneEvent


class FreeTimeArgs(_Args):
    """Times of at least `minutes` with nothing in the person's own calendars.

    Without times: from now, for a week. By day only (8:00 to 20:00), unless all that is asked for lies outside.
    """

    since: FindSince = None
    before: OptionalWhen = Field(
        default=None,
        description="Local time or date, excluded; left out: a week after `since`.",
        examples=["2026-03-09"],
    )
    minutes: Minutes = Field(default=60, description="Least length of a gap, in minutes.", examples=[30])
    in_zone: InZone = ""


class Clash(ClosedRecord):
    """What is in the calendar at that time already. The title is whoever's."""

    title: str
    start: str
    end: str
    """ISO moments."""


Clashes = Annotated[tuple[Clash, ...], Field(max_length=20, json_schema_extra={"readOnly": True})]


class CreateEventArgs(_Args):
    """A new event in a calendar of the person's, the first one where none is named.

    `start` is a wall time, or a plain date for whole days. It ends at `end` (of whole days: the last day), or after
    `minutes`, or after an hour. It comes again each `repeat`, up to the day `until`. A reminder comes `remind_minutes`
    before it; left out, the calendar's own do. `guests` are invited by Google's mail.
    """

    title: Line = Field(
        min_length=1, description="What the calendar shows, in the owner's words.", examples=["Dentist"]
    )
    start: When = Field(description="Local time, or a date for an event of whole days.", examples=["2026-03-02T09:00"])
    end: OptionalWhen = Field(
        default=None, description="Local time, or of whole days the last one, included.", examples=["2026-03-02T10:30"]
    )
    minutes: Minutes | None = Field(
        default=None, description="Length in minutes instead of `end`; both left out: an hour.", examples=[90]
    )
    location: Line = Field(default="", description="Where it is.", examples=["Town hall"])
    description: Text = Field(default="", description="Notes; guests see them too.", examples=["Bring the contract."])
    guests: Guests = Field(default=(), description="Whom to invite by mail.", examples=[[{"contact": "c1"}]])
    repeat: Repeat = Field(default=Repeat.NEVER, description="How often it comes again.", examples=["weekly"])
    until: date | None = Field(
        default=None, description="Last day of `repeat`, included; left out: no end.", examples=["2026-12-18"]
    )
    calendar: Line = Field(default="", description="Name of the calendar; left out: the first.", examples=["Family"])
    remind_minutes: Remind | None = Field(
        default=None, description="Minutes before the start; left out: the calendar's own reminders.", examples=[30]
    )
    clashes: Clashes = ()
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _makes_sense(self) -> "CreateEventArgs":
        check_length(self.start, self.end, self.minutes)
        if self.until is not None and self.repeat is Repeat.NEVER:
            raise ValueError(say("an event that ends to come again has to come again: say how often"))
        if self.until is not None and self.until.isoformat() < self.start.isoformat()[:10]:
            raise ValueError(say("it would come for the last time before it comes for the first time"))
        return self


class EventNow(ClosedRecord):
    """What an event is before it is changed, as it is shown and frozen. Texts and guests are whoever's."""

    event_id: str
    """What is changed: the event, or the series that it is one of."""
    calendar_id: str
    calendar: str
    title: str
    start: str
    end: str
    """ISO days or moments, of whole days the day after the last."""
    named_start: str
    """When the one begins that was named: of a series, one of its events."""
    zone: str
    """IANA name of the zone in which it is kept."""
    location: str = ""
    guests: tuple[str, ...] = ()
    rules: tuple[str, ...] = ()
    """How it recurs; empty for a single event."""


class ChangeEventArgs(_Args):
    """An event that is changed: only what is named. `series` changes all of its series.

    A new `start` keeps its length, unless `end` or `minutes` says otherwise. An empty text takes the location or the
    description away.
    """

    event: OneEvent
    title: Annotated[Line, Field(min_length=1)] | None = Field(
        default=None, description="New title.", examples=["Dentist, moved"]
    )
    start: OptionalWhen = Field(
        default=None, description="New local time or date; the length stays.", examples=["2026-03-03T09:00"]
    )
    end: OptionalWhen = Field(
        default=None, description="New local time, or the last whole day, included.", examples=["2026-03-03T10:30"]
    )
    minutes: Minutes | None = Field(default=None, description="New length in minutes, instead of `end`.", examples=[90])
    location: Line | None = Field(default=None, description="New place; empty takes it away.", examples=["Town hall"])
    description: Text | None = Field(
        default=None, description="New notes; empty takes them away.", examples=["Bring the contract."]
    )
    add_guests: Guests = Field(default=(), description="Whom to invite as well.", examples=[[{"contact": "c1"}]])
    remove_guests: Guests = Field(
        default=(), description="Whom to invite no longer.", examples=[[{"address": "mail:eve@friends.example"}]]
    )
    series: bool = Field(default=False, description="Whether all of its series is changed.", examples=[True])
    was: EventNow | None = NOT_A_MODELS
    clashes: Clashes = ()
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _makes_sense(self) -> "ChangeEventArgs":
        changed = self.model_dump(
            exclude={"event", "series", "account", "was", "clashes", "in_zone"}, exclude_defaults=True
        )
        if not changed:
            raise ValueError(say("say what is to be changed of it"))
        if self.start is not None:
            check_length(self.start, self.end, self.minutes)
        elif self.end is not None and self.minutes is not None:
            raise ValueError(say("say when it ends, or how long it takes, but not both"))
        if {one.address for one in self.add_guests} & {one.address for one in self.remove_guests}:
            raise ValueError(say("nobody can be invited and left out at once"))
        return self


def check_length(start: date, end: date | None, minutes: int | None) -> None:
    """Raise `ValueError` if end and length contradict each other, or the start."""
    if end is not None and minutes is not None:
        raise ValueError(say("say when it ends, or how long it takes, but not both"))
    if minutes is not None and is_day(start):
        raise ValueError(say("an event of whole days has a last day and no length in minutes"))
    if end is None:
        return
    check_kinds(start, end)
    if end < start or (end == start and not is_day(start)):
        raise ValueError(say("it would end before it begins"))


ROLES = {
    "user_calendar_list_calendars": ToolMetadata.of(option="account"),
    "user_calendar_list_events": ToolMetadata.of(target="words calendar", option="since before limit in_zone account"),
    "user_calendar_read_event": ToolMetadata.of(target="event", option="account"),
    "user_calendar_find_free_time": ToolMetadata.of(option="since before minutes in_zone account"),
    "user_calendar_create_event": ToolMetadata.of(
        recipient="guests",
        content="title start end location description",
        target="calendar",
        option="minutes repeat until remind_minutes clashes in_zone account",
    ),
    "user_calendar_change_event": ToolMetadata.of(
        recipient="add_guests remove_guests",
        content="title start end location description",
        target="event",
        option="minutes series was clashes in_zone account",
    ),
}
"""The role of each argument of these tools."""
FACTS = {
    "user_calendar_list_calendars": ("count", "calendars.0.name"),
    "user_calendar_list_events": (
        "count",
        *("events.0.event_id", "events.0.title", "events.0.start", "events.0.end", "events.0.location"),
    ),
    "user_calendar_read_event": ("title", "start", "end", "location", "description", "organiser", "guests.0.address"),
    "user_calendar_find_free_time": ("count", "free.0.start", "free.0.end", "free.0.minutes"),
    "user_calendar_create_event": ("event_id", "start", "end", "url"),
    "user_calendar_change_event": ("event_id", "start", "end"),
}
"""What later steps can use of the results of these tools."""
