"""Finds events that changed between their listing and the run, by Google's list of changes.

A change that the owner made in the meantime is not the run's to undo.
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
"""Metadata key: when an order was listed."""
THEIRS = "theirs"
"""Marks an event that somebody else had brought into the wanted state before the run began."""
FOUND = "found"
"""The times of an event that was changed before the run began."""
_CLOCKS = timedelta(minutes=5)
"""How much clocks may differ; an event changed shortly before the listing is recorded as it was listed."""
_KEPT = ("me", "reminders", "colour")


@dataclass(frozen=True, slots=True)
class EventRecheck:
    """Re-reads the events of one context."""

    context: PreparedBulkContext
    call: Call
    zone: ZoneInfo

    async def changed(self) -> list[BulkItem]:
        """Return what to store for each event that was changed since the listing."""
        if "to" in self.context.action_params:
            return await self._transferred()
        named = "ids" in self.context.query_params
        events = await self._listing().named() if named else await self._changed(self._calendars)
        return [BulkItem(event_id_of(event), event.title, self._known(event)) for event in events]

    def _known(self, event: Event) -> dict[str, Any]:
        action, params = CalendarAction(self.context.action), self.context.action_params
        if event.gone:
            # A deleted event can only be restored; no other action applies.
            return {THEIRS: True} if action is CalendarAction.DELETE else {}
        data = item_of(event, action).raw_data or {}
        if action is CalendarAction.MOVE:
            return {FOUND: {"start": data["start"], "end": data["end"]}}
        kept = {name: data[name] for name in _KEPT if name in data}
        sets = action in {CalendarAction.REMIND, CalendarAction.COLOUR}
        is_so = event.declined if action is CalendarAction.DECLINE else sets and not is_open(event, action, params)
        return kept | ({THEIRS: True} if is_so else {})

    async def _transferred(self) -> list[BulkItem]:
        """Return the events that are in the target calendar already."""
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
        """Return a separate listing, which leaves the run's position alone."""
        metadata: dict[str, Any] = {**(self.context.metadata or {}), "masters": []}
        params = {**self.context.query_params, **query}
        context = PreparedBulkContext(
            self.context.tool_name, self.context.action, params, self.context.action_params, metadata
        )
        return Listing(context, self.call, self.zone)

    async def _changed(self, calendars: list[str]) -> list[Event]:
        found: dict[str, Event] = {}
        for calendar in calendars:
            # Series and events at any time, deleted ones too; then single events of series that changed as a whole.
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
        """Return the time range of the events before and after the action."""
        query, params = self.context.query_params, self.context.action_params
        by = timedelta(days=params.get("days", 0), minutes=params.get("minutes", 0))
        times = {name: datetime.fromisoformat(query[name]) for name in ("since", "before") if name in query}
        return {name: min(at, at + by) if name == "since" else max(at, at + by) for name, at in times.items()}

    async def _pages(self, args: ListArgs) -> AsyncIterator[Event]:
        cursor, more = None, args.updated_since is not None
        while more:
            result = await self.call(LIST, args.model_dump(mode="json"), cursor)
            if result.error is not None and result.error.code is IntegrationErrorCode.NOT_FOUND:
                # Too long ago for Google to list the changes.
                return
            for event in Events.model_validate(answered(result)).events:
                yield event
            cursor = result.meta.next_cursor
            more = cursor is not None


def _id_in(key: str, calendar: str) -> str:
    return key if calendar == PRIMARY else f"{key}/{calendar}"
