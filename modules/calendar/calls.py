"""What is asked of one account, in the terms of a calendar: its calendars by name, and events by the ids we show.

The account's first calendar is always called `primary`, and an event in it by its bare id.
"""

from collections.abc import Sequence
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import ONCE, READS, IntegrationCall, IntegrationResult, RetryPolicy
from butler.contract.speech import say
from modules.calendar.integration_google_calendar import CalendarIntegration
from modules.calendar.records import (
    CALENDARS,
    GET,
    LIST,
    OWN_ROLES,
    WRITING_ROLES,
    CalendarEntry,
    Calendars,
    Event,
    Events,
    ListArgs,
)
from modules.calendar.times import Range

PRIMARY = "primary"
TIMEOUT_MS = 100_000
_READABLE = frozenset({"reader"}) | WRITING_ROLES


class CallFailedError(Exception):
    """A call of a tool ended; the result says why."""

    def __init__(self, result: IntegrationResult) -> None:
        super().__init__()
        self.result = result


class CalendarCalls:
    """Calls of one account. All but `call` raise `CallFailedError`."""

    def __init__(self, integration: CalendarIntegration) -> None:
        self.integration = integration

    async def call(
        self,
        trace_id: str,
        method_id: str,
        args: dict[str, Any],
        policy: RetryPolicy = READS,
        cursor: str | None = None,
    ) -> IntegrationResult:
        return await self.integration.call(
            IntegrationCall(
                trace_id=trace_id,
                method_id=method_id,
                args=args,
                timeout_ms=TIMEOUT_MS,
                retry_policy=policy,
                cursor=cursor,
            )
        )

    async def write(self, trace_id: str, method_id: str, args: dict[str, Any]) -> IntegrationResult:
        """A call with an effect: tried once."""
        return await self.call(trace_id, method_id, args, ONCE)

    async def calendars(self, trace_id: str) -> list[CalendarEntry]:
        """The account's list, its first calendar first."""
        return Calendars.model_validate(data_of(await self.call(trace_id, CALENDARS, {}))).calendars

    async def get(self, trace_id: str, event_id: str) -> Event:
        """One event, by the id that we show; a deleted one, too."""
        key, calendar = split(event_id)
        result = await self.call(trace_id, GET, {"calendar": calendar, "id": key})
        return Event.model_validate(data_of(result))

    async def page(self, trace_id: str, args: ListArgs, cursor: str | None = None) -> tuple[list[Event], str | None]:
        """A page of a listing, and where the next one begins."""
        result = await self.call(trace_id, LIST, args.model_dump(mode="json"), READS, cursor)
        return Events.model_validate(data_of(result)).events, result.meta.next_cursor

    async def events(
        self, trace_id: str, calendars: Sequence[str], when: Range, *, words: str = "", most: int
    ) -> tuple[list[Event], bool]:
        """Single events of these calendars, and whether these are all: `most` of each."""
        found: list[Event] = []
        complete = True
        for calendar in calendars:
            args = ListArgs(calendar=calendar, since=when.since, before=when.before, words=words, size=most)
            page, more = await self.page(trace_id, args)
            found += page
            complete = complete and more is None
        return found, complete


def key_of(entry: CalendarEntry) -> str:
    """How a calendar is asked for."""
    return PRIMARY if entry.primary else entry.id


def event_id_of(event: Event) -> str:
    """The id that we show of an event."""
    return event.id if event.calendar == PRIMARY else f"{event.id}/{event.calendar}"


def split(event_id: str) -> tuple[str, str]:
    """Google's id and the calendar, from an id that we show."""
    key, _, calendar = event_id.partition("/")
    return key, calendar or PRIMARY


def named(calendars: Sequence[CalendarEntry], name: str) -> CalendarEntry:
    """The calendar of this name, or with this id. Raises `ValueError` that says which there are."""
    wanted = name.strip().casefold()
    found = [one for one in calendars if wanted in {one.name.casefold(), one.id.casefold()}]
    if not found and wanted == PRIMARY:
        found = [one for one in calendars if one.primary]
    if len(found) == 1:
        return found[0]
    if found:
        raise ValueError(say("there are {count} calendars called {name}", count=len(found), name=name))
    names = ", ".join(one.name for one in calendars)
    raise ValueError(say("there is no calendar {name}; there are {names}", name=name, names=names))


def writable(entry: CalendarEntry) -> CalendarEntry:
    """The same, where events may be changed in it. Raises `ValueError`."""
    if entry.role not in WRITING_ROLES:
        raise ValueError(say("you may not change anything in the calendar {name}", name=entry.name))
    return entry


def shown(calendars: Sequence[CalendarEntry]) -> list[CalendarEntry]:
    """What the person has in view, where its events may be read."""
    return [one for one in calendars if one.primary or (one.selected and one.role in _READABLE)]


def own(calendars: Sequence[CalendarEntry]) -> list[CalendarEntry]:
    """The person's own that they have in view: any other, also where they may write in it, is meant by name only."""
    return [one for one in calendars if one.role in OWN_ROLES and (one.primary or one.selected)]


def data_of(result: IntegrationResult) -> dict[str, Any]:
    """The data of a result; raises `CallFailedError`."""
    if not result.ok or result.data is None:
        raise CallFailedError(result)
    return result.data


def refused(why: str) -> IntegrationResult:
    """What was asked for makes no sense."""
    return failed(IntegrationErrorCode.INVALID_INPUT, why)
