"""What became of events between their listing and the run over them, by what Google has as changed since.

What the person has done themselves in the meantime is not the run's to take back.
"""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem, PreparedBulkContext
from butler.contract.bulk_adapter import answered
from butler.contract.errors import IntegrationErrorCode
from modules.calendar.bulk_actions import CalendarAction
from modules.calendar.bulk_items import is_open, item_of
from modules.calendar.bulk_listing import Call, Listing
from modules.calendar.calls import PRIMARY, event_id_of, split
from modules.calendar.records import LARGEST_PAGE, LIST, Event, Events, ListArgs

SINCE = "listed"
"""When an order was listed."""
THEIRS = "theirs"
"""Marks an event that somebody else has made so before the run began."""
FOUND = "found"
"""Where an event that was changed before the run began lay then."""
_CLOCKS = timedelta(minutes=5)
"""By how much clocks may differ; what was changed shortly before the listing is known as it was listed."""
_KEPT = ("me", "reminders", "colour")


@dataclass(frozen=True, slots=True)
class Meanwhile:
    """Looks again at the events of one context."""

    context: PreparedBulkContext
    call: Call
    zone: ZoneInfo

    async def changed(self) -> list[BulkItem]:
        """What is to be kept of each event that was changed since the listing."""
        if "to" in self.context.action_params:
            return await self._transferred()
        named = "ids" in self.context.query_params
        events = await self._listing().named() if named else await self._changed(self._calendars)
        return [BulkItem(event_id_of(event), event.title, self._known(event)) for event in events]

    def _known(self, event: Event) -> dict[str, Any]:
        action, params = CalendarAction(self.context.action), self.context.action_params
        if event.gone:
            # What is deleted can only be restored; nothing else is done to it.
            return {THEIRS: True} if action is CalendarAction.DELETE else {}
        data = item_of(event, action).raw_data or {}
        if action is CalendarAction.MOVE:
            return {FOUND: {"start": data["start"], "end": data["end"]}}
        kept = {name: data[name] for name in _KEPT if name in data}
        sets = action in {CalendarAction.REMIND, CalendarAction.COLOUR}
        is_so = event.declined if action is CalendarAction.DECLINE else sets and not is_open(event, action, params)
        return kept | ({THEIRS: True} if is_so else {})

    async def _transferred(self) -> list[BulkItem]:
        """Events that are in the calendar where they were to go."""
        to = self.context.action_params["to"]
        if "ids" in self.context.query_params:
            asked: list[str] = self.context.query_params["ids"]
            there = {one: _id_in(split(one)[0], to) for one in asked}
            listing = self._listing(ids=list(there.values()))
            found = {event_id_of(event) for event in await listing.named() if not event.gone}
            return [BulkItem(one, one, {THEIRS: True}) for one, other in there.items() if other in found]
        events = [event for event in await self._changed([to]) if not event.gone]
        return [
            BulkItem(_id_in(event.id, calendar), event.title, {THEIRS: True})
            for event in events
            for calendar in self._calendars
            if calendar != to
        ]

    @property
    def _calendars(self) -> list[str]:
        return self.context.query_params["calendars"]

    def _listing(self, **query: Any) -> Listing:
        """A listing of its own, so that the run's stands where it stood."""
        metadata: dict[str, Any] = {**(self.context.metadata or {}), "masters": []}
        params = {**self.context.query_params, **query}
        context = PreparedBulkContext(
            self.context.tool_name, self.context.action, params, self.context.action_params, metadata
        )
        return Listing(context, self.call, self.zone)

    async def _changed(self, calendars: list[str]) -> list[Event]:
        found: dict[str, Event] = {}
        for calendar in calendars:
            # Series and events anywhere, deleted ones too; then single events of series that were changed as a whole.
            args = ListArgs(
                calendar=calendar, updated_since=self._since, single=False, size=LARGEST_PAGE, background=True
            )
            found |= {event_id_of(event): event async for event in self._pages(args)}
            if not self.context.query_params.get("series"):
                singles = args.model_copy(update={"single": True, **self._times()})
                found |= {event_id_of(event): event async for event in self._pages(singles)}
        return list(found.values())

    @property
    def _since(self) -> datetime | None:
        text = (self.context.metadata or {}).get(SINCE)
        return datetime.fromisoformat(text) - _CLOCKS if text else None

    def _times(self) -> Mapping[str, datetime]:
        """Where the events lay, and where they are to lie."""
        query, params = self.context.query_params, self.context.action_params
        by = timedelta(days=params.get("days", 0), minutes=params.get("minutes", 0))
        times = {name: datetime.fromisoformat(query[name]) for name in ("since", "before") if name in query}
        return {name: min(at, at + by) if name == "since" else max(at, at + by) for name, at in times.items()}

    async def _pages(self, args: ListArgs) -> AsyncIterator[Event]:
        cursor, more = None, args.updated_since is not None
        while more:
            result = await self.call(LIST, args.model_dump(mode="json"), cursor)
            if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
                # It is so long ago that Google no longer tells what was changed since.
                return
            for event in Events.model_validate(answered(result)).events:
                yield event
            cursor = result.meta.next_cursor
            more = cursor is not None


def _id_in(key: str, calendar: str) -> str:
    return key if calendar == PRIMARY else f"{key}/{calendar}"
