"""The arguments of the calendar tools that read, or act on one event. Times are wall times of the owner's zone."""

import re
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field, model_validator

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
    account: Annotated[str, Field(max_length=30)] = ""
    """Which of the person's accounts; the first one, when left out."""


class ListCalendarsArgs(_Args):
    """Nothing to say but the account."""


class ListEventsArgs(_Args):
    """Events from `since` to before `before`, with all `words`, of the calendar of this name.

    Without times: from now, for a month. A plain date means its midnight.
    """

    since: OptionalWhen = None
    before: OptionalWhen = None
    words: Line = ""
    calendar: Line = ""
    limit: int = Field(default=50, ge=1, le=MOST_LISTED)
    in_zone: InZone = ""


class ReadEventArgs(_Args):
    """One event, by the id that a list gave."""

    event: EventId


class FreeTimeArgs(_Args):
    """Times of at least `minutes` with nothing in the person's own calendars.

    Without times: from now, for a week. By day only (8:00 to 20:00), unless all that is asked for lies outside.
    """

    since: OptionalWhen = None
    before: OptionalWhen = None
    minutes: Minutes = 60
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

    title: Annotated[Line, Field(min_length=1)]
    start: When
    end: OptionalWhen = None
    minutes: Minutes | None = None
    location: Line = ""
    description: Text = ""
    guests: Guests = ()
    repeat: Repeat = Repeat.NEVER
    until: date | None = None
    calendar: Line = ""
    remind_minutes: Remind | None = None
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

    event: EventId
    title: Annotated[Line, Field(min_length=1)] | None = None
    start: OptionalWhen = None
    end: OptionalWhen = None
    minutes: Minutes | None = None
    location: Line | None = None
    description: Text | None = None
    add_guests: Guests = ()
    remove_guests: Guests = ()
    series: bool = False
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
