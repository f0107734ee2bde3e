"""The calls of one account, in calendar terms: calendars by name, and events by the ids that tools show.

The account's first calendar is always called `primary`, and an event in it by its bare id.
"""

from collections.abc import Sequence
from typing import Any

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import ONCE, READS, IntegrationResult, RetryPolicy
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
    """A tool's call failed; `result` says why."""

    def __init__(self, result: IntegrationResult) -> None:
        super().__init__()
        self.result = result


class CalendarCalls:
    """The calls of one account. All but `call` raise `CallFailedError`."""

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
        return await self.integration.request(
            trace_id, method_id, args, timeout_ms=TIMEOUT_MS, retry_policy=policy, cursor=cursor
        )

    async def write(self, trace_id: str, method_id: str, args: dict[str, Any]) -> IntegrationResult:
        """Make a call with an effect, once."""
        return await self.call(trace_id, method_id, args, ONCE)

    async def calendars(self, trace_id: str) -> list[CalendarEntry]:
        """Return the account's calendars, the first one first."""
        return Calendars.model_validate(data_of(await self.call(trace_id, CALENDARS, {}))).calendars

    async def get(self, trace_id: str, event_id: str) -> Event:
        """Return one event by the id that tools show, even if it is deleted."""
        key, calendar = split(event_id)
        result = await self.call(trace_id, GET, {"calendar": calendar, "id": key})
        return Event.model_validate(data_of(result))

    async def page(self, trace_id: str, args: ListArgs, cursor: str | None = None) -> tuple[list[Event], str | None]:
        """Return a page of a listing, and the cursor of the next."""
        result = await self.call(trace_id, LIST, args.model_dump(mode="json"), READS, cursor)
        return Events.model_validate(data_of(result)).events, result.meta.next_cursor

    async def events(
        self, trace_id: str, calendars: Sequence[str], when: Range, *, words: str = "", most: int
    ) -> tuple[list[Event], bool]:
        """Return single events of these calendars, at most `most` of each, and whether these are all."""
        found: list[Event] = []
        complete = True
        for calendar in calendars:
            args = ListArgs(calendar=calendar, since=when.since, before=when.before, words=words, size=most)
            page, more = await self.page(trace_id, args)
            found += page
            complete = complete and more is None
        return found, complete


def key_of(entry: CalendarEntry) -> str:
    """Return the id by which a calendar is requested."""
    return PRIMARY if entry.primary else entry.id


def event_id_of(event: Event) -> str:
    """Return the id that tools show for an event."""
    return event.id if event.calendar == PRIMARY else f"{event.id}/{event.calendar}"


def split(event_id: str) -> tuple[str, str]:
    """Split an id that tools show into Google's id and the calendar."""
    key, _, calendar = event_id.partition("/")
    return key, calendar or PRIMARY


def named(calendars: Sequence[CalendarEntry], name: str) -> CalendarEntry:
    """Return the calendar with this name or id. Raise `ValueError` that lists the calendars."""
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
    """Return the calendar if its events may be changed. Raise `ValueError` otherwise."""
    if entry.role not in WRITING_ROLES:
        raise ValueError(say("you may not change anything in the calendar {name}", name=entry.name))
    return entry


def shown(calendars: Sequence[CalendarEntry]) -> list[CalendarEntry]:
    """Return the calendars that the owner displays and may read."""
    return [one for one in calendars if one.primary or (one.selected and one.role in _READABLE)]


def own(calendars: Sequence[CalendarEntry]) -> list[CalendarEntry]:
    """Return the owner's own displayed calendars: others, even writable ones, have to be named."""
    return [one for one in calendars if one.role in OWN_ROLES and (one.primary or one.selected)]


def data_of(result: IntegrationResult) -> dict[str, Any]:
    """Return a result's data; raise `CallFailedError` if there is none."""
    if not result.ok or result.data is None:
        raise CallFailedError(result)
    return result.data


def refused(why: str) -> IntegrationResult:
    """Return a failure for an order that makes no sense."""
    return failed(IntegrationErrorCode.INVALID_INPUT, why)
