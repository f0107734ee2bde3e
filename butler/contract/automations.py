"""Automations: acts that follow an event or the clock, with their conditions.

An automation is data that the owner has seen whole, or written into a file. Facts of an event only ever replace values:
in a text that the owner reads, or in an argument that carries its provenance. A planner gets the owner's own words, and
nothing of the event.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Protocol, Self, cast
from zoneinfo import ZoneInfo

from pydantic import AfterValidator, AwareDatetime, BaseModel, Discriminator, Field, Tag, model_validator

from butler.contract.errors import ToolNameError
from butler.contract.events import FACTS, Event, EventFilter, EventName
from butler.contract.names import ToolName
from butler.contract.records import ClosedRecord
from butler.contract.schedules import RecurrenceRule
from butler.contract.wall_time import moment

PER_HOUR, PER_DAY = 20, 100
"""The default limits for how often an automation may fire."""
MOST_ACTS = 5
PLACE = re.compile(r"\{(\w+)\}")
"""The placeholder of a fact in a text."""
FACT, ITEM = "fact", "item"
"""Placeholders of an argument: `{"fact": "subject"}`, and `{"item": true}` for the mail or message itself."""
OWN_TOOLS = ("user_automations_", "bot_automations_")
HAVE_ITEMS = frozenset({EventName.MAIL_RECEIVED, EventName.CHAT_RECEIVED})
"""The events with an item that tools can take."""


def known_zone(name: str) -> str:
    """Return the name if it is an IANA zone; raises `ValueError`."""
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"{name[:60]} is no time zone; write one such as Europe/Berlin") from error
    return name


class Tell(ClosedRecord):
    """Tell the owner a text, in which facts stand as `{subject}`."""

    tell: Annotated[str, Field(min_length=1, max_length=1_000)]
    urgent: bool = False
    """Whether it is sent during quiet hours too; otherwise it is held until they end."""


class Request(ClosedRecord):
    """Do what the owner's words ask for, planned anew each time; with an expert, by that one."""

    request: Annotated[str, Field(min_length=1, max_length=1_000)]
    expert: Annotated[str, Field(max_length=60, pattern=r"^[\w-]*$")] = ""

    @property
    def words(self) -> str:
        """The request as the owner would type it."""
        return f"@{self.expert} {self.request}" if self.expert else self.request


class Call(ClosedRecord):
    """Call a tool, after those before it. Of the arguments, `{"fact": name}` is a fact, `{"item": true}` the item."""

    call: str
    args: Annotated[dict[str, Any], Field(max_length=40)] = Field(default_factory=dict[str, Any])


def _kind(value: Any) -> str:
    if isinstance(value, BaseModel):
        return type(value).__name__.lower()
    keys = cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else frozenset[str]()
    return next((key for key in ("request", "call") if key in keys), "tell")


Act = Annotated[
    Annotated[Tell, Tag("tell")] | Annotated[Request, Tag("request")] | Annotated[Call, Tag("call")],
    Discriminator(_kind),
]


class Hours(ClosedRecord):
    """Hours of a day in a zone, both ends included; over midnight where they end before they begin."""

    begins: time
    ends: time
    zone: Annotated[str, AfterValidator(known_zone)]

    def holds(self, at: datetime) -> bool:
        """Return whether a moment is within these hours."""
        clock = at.astimezone(ZoneInfo(self.zone)).time()
        if self.begins <= self.ends:
            return self.begins <= clock <= self.ends
        return clock >= self.begins or clock <= self.ends


class Until(ClosedRecord):
    """The end of an automation: the end of a day, or a time of that day, in a zone."""

    day: date
    at: time | None = None
    """The time of the day; None for all of the day."""
    zone: Annotated[str, AfterValidator(known_zone)]

    @property
    def ends(self) -> datetime:
        """The first moment that is no longer within it."""
        last = datetime.combine(self.day + timedelta(days=1), time()) if self.at is None else self.wall_time
        return moment(last, ZoneInfo(self.zone))

    @property
    def wall_time(self) -> datetime:
        """The end as the clock of its zone shows it; of a whole day, its midnight."""
        return datetime.combine(self.day, (self.at or time()).replace(tzinfo=None))


