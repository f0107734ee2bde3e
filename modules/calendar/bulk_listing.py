"""Lists the events of a bulk order: page by page over several calendars, or by id where they are named.

The listing's position is stored in the context, with the counts for the card.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem, PreparedBulkContext
from butler.contract.bulk_adapter import answered, batch_fault
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from modules.calendar.bulk_actions import CalendarAction
from modules.calendar.bulk_items import count, counters, is_open, item_of, matches, reaches_out
from modules.calendar.calls import event_id_of, split
from modules.calendar.records import GET, LARGEST_PAGE, LIST, Event, Events, ListArgs

Call = Callable[[str, dict[str, Any], str | None], Awaitable[IntegrationResult]]
"""Calls the context's account: a method, its arguments, and a page's cursor. Raises `Reconfigure`."""
AT_ONCE = 25


@dataclass(frozen=True, slots=True)
class Listing:
    """The listing of one context."""

    context: PreparedBulkContext
    call: Call
    zone: ZoneInfo

    @property
    def place(self) -> dict[str, Any]:
        """Return the listing's position, in the context's metadata."""
        if self.context.metadata is None:
            self.context.metadata = {}
        return self.context.metadata

    async def batch(self, size: int, offset: int) -> list[BulkItem]:
        """Return up to `size` items after `offset`; empty at the end."""
        if offset == 0 or self.place.get("at") != offset:
            self.place.update({"at": 0, "next": 0, "cursor": None, "more": True, "masters": [], "counted": counters()})
        # Google has no offsets: items before an offset that was not reached by paging are skipped.
        while self.place["at"] < offset and self.place["more"]:
            await self._page(min(LARGEST_PAGE, offset - self.place["at"]))
        while self.place["more"]:
            if items := await self._page(size):
                return items
        return []

    async def _page(self, size: int) -> list[BulkItem]:
        """Return the next items; an empty page is not necessarily the last."""
        query = self.context.query_params
        events = await (self._named(size) if "ids" in query else self._listed(size))
        action, params = CalendarAction(self.context.action), self.context.action_params
        # Events in the target calendar are already there.
        away = [event for event in events if event.calendar != params.get("to")]
        meant = [event for event in away if "ids" in query or matches(event, query)]
        inside = [event for event in meant if not reaches_out(event, query.get("window", {}), self.zone)]
        found = [event for event in inside if not event.gone and is_open(event, action, params)]
        counted: dict[str, int] = self.place["counted"]
        counted["longer"] += len(meant) - len(inside)
        counted["left"] += len(inside) - len(found)
        for event in found:
            count(counted, event)
        self.place["at"] += len(found)
        return [item_of(event, action) for event in found]

    async def _listed(self, size: int) -> list[Event]:
        query, place = self.context.query_params, self.place
        calendars: list[str] = query["calendars"]
        if place["next"] >= len(calendars):
            place["more"] = False
            return []
        args = ListArgs(
            calendar=calendars[int(place["next"])],
            since=_moment(query.get("since")),
            before=_moment(query.get("before")),
            words=query.get("words", ""),
            single=not query.get("series"),
            size=min(size, LARGEST_PAGE),
            background=True,
        )
        result = await self.call(LIST, args.model_dump(mode="json"), place["cursor"])
        events = Events.model_validate(answered(result)).events
        place["cursor"] = result.meta.next_cursor
        if place["cursor"] is None:
            place["next"] += 1
        place["more"] = place["next"] < len(calendars)
        return await self._whole(events) if query.get("series") else events

    async def named(self) -> list[Event]:
        """Return all named events in their current state, including deleted ones."""
        found = await self._get(self.context.query_params["ids"])
        return await self._whole(found) if self.context.query_params.get("series") else found

    async def _named(self, size: int) -> list[Event]:
        query, place = self.context.query_params, self.place
        first, ids = int(place["next"]), query["ids"]
        some = ids[first : first + min(size, AT_ONCE)]
        place["next"] = first + len(some)
        place["more"] = place["next"] < len(ids)
        events = await self._get(some)
        return await self._whole(events) if query.get("series") else events

    async def _whole(self, events: Sequence[Event]) -> list[Event]:
        """Replace recurring events by their series, each once."""
        known: list[str] = self.place["masters"]
        there = {event_id_of(event): event for event in events if not event.series}
        wanted = list(dict.fromkeys(map(_master, events)))
        missing = [one for one in wanted if one not in there and one not in known]
        there |= {event_id_of(event): event for event in await self._get(missing)}
        found = [there[one] for one in wanted if one in there and one not in known]
        known += [event_id_of(event) for event in found if event.recurrence]
        return found

    async def _get(self, ids: Sequence[str]) -> list[Event]:
        """Return the events that exist."""
        found: list[Event] = []
        for at in range(0, len(ids), AT_ONCE):
            found += filter(None, await asyncio.gather(*map(self._one, ids[at : at + AT_ONCE])))
        return found

    async def _one(self, event_id: str) -> Event | None:
        key, calendar = split(event_id)
        result = await self.call(GET, {"calendar": calendar, "id": key, "background": True}, None)
        if result.error is not None:
            if result.error.code is IntegrationErrorCode.NOT_FOUND:
                return None
            raise batch_fault(result.error)
        return Event.model_validate(result.data)


def _master(event: Event) -> str:
    """Return the id of the event's series, or its own."""
    return event_id_of(event.model_copy(update={"id": event.series}) if event.series else event)


def _moment(text: str | None) -> datetime | None:
    return datetime.fromisoformat(text) if text else None