class Automation(ClosedRecord):
    """What is done, and when: at an event that a filter lets through, or by the clock."""

    name: Annotated[str, Field(min_length=1, max_length=80)]
    when: EventFilter | None = None
    clock: RecurrenceRule | None = None
    hours: Hours | None = None
    """The hours outside of which an event is ignored."""
    until: Until | None = None
    """The end, after which no event counts. What goes by the clock ends by its rule."""
    do: Annotated[tuple[Act, ...], Field(min_length=1, max_length=MOST_ACTS)]
    per_hour: Annotated[int, Field(ge=1, le=1_000)] = PER_HOUR
    per_day: Annotated[int, Field(ge=1, le=10_000)] = PER_DAY

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if (self.when is None) == (self.clock is None):
            raise ValueError("an automation has either `when` or `clock`")
        if self.clock is not None and self.hours is not None:
            raise ValueError("what goes by the clock has its hours in `clock`")
        if self.clock is not None and self.until is not None:
            raise ValueError("what goes by the clock ends by `until` of its `clock`")
        if self.when is not None and self.when.event is EventName.CLOCK:
            raise ValueError("what goes by the clock has a `clock`, and no event")
        for wrong in self._misfits():
            raise ValueError(wrong)
        return self

    @property
    def event(self) -> EventName:
        """The event that triggers the automation."""
        return EventName.CLOCK if self.when is None else self.when.event

    @property
    def digest(self) -> str:
        """The SHA-256 of the whole automation."""
        # An automation without an end keeps the digest that it had before there were ends.
        spec = self.model_dump(mode="json", exclude={"until"} if self.until is None else None)
        text = json.dumps(spec, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()

    def matches(self, event: Event) -> bool:
        """Return whether an event triggers the automation."""
        if self.when is None or (self.until is not None and event.at >= self.until.ends):
            return False
        return self.when.matches(event) and (self.hours is None or self.hours.holds(event.at))

    def does_same(self, other: "Automation") -> bool:
        """Return whether another one does the same at the same events or times, whatever it is called.

        An alert is told of once, in whichever words.
        """
        return self.kernel == other.kernel

    @property
    def kernel(self) -> tuple[object, ...]:
        """What it does and when, without its name, its limits and the order of its conditions."""
        where = None if self.when is None else frozenset(self.when.where)
        clock = self.clock
        if clock is not None and clock.repeats and clock.interval == 1:
            # On which day it began makes no difference to what is to come.
            clock = clock.model_copy(update={"start": datetime.combine(date.min, clock.start.time())})
        alert = self.event is EventName.ALERT_FIRED
        do = tuple("tell" if alert and isinstance(act, Tell) else act.model_dump_json() for act in self.do)
        return self.event, where, clock, self.hours, self.until, do

    @property
    def stops_at_day_limit(self) -> bool:
        """Whether more events a day than allowed stop it: of a smaller limit that was chosen, they are only skipped."""
        return self.per_day >= PER_DAY

    def _misfits(self) -> Iterator[str]:
        known = FACTS[self.event]
        for act in self.do:
            names = PLACE.findall(act.tell) if isinstance(act, Tell) else ()
            if isinstance(act, Call):
                names = tuple(named(act.args, FACT))
                if not _is_tool(act.call):
                    yield f"{act.call[:60]} is no tool's name"
                if act.call.startswith(OWN_TOOLS):
                    yield "no automation changes automations"
                if self.event not in HAVE_ITEMS and any(named(act.args, ITEM)):
                    yield f"{self.event} has no item; only mails and messages are one"
            for name in names:
                if name not in known:
                    yield f"{self.event} has no fact {name}; it has {', '.join(known)}"


def _is_tool(name: str) -> bool:
    try:
        ToolName.parse(name)
    except ToolNameError:
        return False
    return True


def named(value: Any, key: str) -> Iterator[str]:
    """Yield the placeholders of arguments under this key, at any depth."""
    match value:
        case dict():
            found = cast("dict[str, Any]", value)
            if set(found) == {key}:
                yield str(found[key])
            else:
                for one in found.values():
                    yield from named(one, key)
        case list() | tuple():
            for one in cast("Sequence[Any]", value):
                yield from named(one, key)
        case _:
            pass


class AutomationState(StrEnum):
    """How an automation stands."""

    ACTIVE = "active"
    PAUSED = "paused"
    """Paused by the owner."""
    STOPPED = "stopped"
    """Stopped automatically, because it fired too often."""
    REMOVED = "removed"
    ENDED = "ended"
    """Ended by itself, because its last day or its last time is past."""


class AutomationAction(StrEnum):
    """What the owner does with an automation."""

    PAUSE = "pause"
    RESUME = "resume"
    REMOVE = "remove"


class SavedAutomation(ClosedRecord):
    """A stored automation."""

    automation_id: str
    number: int
    """Its number for the owner."""
    automation: Automation
    standing: AutomationState
    source: str
    """The call that saved it, or `file:` and its name in a file."""
    digest: str
    due_at: AwareDatetime | None = None
    """The next due time of a scheduled automation."""
    times_past: int = 0
    """The number of past due times, including missed ones."""
    created_at: AwareDatetime

    @property
    def by_file(self) -> bool:
        """Whether the owner wrote it into a file."""
        return self.source.startswith(BY_FILE)


BY_FILE = "file:"


class FiringState(StrEnum):
    """The outcome of one firing."""

    FIRED = "fired"
    LOOP = "loop"
    """Not fired, because too many automations led to it."""
    TOO_OFTEN = "too_often"
    """Not fired but stopped, because it fired too often."""
    SKIPPED = "skipped"
    """Not fired, because it already fired as often as it may."""


@dataclass(frozen=True, slots=True)
class AutomationFiring:
    """One time at which an automation fired, or was kept from firing."""

    event_id: str
    replay: int
    at: datetime
    state: FiringState
    event: Event | None
    """The event; None if it is no longer stored."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """The times at which an automation would have fired."""

    count: int
    since: datetime
    """The beginning of the period that was searched for events or scheduled times."""
    newest: tuple[Event, ...] = ()
    """The newest few events, the newest last; of a scheduled automation, its next times as future events."""


class AutomationRepository(Protocol):
    """The owner's automations, as rows."""

    async def people(self) -> Mapping[str, str]:
        """Return the names of the owner's contacts, by id."""
        ...

    async def save(self, key: str, automation: Automation, replaces: int = 0) -> SavedAutomation:
        """Save an automation, once for a key, and remove the one that it replaces; 0 for none. Raise `Refuse`."""
        ...

    async def kept(self) -> Sequence[SavedAutomation]:
        """Return all but the removed ones, by number."""
        ...

    async def get(self, number: int) -> SavedAutomation:
        """Return one automation. Raises `Refuse` if it does not exist."""
        ...

    async def fired(self, number: int, limit: int) -> Sequence[AutomationFiring]:
        """Return its last firings, the newest first. Raises `Refuse` if there is no such automation."""
        ...

    async def take(self, number: int, step: AutomationAction) -> SavedAutomation:
        """Pause, resume or remove an automation. Raises `Refuse` if it does not exist, or is in a file."""
        ...

    async def replay(self, key: str, event_id: str, number: int = 0) -> Sequence[SavedAutomation]:
        """Replay an event, once for a key, for all automations that match it or for one of them. Raises `Refuse`."""
        ...

    async def dry_run(self, automation: Automation) -> DryRun:
        """Return when an automation would have fired lately."""
        ...
